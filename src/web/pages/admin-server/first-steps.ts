import type { Answer } from '../../api/client.ts'

/** What the server tells about how far it is set up. */
export interface Setup {
  readonly status: Pick<Answer<'getServerStatus'>, 'base_url' | 'backup' | 'outbound'>
  readonly stats: Pick<Answer<'getStats'>, 'users'>
  readonly mail: Pick<Answer<'getMailState'>, 'enabled' | 'last_sent' | 'last_failure'>
  readonly directory: Pick<Answer<'getDirectoryState'>, 'enabled' | 'last_answer' | 'last_failure'>
}

/** The first steps of a new server, each with what is to be said about it. */
export type Step =
  | { readonly name: 'address'; readonly case: 'done' | 'unset' }
  | { readonly name: 'family'; readonly case: 'done' | 'alone' }
  | { readonly name: 'backups'; readonly case: 'done' | 'none' | 'failed' | 'overdue' | 'off' }
  | { readonly name: 'mail' | 'directory'; readonly case: 'done' | 'untested' | 'failed' | 'off' }

export type StepState = 'done' | 'todo' | 'optional'

/** In the order in which they matter. */
export function firstSteps({ status, stats, mail, directory }: Setup): readonly Step[] {
  return [
    { name: 'address', case: status.base_url === '' ? 'unset' : 'done' },
    { name: 'family', case: stats.users > 1 ? 'done' : 'alone' },
    { name: 'backups', case: backupCase(status.backup) },
    { name: 'mail', case: serviceCase(mail, mail.last_sent) },
    ...(status.outbound ? [{ name: 'directory', case: serviceCase(directory, directory.last_answer) } as const] : []),
  ]
}

/** A server is complete without what needs somebody else's service. */
export function stepState(step: Step): StepState {
  if (step.case === 'done') return 'done'
  return (step.name === 'mail' || step.name === 'directory') && step.case === 'off' ? 'optional' : 'todo'
}

function backupCase({ enabled, last, overdue }: Setup['status']['backup']) {
  if (!enabled) return 'off'
  if (!last) return 'none'
  if (!last.ok) return 'failed'
  return overdue ? 'overdue' : 'done'
}

/** Times are of the server's format, which sorts as text. */
function serviceCase({ enabled, last_failure }: Setup['mail'] | Setup['directory'], lastGood: string) {
  if (!enabled) return 'off'
  if (last_failure && last_failure.at >= lastGood) return 'failed'
  return lastGood === '' ? 'untested' : 'done'
}

/** A line of config.toml: strings of TOML are quoted like those of JSON. */
function line(key: string, value: string | number): string {
  return `${key} = ${JSON.stringify(value)}`
}

/**
 * An address to fill in, for a page of which only the address for this computer is known: it has a name for `host` that
 * tells what to put there.
 */
export function exampleAddress(page: string, host: string): string {
  const url = new URL(page)
  url.hostname = host
  return url.href
}

interface LineValues {
  /** An address of this server by which other devices may reach it. */
  readonly address: string
  readonly key: string
  readonly secret: string
}

/** What to put into config.toml for a step that is done there; nothing for others. */
export function configLines({ name, case: kind }: Step, { address, key, secret }: LineValues): readonly string[] {
  if (name === 'address' && kind === 'unset') return [line('base_url', address)]
  if (name === 'backups' && kind === 'off') return [line('backup_keep', 3)]
  if (name === 'mail' && kind === 'off')
    return [
      line('smtp_host', 'mail.example.org'),
      line('smtp_user', 'you@example.org'),
      line('smtp_password', '…'),
      line('smtp_from', 'podstep <you@example.org>'),
      line('base_url', address),
    ]
  if (name === 'directory' && kind === 'off') return [line('directory_key', key), line('directory_secret', secret)]
  return []
}
