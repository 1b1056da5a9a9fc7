import type { Answer } from '../../api/client.ts'
import { t } from '../../locales/index.ts'

export type LogEntry = Answer<'getAuditLog'>['entries'][number]

/** The actions that the server notes, by what one looks for. */
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

/** Who has done it: a user, or what there is instead of one. */
export function actorOf({ actor, via }: LogEntry): string {
  return actor === '' ? t(`admin.log.actors.${via}`) : actor
}

/** What has happened, as a sentence. A newer server may note what this client has no words for. */
export function sentence(entry: LogEntry): string {
  const { actor, action, user } = entry
  const values = { actor: actorOf(entry), user }
  if (action === 'user_deleted' && actor !== '' && actor === user)
    return t('admin.log.actions.user_deleted_own', { user })
  if (isKnown(action)) return t(`admin.log.actions.${action}`, values)
  return t('common.pair', { what: values.actor, value: `${action} ${user}`.trim() })
}

/** Everybody whom one may look for: who has an account, and who stands in the entries at hand. */
export function namesIn(users: readonly string[], entries: readonly LogEntry[]): readonly string[] {
  const names = new Set([...users, ...entries.flatMap(({ actor, user }) => [actor, user])])
  names.delete('')
  return [...names].toSorted((one, other) => one.localeCompare(other))
}

/** Entries of one day, in the time zone of the browser, which stand below one heading. */
export function byDay(
  entries: readonly LogEntry[],
  dayOf: (timestamp: string) => string,
): readonly { readonly day: string; readonly entries: readonly LogEntry[] }[] {
  return [...Map.groupBy(entries, ({ at }) => dayOf(at))].map(([day, list]) => ({ day, entries: list }))
}
