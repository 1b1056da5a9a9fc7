import type { Timer } from '../../platform/clock.ts'
import { messageOf } from '../../platform/unknown.ts'
import type { BackupStatus } from './backups.ts'

/** `todo` is a step of setting up that is open; `optional` is one that a server is complete without. */
export type FindingStatus = 'ok' | 'error' | 'warning' | 'todo' | 'optional' | 'skipped'

const OPEN: ReadonlySet<FindingStatus> = new Set(['error', 'warning', 'todo'])

/** All findings by check. Their words are under `admin.doctor` in the texts of the web client. */
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

/** Values named by the words of a finding: sizes in bytes, `at` in Unix seconds, texts as they are. */
export type FindingValues = Readonly<Record<string, string | number>>

/** A setting that mends a finding, with a value to use or to replace. */
export interface SettingLine {
  readonly key: string
  /** Name of the environment variable. */
  readonly variable: string
  /** The value as config.toml has it, quoted. */
  readonly toml: string
  /** The value as an environment variable has it. */
  readonly text: string
}

export interface Finding {
  readonly code: FindingCode
  readonly values: FindingValues
  readonly cause?: string | undefined
  readonly command?: string | undefined
  /** Settings to change: one list for each way to do it. */
  readonly ways?: readonly (readonly SettingLine[])[] | undefined
}

export interface Check {
  readonly name: CheckName
  readonly isRemote?: boolean
  /** Milliseconds after which it is given up; a few seconds unless given. */
  readonly limitMs?: number
  readonly late?: FindingCode
  /** `signal` ends what it has begun when it is given up, and what is left of it, such as the rest of a response. */
  run(signal: AbortSignal): Finding | Promise<Finding>
  /** The finding that needs no work and no other server; undefined if only `run` can tell. */
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

/** Remote checks run at once, local ones in turn so that none slows the next. Results are in the order of checks. */
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

/** Entries that need the administrator, in the order of the checks. */
export function openResults(results: readonly CheckResult[]): readonly CheckResult[] {
  return results.filter(({ status }) => OPEN.has(status))
}

/** Facts about the PostgreSQL server. */
export interface PostgresFacts {
  readonly version: string
  /** Settings without which a crash loses what was acknowledged, and which are off; empty if there are none. */
  readonly off: string
  readonly connectionsLeft: number
  /** Difference of the clocks, whichever is behind. */
  readonly secondsApart: number
  readonly roundTripMs: number
}

/** Facts that only the running server knows about itself. */
export interface RunningServer {
  readonly backups: () => Promise<BackupStatus>
  readonly users: () => Promise<number>
  /** Why the last email was not sent; undefined if none was tried, or the last one was sent. */
  readonly mailTrouble: () => string | undefined
}

export interface Arrival {
  /** The address of the peer; undefined where only the client asks. */
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
    /** All who ask meanwhile get the same results. `arrivals` are requests that tell of the proxy in front. */
    examine(arrivals: readonly Arrival[]): Promise<readonly CheckResult[]> {
      running ??= examine(arrivals).finally(() => {
        running = undefined
      })
      return running
    },

    /** The list without a new examination: findings that need no work, and the rest as the last examination left it. */
    known: (): Promise<readonly CheckResult[]> => Promise.all(checksFor([]).map(knownOf)),
  }
}
