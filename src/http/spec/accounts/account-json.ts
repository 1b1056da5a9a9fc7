import { t } from 'elysia'
import type { User } from '../../../domain/accounts/ports.ts'
import type { SingleSignOn } from '../../../domain/accounts/single-sign-on.ts'
import { objectSchema } from '../shared/schema.ts'

/** The own account (docs/protocol.md#your-account). */
export const AccountModel = objectSchema(
  {
    username: t.String(),
    email: t.String({ description: 'Empty if there is none.' }),
    is_admin: t.Boolean(),
    is_active: t.Boolean(),
    has_password: t.Boolean({
      description:
        'Whether it has a password, as podcast apps need; without one its owner signs in at a provider only.',
    }),
  },
  { description: 'The account the credentials belong to.' },
)

export function toAccountJson(
  { username, email, isAdmin, state }: User,
  hasPassword: boolean,
): typeof AccountModel.static {
  return {
    username,
    email: email ?? '',
    is_admin: isAdmin,
    is_active: state === 'active',
    has_password: hasPassword,
  }
}

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
