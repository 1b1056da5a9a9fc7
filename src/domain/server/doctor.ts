import type { Timer } from '../../platform/clock.ts'
import { messageOf } from '../../platform/unknown.ts'
import type { BackupStatus } from './backups.ts'

/** `todo` is a setup step still to be done; `optional` is one that a server does not need. */
export type FindingStatus = 'ok' | 'error' | 'warning' | 'todo' | 'optional' | 'skipped'

const OPEN: ReadonlySet<FindingStatus> = new Set(['error', 'warning', 'todo'])

/** All findings, by check. Their texts are under `admin.doctor` in the locales of the web client. */
export const FINDINGS = {
  check_failed: 'error',
  check_late: 'warning',
  not_checked: 'skipped',
  settings_ok: 'ok',
  settings_none: 'ok',
  settings_open: 'warning',
  settings_odd: 'warning',
  settings_wrong: 'error',
  folder_ok: 'ok',
  folder_new: 'ok',
  folder_open: 'warning',
  folder_network: 'warning',
  folder_full: 'error',
  folder_read_only: 'error',
  folder_read_only_volume: 'error',
  folder_no_folder: 'error',
  folder_no_file: 'error',
  folder_foreign: 'error',
  folder_foreign_volume: 'error',
  folder_selinux: 'error',
  folder_selinux_volume: 'error',
  folder_skipped: 'skipped',
  space_ok: 'ok',
  space_low: 'warning',
  database_ok: 'ok',
  database_none: 'skipped',
  database_late: 'skipped',
  database_damaged: 'error',
  database_unreadable: 'error',
  postgres_ok: 'ok',
  postgres_unusable: 'error',
  postgres_unsafe: 'warning',
  postgres_full: 'warning',
  postgres_clock: 'warning',
  postgres_far: 'warning',
  backup_ok: 'ok',
  backup_off: 'todo',
  backup_none: 'todo',
  backup_overdue: 'warning',
  backup_failed: 'error',
  backup_postgres: 'skipped',
  users_ok: 'ok',
  users_alone: 'todo',
  passwords_ok: 'ok',
  passwords_slow: 'warning',
  feed_worker_ok: 'ok',
  feed_worker_off: 'skipped',
  feed_worker_failed: 'error',
  server_ok: 'ok',
  server_none: 'warning',
  server_taken: 'error',
  server_not_ready: 'error',
  server_skipped: 'skipped',
  base_url_ok: 'ok',
  base_url_none: 'todo',
  base_url_unreachable: 'error',
  base_url_redirects: 'error',
  base_url_wrong: 'error',
  base_url_elsewhere: 'error',
  base_url_skipped: 'skipped',
  proxy_ok: 'ok',
  proxy_none: 'ok',
  proxy_skipped: 'skipped',
  proxy_not_believed: 'warning',
  proxy_peer_not_believed: 'warning',
  proxy_no_address: 'warning',
  proxy_no_scheme: 'warning',
  proxy_scheme: 'warning',
  proxy_host: 'warning',
  proxy_buffers: 'warning',
  certificate_ok: 'ok',
  certificate_none: 'skipped',
  certificate_soon: 'warning',
  certificate_expired: 'error',
  certificate_unusable: 'error',
  certificate_unseen: 'skipped',
  clock_ok: 'ok',
  clock_behind: 'error',
  clock_differs: 'warning',
  mail_ok: 'ok',
  mail_none: 'optional',
  mail_partly: 'warning',
  mail_unsent: 'warning',
  mail_failed: 'error',
  sso_ok: 'ok',
  sso_none: 'optional',
  sso_failed: 'error',
  directory_ok: 'ok',
  directory_none: 'optional',
  directory_off: 'skipped',
  directory_failed: 'error',
} as const satisfies Readonly<Record<string, FindingStatus>>

export type FindingCode = keyof typeof FINDINGS

export const CHECKS = [
  ...(['settings', 'data_folder', 'disk_space', 'database', 'backup', 'users'] as const),
  ...(['passwords', 'feed_worker', 'server'] as const),
  ...(['base_url', 'proxy', 'certificate', 'clock', 'mail', 'sign_on', 'directory'] as const),
] as const

export type CheckName = (typeof CHECKS)[number]

/** Values for the text of a finding: sizes in bytes, `at` in Unix seconds. */
export type FindingValues = Readonly<Record<string, string | number>>

/** A setting that fixes a finding, with its value or an example. */
export interface SettingLine {
  readonly key: string
  readonly variable: string
  /** Value as written in config.toml, with quotes. */
  readonly toml: string
  /** Value as written in an environment variable. */
  readonly text: string
}

export interface Finding {
  readonly code: FindingCode
  readonly values: FindingValues
  readonly cause?: string | undefined
  readonly command?: string | undefined
  /** Alternative fixes, each a list of settings to change. */
  readonly ways?: readonly (readonly SettingLine[])[] | undefined
}

export interface Check {
  readonly name: CheckName
  readonly isRemote?: boolean
  /** Time limit in milliseconds; 20 seconds by default. */
  readonly limitMs?: number
  readonly late?: FindingCode
  /** `signal` is aborted at the time limit, and after `run` ends, to cancel leftovers such as an unread response. */
  run(signal: AbortSignal): Finding | Promise<Finding>
  /** Finding that takes no work and no network access; undefined if only `run` can tell. */
  glance?(): Finding | undefined | Promise<Finding | undefined>
}

export interface CheckResult extends Finding {
  readonly check: CheckName
  readonly status: FindingStatus
}

export function found(code: FindingCode, values: FindingValues = {}, more: Partial<Finding> = {}): Finding {
  return { code, values, ...more }
}

const LIMIT_MS = 20_000

/** Runs remote checks concurrently, but local ones one by one, so that none slows the next. Keeps their order. */
export async function runChecks(
  checks: readonly Check[],
  timer: Timer,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<readonly CheckResult[]> {
  const remote = new Map(checks.filter(({ isRemote }) => isRemote).map((check) => [check, findingOf(check, timer)]))
  const results: CheckResult[] = []
  for (const check of checks) {
    const finding = await (remote.get(check) ?? findingOf(check, timer))
    const result = resultOf(check, finding)
    onResult(result)
    results.push(result)
  }
  return results
}

function resultOf({ name }: Check, finding: Finding): CheckResult {
  return { check: name, status: FINDINGS[finding.code], ...finding }
}

async function findingOf(check: Check, timer: Timer): Promise<Finding> {
  const { limitMs = LIMIT_MS, late = 'check_late' } = check
  const ending = new AbortController()
  const { promise: end, resolve } = Promise.withResolvers<Finding>()
  const cancel = timer(limitMs, () => {
    resolve(found(late, { seconds: Math.round(limitMs / 1000) }))
    ending.abort()
  })
  try {
    return await Promise.race([check.run(ending.signal), end])
  } catch (error) {
    return found('check_failed', {}, { cause: messageOf(error) })
  } finally {
    cancel()
    ending.abort()
  }
}

export function hasError(results: readonly CheckResult[]): boolean {
  return results.some(({ status }) => status === 'error')
}

/** Results that need the administrator's attention, in the same order. */
export function openResults(results: readonly CheckResult[]): readonly CheckResult[] {
  return results.filter(({ status }) => OPEN.has(status))
}

export interface PostgresFacts {
  readonly version: string
  /** Durability settings that are off, such as `fsync`: a crash may lose acknowledged writes. Empty if all are on. */
  readonly off: string
  readonly connectionsLeft: number
  /** Absolute difference between the clocks of both servers. */
  readonly secondsApart: number
  readonly roundTripMs: number
}

/** Facts that only a running server knows. */
export interface RunningServer {
  readonly backups: () => Promise<BackupStatus>
  readonly users: () => Promise<number>
  /** Error of the last email; undefined if it was sent, or if none was tried. */
  readonly mailTrouble: () => string | undefined
}

export interface Arrival {
  /** Address of the peer; known only to the server itself, not to a client. */
  readonly peer?: string | undefined
  readonly isTrusted: boolean
  readonly header: string | undefined
  readonly hasAddress: boolean
  readonly scheme: string | undefined
  readonly host: string
}

export function createDoctor(checksFor: (arrivals: readonly Arrival[]) => readonly Check[], timer: Timer) {
  let running: Promise<readonly CheckResult[]> | undefined
  let last: ReadonlyMap<CheckName, CheckResult> = new Map()

  async function examine(arrivals: readonly Arrival[]): Promise<readonly CheckResult[]> {
    const results = await runChecks(checksFor(arrivals), timer)
    last = new Map(results.map((result) => [result.check, result]))
    return results
  }

  async function knownOf(check: Check): Promise<CheckResult> {
    try {
      const finding = await check.glance?.()
      return finding ? resultOf(check, finding) : (last.get(check.name) ?? resultOf(check, found('not_checked')))
    } catch (error) {
      return resultOf(check, found('check_failed', {}, { cause: messageOf(error) }))
    }
  }

  return {
    /** Concurrent calls share one run. `arrivals` are requests that show what the proxy in front forwards. */
    examine(arrivals: readonly Arrival[]): Promise<readonly CheckResult[]> {
      running ??= examine(arrivals).finally(() => {
        running = undefined
      })
      return running
    },

    /** Findings that take no work; for all other checks, the results of the last `examine`. */
    known: (): Promise<readonly CheckResult[]> => Promise.all(checksFor([]).map(knownOf)),
  }
}
