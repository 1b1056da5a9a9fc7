import type { Answer } from '../../api/client.ts'
import { t } from '../../locales/index.ts'

export type LogEntry = Answer<'getAuditLog'>['entries'][number]

/** Actions in the audit log, grouped for the filter. */
export const KINDS = {
  users: ['user_created', 'user_deleted', 'user_activated', 'user_deactivated'],
  invitations: ['user_invited', 'invitation_renewed', 'invitation_withdrawn', 'invitation_accepted'],
  roles: ['admin_granted', 'admin_revoked'],
  passwords: ['password_set', 'reset_mail_requested', 'second_factor_reset'],
  server: ['test_mail_sent', 'backup_requested'],
} as const

export type Kind = keyof typeof KINDS
type Action = (typeof KINDS)[Kind][number]

const ACTIONS: readonly string[] = Object.values(KINDS).flat()

function isKnown(action: string): action is Action {
  return ACTIONS.includes(action)
}

/** Returns the name of the actor, or a description if it is not a user. */
export function actorOf({ actor, via }: LogEntry): string {
  return actor === '' ? t(`admin.log.actors.${via}`) : actor
}

/** Describes an entry in a sentence. A newer server may record actions that this client does not know. */
export function sentence(entry: LogEntry): string {
  const { actor, action, user } = entry
  const values = { actor: actorOf(entry), user }
  if (action === 'user_deleted' && actor !== '' && actor === user)
    return t('admin.log.actions.user_deleted_own', { user })
  if (isKnown(action)) return t(`admin.log.actions.${action}`, values)
  return t('common.pair', { what: values.actor, value: `${action} ${user}`.trim() })
}

/** Returns the names to search for: all users, and everyone who occurs in the loaded entries. */
export function namesIn(users: readonly string[], entries: readonly LogEntry[]): readonly string[] {
  const names = new Set([...users, ...entries.flatMap(({ actor, user }) => [actor, user])])
  names.delete('')
  return [...names].toSorted((one, other) => one.localeCompare(other))
}

/** Groups entries by day in the time zone of the browser, for one heading per day. */
export function byDay(
  entries: readonly LogEntry[],
  dayOf: (timestamp: string) => string,
): readonly { readonly day: string; readonly entries: readonly LogEntry[] }[] {
  return [...Map.groupBy(entries, ({ at }) => dayOf(at))].map(([day, list]) => ({ day, entries: list }))
}
