import type { Background } from '../../platform/background.ts'
import { type Clock, systemTimer, type Timer } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Family, single } from '../../platform/metrics.ts'
import { messageOf } from '../../platform/unknown.ts'
import type { Actor, AuditStore } from '../accounts/ports/audit-log.ts'
import { DomainError } from '../shared/errors.ts'

/** A copy of the database in the backup folder. Times are whole Unix seconds. */
export interface BackupFile {
  readonly name: string
  readonly at: number
  readonly bytes: number
}

/** Reasons why a backup failed. */
export const BACKUP_TROUBLES = ['no_room', 'unsound', 'busy', 'folder', 'other'] as const
export type BackupTrouble = (typeof BACKUP_TROUBLES)[number]

export type BackupResult = {
  readonly at: number
  readonly seconds: number
} & ({ readonly file: string; readonly bytes: number } | { readonly cause: string; readonly trouble?: BackupTrouble })

export class BackupFailure extends Error {
  override readonly name = 'BackupFailure'
  readonly trouble: BackupTrouble

  constructor(message: string, trouble: BackupTrouble = 'other') {
    super(message)
    this.trouble = trouble
  }
}

/** The backup folder. Methods that write reject with system errors unless they say otherwise. */
export interface BackupStore {
  /** Newest first; empty if the folder does not exist yet. Rejects with `BackupFailure`. */
  list(): Promise<BackupFile[]>
  /** Makes, checks and flushes a consistent copy; returns its size. Rejects with `BackupFailure` and leaves no file. */
  make(name: string): Promise<number>
  /** Aborts a running copy, if any: `make` rejects as soon as the thread notices. */
  abort(): void
  /** Makes `make` reject at once. The thread may go on, but does not keep the process alive. */
  abandon(): void
  remove(name: string): Promise<void>
  /** Removes files left by killed backups. Must not be called during `make`. Rejects with `BackupFailure`. */
  removeLeftovers(): Promise<void>
  /** Result saved by `writeResult`; undefined if missing or unreadable. */
  readResult(): Promise<BackupResult | undefined>
  writeResult(result: BackupResult): Promise<void>
}

/** Store of a server that makes no backups. */
export const NO_BACKUPS: BackupStore = {
  list: async () => [],
  make: () => Promise.reject(new BackupFailure('this server makes no backups')),
  abort: nothing,
  abandon: nothing,
  remove: nothing,
  removeLeftovers: nothing,
  readResult: nothing,
  writeResult: nothing,
}

async function nothing(): Promise<undefined> {}

export interface BackupStatus {
  readonly isOn: boolean
  readonly isRunning: boolean
  readonly last: BackupResult | undefined
  readonly lastGood: BackupFile | undefined
  readonly isOverdue: boolean
  /** Time of the next scheduled backup; undefined if none is scheduled. */
  readonly nextAt: number | undefined
  readonly keep: number
}

const ANSWER_AFTER_MS = 45_000
/** The thread cannot be interrupted while it checks a copy. */
const STOP_AFTER_MS = 3000

export type Backups = ReturnType<typeof createBackups>

/** Makes backups on schedule, on request, and after startup if one was missed. */
export function createBackups(parts: {
  readonly store: BackupStore
  readonly audit: AuditStore
  readonly keep: number
  /** Error message for a requested backup while `keep` is 0. */
  readonly whyOff: string
  readonly cron: string
  /** Time of the first scheduled backup after `at`; undefined if none follows. Unix seconds. */
  readonly dueAfter: (at: number) => number | undefined
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
  readonly timer?: Timer
}) {
  const { store, audit, keep, whyOff, cron, dueAfter, background, clock, log, timer = systemTimer } = parts
  let running: Promise<BackupResult> | undefined
  let last: BackupResult | undefined
  let isStopping = false
  let isOverdueKnown = false

  async function copy(at: number): Promise<BackupFile> {
    await store.removeLeftovers()
    const name = freeBackupName(at, new Set((await store.list()).map((file) => file.name)))
    if (isStopping) throw new BackupFailure('the server is stopping')
    return { name, at, bytes: await store.make(name) }
  }

  /** Removes backups beyond `keep`. A failure here does not make the new backup fail. */
  async function prune(newName: string): Promise<void> {
    const names = (await store.list()).map(({ name }) => name)
    for (const name of surplusBackups(names, newName, keep)) await store.remove(name)
  }

  async function attempt(): Promise<BackupResult> {
    const at = clock.seconds()
    const start = clock.monotonic()
    const seconds = () => Math.round((clock.monotonic() - start) / 1000)
    try {
      const { name: file, bytes } = await copy(at)
      log.info('backup made', { file, bytes, seconds: seconds() })
      return { at, seconds: seconds(), file, bytes }
    } catch (error) {
      const cause = messageOf(error)
      if (isStopping) log.info('backup broken off: the server is stopping')
      else log.error('backup failed', error instanceof BackupFailure ? { cause } : { cause, error })
      return { at, seconds: seconds(), cause, trouble: error instanceof BackupFailure ? error.trouble : 'other' }
    }
  }

  async function makeOne(): Promise<BackupResult> {
    const result = await attempt()
    // An aborted backup is made after the next start.
    const isBrokenOff = isStopping && 'cause' in result
    if (!isBrokenOff) last = result
    try {
      if (isBrokenOff) await store.removeLeftovers()
      else await store.writeResult(result)
      if ('file' in result) await prune(result.file)
    } catch (error) {
      log.warn('the folder of backups cannot be kept in order', { error })
    }
    return result
  }

  /** Starts a backup, or joins the one in progress. Never rejects. */
  function begin(): Promise<BackupResult> {
    if (!running) {
      const backup = makeOne().finally(() => {
        running = undefined
      })
      running = backup
      background.run(() => backup)
    }
    return running
  }

  async function timesInFolder(): Promise<number[]> {
    try {
      await store.removeLeftovers()
      return (await store.list()).map(({ at }) => at)
    } catch (error) {
      if (error instanceof BackupFailure) return []
      throw error
    }
  }

  async function lastResult(): Promise<BackupResult | undefined> {
    last ??= await store.readResult()
    return last
  }

  async function lastGood(): Promise<BackupFile | undefined> {
    const result = await lastResult()
    const recorded = result && 'file' in result ? [{ name: result.file, at: result.at, bytes: result.bytes }] : []
    // Times in the future were written while the clock was wrong.
    const files = [...(await listOrNone()), ...recorded].filter(({ at }) => at <= clock.seconds())
    return files.toSorted((one, other) => other.at - one.at)[0]
  }

  async function listOrNone(): Promise<readonly BackupFile[]> {
    try {
      return await store.list()
    } catch (error) {
      // The backup that fails because of the folder reports the cause.
      if (error instanceof BackupFailure) return []
      throw error
    }
  }

  function isTooOld(good: BackupFile | undefined): boolean {
    if (keep === 0 || running) return false
    if (!good) return last !== undefined
    const firstDue = dueAfter(good.at)
    const secondDue = firstDue === undefined ? undefined : dueAfter(firstDue)
    return secondDue !== undefined && secondDue <= clock.seconds()
  }

  async function warnIfOverdue(): Promise<void> {
    const good = await lastGood()
    const isOverdue = isTooOld(good)
    // If no backup ever succeeded, the failure itself has been logged.
    if (isOverdue && !isOverdueKnown && good)
      log.warn('the last good backup is older than it should be', { file: good.name })
    isOverdueKnown = isOverdue
  }

  async function status(): Promise<BackupStatus> {
    const nextAt = keep > 0 ? dueAfter(clock.seconds()) : undefined
    const good = await lastGood()
    return {
      isOn: keep > 0,
      isRunning: running !== undefined,
      last: await lastResult(),
      lastGood: good,
      isOverdue: isTooOld(good),
      nextAt,
      keep,
    }
  }

  function run(): void {
    if (keep > 0 && !isStopping) void begin()
  }

  /** Makes a backup if none was tried since it was last due. Removes leftovers and warns if the last one is too old. */
  async function flush(): Promise<void> {
    if (running || isStopping) return
    const times = await timesInFolder()
    const lastAttempt = (await lastResult())?.at
    if (lastAttempt !== undefined) times.push(lastAttempt)
    const now = clock.seconds()
    // Ignores times in the future, which were written while the clock was wrong.
    const past = times.filter((at) => at <= now)
    const dueAt = past.length === 0 ? now : dueAfter(Math.max(...past))
    if (keep > 0 && dueAt !== undefined && dueAt <= now) await begin()
    await warnIfOverdue()
  }

  return {
    status,

    /** Newest first. Throws `backup_failed`. */
    async list(): Promise<BackupFile[]> {
      try {
        return await store.list()
      } catch (error) {
        if (error instanceof BackupFailure) throw new DomainError('backup_failed', error.message)
        throw error
      }
    },

    run,
    flush,

    jobs: [
      { name: 'backup', pattern: cron, run },
      // Soon after a start, but not during it, and never in the same second as a scheduled backup.
      { name: 'overdue backup', pattern: '30 */5 * * * *', run: flush },
    ],

    async counters(): Promise<Family[]> {
      const { isOn, isRunning, isOverdue, last, nextAt } = await status()
      // An unreadable folder also makes backups fail, which the other metrics show.
      const newest = (await listOrNone())[0]
      const gauge = (name: string, help: string, value: number | undefined) =>
        single('gauge', `podstep_backup_${name}`, help, value)
      return [
        gauge('enabled', 'Whether the settings want backups: 1 or 0.', Number(isOn)),
        gauge('running', 'Whether a backup is being made: 1 or 0.', Number(isRunning)),
        gauge('overdue', 'Whether the last good backup is too old: 1 or 0.', Number(isOverdue)),
        gauge('last_attempt_timestamp_seconds', 'When the last backup was begun.', last?.at),
        gauge('last_success', 'Whether the last backup was made: 1 or 0.', last && Number('file' in last)),
        gauge('last_duration_seconds', 'How long the last backup took.', last?.seconds),
        gauge('newest_timestamp_seconds', 'When the newest backup in the folder was begun.', newest?.at),
        gauge('newest_size_bytes', 'Size of the newest backup in the folder.', newest?.bytes),
        gauge('next_timestamp_seconds', 'When the schedule makes the next one.', nextAt),
      ]
    },

    /** Returns undefined if the backup takes long. Throws `backups_disabled`, `backup_running`, `backup_failed`. */
    async make(actor: Actor): Promise<Extract<BackupResult, { file: string }> | undefined> {
      if (keep === 0) throw new DomainError('backups_disabled', whyOff)
      refuseSecond()
      await audit.add({ actor, at: clock.seconds() }, 'backup_requested')
      refuseSecond()
      const patience = Promise.withResolvers<undefined>()
      const cancelTimer = timer(ANSWER_AFTER_MS, () => patience.resolve(undefined))
      const result = await Promise.race([begin(), patience.promise])
      cancelTimer()
      if (result && 'cause' in result) throw new DomainError('backup_failed', `the backup failed: ${result.cause}`)
      return result
    },

    /** Aborts a running backup. `Background.idle` waits for it, for a few seconds at most. */
    stop(): void {
      isStopping = true
      store.abort()
      timer(STOP_AFTER_MS, () => store.abandon())
    },
  }

  function refuseSecond(): void {
    if (running) throw new DomainError('backup_running', 'a backup is already running; wait until it is done')
  }
}

/* Names of files in the backup folder. Only files with these names are ever removed. */

const NAME = /^podstep-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/
const LEFTOVER = /^podstep-\d{8}T\d{6}Z(?:-before-migration)?\.db\.partial(?:-journal|-wal|-shm)?$/

/** File name that sorts by time; `at` is in Unix seconds. */
export function backupName(at: number): string {
  return `podstep-${new Date(at * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`
}

/** Start time of the backup with this name; undefined for other names. */
export function backupTime(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(ms) ? undefined : ms / 1000
}

export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name)
}

/** First free name from `at` on. The name of `at` may be taken if the clock was set back. */
export function freeBackupName(at: number, taken: ReadonlySet<string>): string {
  let time = at
  while (taken.has(backupName(time))) time++
  return backupName(time)
}

/** The oldest backups beyond `keep`, but never `newName`, which was just made. */
export function surplusBackups(names: readonly string[], newName: string, keep: number): string[] {
  return names
    .filter((name) => name !== newName)
    .toSorted()
    .toReversed()
    .slice(keep - 1)
}
