import { t } from 'elysia'
import type { User } from '../domain/accounts/user.ts'
import { objectSchema } from './shape.ts'

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
