import type { Answer } from '../../api/client.ts'
import { date, t } from '../../locales/index.ts'

export type User = Answer<'listUsers'>[number]
export type IssuedInvitation = Answer<'inviteUser'>

/** Returns the server address in the link. */
export function serverOf({ link }: Pick<IssuedInvitation, 'link'>): string {
  return link.slice(0, link.lastIndexOf('/activate#'))
}

/** Returns the invitation with a link to `address`, at which other devices can reach the server. */
export function linkedAt(address: string, issued: IssuedInvitation): IssuedInvitation {
  return { ...issued, link: `${address}${issued.link.slice(serverOf(issued).length)}` }
}

/**
 * Returns the text to send by mail or messenger. These preview and open the first link in a text, which must be the
 * invitation. The server address therefore has no `https://`, which apps assume by default.
 */
export function invitationText(invitation: IssuedInvitation): string {
  const { user, link, expires } = invitation
  return t('admin.users.invitation.text', {
    name: user.username,
    server: serverOf(invitation).replace(/^https:\/\//, ''),
    link,
    date: date(expires),
  })
}

export type UserState = User['state'] | 'invited' | 'expired'

/** Returns the state to show for a user. `now` is in the format of the server, which sorts as text. */
export function stateOf({ state, invitation }: Pick<User, 'state' | 'invitation'>, now: string): UserState {
  if (!invitation) return state
  return invitation.expires > now ? 'invited' : 'expired'
}

/** Whether the user is the only active administrator. */
export function isLastAdmin(user: User, users: readonly User[]): boolean {
  const isOther = ({ username, is_admin, active }: User) => is_admin && active && username !== user.username
  return user.is_admin && user.active && !users.some(isOther)
}

/** Returns the error code with which the server would refuse to mail a reset link; undefined if it would accept. */
export function resetObstacle({ email, state }: User, canMail: boolean) {
  if (!canMail) return 'smtp_unconfigured'
  if (state !== 'active') return 'not_active'
  return email === '' ? 'no_email' : undefined
}
