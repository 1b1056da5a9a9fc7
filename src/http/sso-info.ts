import { t } from 'elysia'
import type { SingleSignOn } from '../domain/accounts/single-sign-on.ts'
import { objectSchema } from './shape.ts'

/** What a sign-in page must know of single sign-on. */
export const SsoInfo = objectSchema(
  {
    enabled: t.Boolean(),
    provider_name: t.Union([t.String(), t.Null()], { description: 'For the text of a button.' }),
    login_url: t.Union([t.String(), t.Null()], {
      description: 'Where to send the browser, following the address of the server.',
    }),
  },
  { description: 'Whether single sign-on is set up.' },
)

export function ssoInfo({ providerName }: Pick<SingleSignOn, 'providerName'>): typeof SsoInfo.static {
  if (providerName === undefined) return { enabled: false, provider_name: null, login_url: null }
  return { enabled: true, provider_name: providerName, login_url: '/auth/sso/login' }
}
