import { Elysia } from 'elysia'
import type { Authentication } from '../../domain/authentication.ts'
import type { SingleSignOn } from '../../domain/single-sign-on.ts'
import { sessionTokens } from '../credentials.ts'
import type { Page } from '../pages/page.ts'
import { homePage, loginPage } from '../pages/sign-in-pages.ts'
import { activatePage, resetPasswordPage } from '../pages/token-pages.ts'

export interface PageRouteParts {
  readonly authentication: Authentication
  readonly singleSignOn: SingleSignOn
  readonly basePath: string
}

/** The few pages that mails and providers lead people to. */
export function pageRoutes({ authentication, singleSignOn, basePath }: PageRouteParts) {
  const { providerName } = singleSignOn
  return new Elysia()
    .get('/', async ({ request }) => {
      const caller = await authentication.fromCookie(sessionTokens(request.headers.get('cookie')))
      return send(homePage(basePath, caller?.user.username))
    })
    .get('/activate', () => send(activatePage))
    .get('/reset-password', () => send(resetPasswordPage))
    .get('/login', ({ request }) =>
      send(loginPage(basePath, providerName, new URL(request.url).searchParams.get('error'))),
    )
}

function send({ html, csp }: Page): Response {
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': csp,
      // A page that hands out no address, whatever it links to.
      'referrer-policy': 'no-referrer',
    },
  })
}
