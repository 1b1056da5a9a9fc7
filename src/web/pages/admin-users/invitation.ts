import type { Answer } from '../../api/client.ts'
import { date, t } from '../../locales/index.ts'

export type User = Answer<'listUsers'>[number]
export type IssuedInvitation = Answer<'inviteUser'>

/** The address of the server that the link leads to. */
export function serverOf({ link }: Pick<IssuedInvitation, 'link'>): string {
  return link.slice(0, link.lastIndexOf('/activate#'))
}

/** The same by an address at which other devices reach the server. */
export function linkedAt(address: string, issued: IssuedInvitation): IssuedInvitation {
  return { ...issued, link: `${address}${issued.link.slice(serverOf(issued).length)}` }
}

/**
 * What to hand over, as a text for mails and messengers. Those preview and open the first link in a text, which is the
 * invitation. Apps use https unless the address says otherwise.
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

/** What the list says about a user. `now` is of the server's format, which sorts as text. */
export function stateOf({ state, invitation }: Pick<User, 'state' | 'invitation'>, now: string): UserState {
  if (!invitation) return state
  return invitation.expires > now ? 'invited' : 'expired'
}

/** Whether nobody else could administer the server. */
export function isLastAdmin(user: User, users: readonly User[]): boolean {
  const isOther = ({ username, is_admin, active }: User) => is_admin && active && username !== user.username
  return user.is_admin && user.active && !users.some(isOther)
}

/** The error code with which the server would reject sending a reset link to a user; undefined if it can be sent. */
export function resetObstacle({ email, state }: User, canMail: boolean) {
  if (!canMail) return 'smtp_unconfigured'
  if (state !== 'active') return 'not_active'
  return email === '' ? 'no_email' : undefined
}
