import { Elysia } from 'elysia'
import type { Authentication } from '../../domain/authentication.ts'
import type { SingleSignOn } from '../../domain/single-sign-on.ts'
import type { Gatekeeper } from '../auth.ts'
import { sessionTokens } from '../credentials.ts'
import { send } from '../pages/page.ts'
import { homePage, loginPage, passwordPage } from '../pages/sign-in-pages.ts'
import { activatePage, resetPasswordPage } from '../pages/token-pages.ts'

export interface PageRouteParts {
  readonly authentication: Authentication
  readonly singleSignOn: SingleSignOn
  readonly gatekeeper: Gatekeeper
  readonly basePath: string
}

/** The few pages that mails and providers lead people to. */
export function pageRoutes({ authentication, singleSignOn, gatekeeper, basePath }: PageRouteParts) {
  const { providerName } = singleSignOn
  const activate = activatePage(basePath)
  const resetPassword = resetPasswordPage(basePath)
  const password = passwordPage(basePath)
  return new Elysia()
    .get('/', async ({ request, set }) => {
      const caller = await authentication.fromCookie(sessionTokens(request.headers.get('cookie')))
      if (caller?.setCookie !== undefined) gatekeeper.sendCookie(request, set, caller.setCookie)
      return send(homePage(basePath, caller?.user.username, providerName))
    })
    .get('/activate', () => send(activate))
    .get('/reset-password', () => send(resetPassword))
    .get('/password', () => send(password))
    .get('/login', ({ request }) =>
      send(loginPage(basePath, providerName, new URL(request.url).searchParams.get('error'))),
    )
}
