import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/options.ts'
import { type BackupStatus, backupTime } from '../domain/server/backups.ts'
import { type Check, type Finding, found, type PostgresFacts, type RunningServer } from '../domain/server/doctor.ts'
import type { Clock } from '../platform/clock.ts'
import { nextTime } from '../platform/cron.ts'
import { messageOf } from '../platform/unknown.ts'
import { type FolderFacts, findProblem, octal, readFolder, shell } from './data-folder.ts'
import { postgresFinding } from './postgres.ts'

export interface LocalParts {
  readonly config: Pick<Config, 'dataDir' | 'backupCron' | 'backupKeep' | 'outbound'>
  readonly file: { readonly path: string; readonly hasSecrets: boolean } | undefined
  readonly warnings: readonly string[]
  readonly clock: Clock
  readonly quickCheck: () => Promise<readonly string[]>
  readonly databaseMs: number
  /** Undefined if the database is SQLite. */
  readonly postgres?: (() => Promise<PostgresFacts>) | undefined
  readonly hash: () => Promise<unknown>
  readonly tryFeedWorker: (signal: AbortSignal) => Promise<void>
  /** Facts that only the running server knows. */
  readonly running?: RunningServer | undefined
}

const DAY = 86_400
const ROOM_BYTES = 64_000_000
const ROOM_FACTOR = 1.2
/** Above this, a family that opens its apps at the same time notices the wait. */
const HASH_MS = 1000

export function localChecks(parts: LocalParts): readonly Check[] {
  const { config, running, postgres } = parts
  return [
    { name: 'settings', ...atOnce(() => settings(parts)) },
    { name: 'data_folder', ...atOnce(() => dataFolder(readFolder(config.dataDir))) },
    ...(postgres ? postgresChecks(postgres) : sqliteChecks(parts)),
    ...(running ? [{ name: 'users', ...atOnce(async () => usersFinding(await running.users())) } as const] : []),
    { name: 'passwords', run: () => passwords(parts) },
    { name: 'feed_worker', run: (signal) => feedWorker(parts, signal) },
  ]
}

/** Files, disk and backups of PostgreSQL may be on another machine, or managed by someone else. */
function postgresChecks(read: () => Promise<PostgresFacts>): readonly Check[] {
  return [
    { name: 'database', ...atOnce(() => postgresFinding(read)) },
    { name: 'backup', ...atOnce(() => found('backup_postgres')) },
  ]
}

function sqliteChecks(parts: LocalParts): readonly Check[] {
  const { config, running } = parts
  const database = join(config.dataDir, 'podstep.db')
  /** Skips checks inside a folder that cannot be used: files that are not visible are not necessarily missing. */
  const inside = (look: () => Finding | Promise<Finding>) => () =>
    findProblem(readFolder(config.dataDir)) ? found('folder_skipped') : look()
  return [
    { name: 'disk_space', ...atOnce(inside(() => diskSpace(config.dataDir, database))) },
    {
      name: 'database',
      limitMs: parts.databaseMs,
      late: 'database_late',
      run: inside(() => soundness(database, parts)),
    },
    {
      ...{ name: 'backup' },
      ...atOnce(inside(async () => (running ? backupFinding(await running.backups()) : lastBackup(parts, database)))),
    },
  ]
}

function atOnce(run: () => Finding | Promise<Finding>): Pick<Check, 'run' | 'glance'> {
  return { run, glance: run }
}

function usersFinding(n: number): Finding {
  return n > 1 ? found('users_ok', { n }) : found('users_alone')
}

/** A failure is reported until a backup succeeds, an old backup until there is a newer one. */
export function backupFinding({ isOn, last, lastGood, isOverdue }: BackupStatus): Finding {
  if (!isOn) return found('backup_off')
  if (last && 'cause' in last) return found('backup_failed', { at: last.at }, { cause: last.cause })
  if (!lastGood) return found('backup_none')
  return found(isOverdue ? 'backup_overdue' : 'backup_ok', { at: lastGood.at })
}

function podstep(command: string, file: LocalParts['file']): string {
  return file ? `podstep ${command} --config ${shell(file.path)}` : `podstep ${command}`
}

function settings({ file, warnings }: LocalParts): Finding {
  const mode = file && statSync(file.path).mode
  if (file?.hasSecrets && mode !== undefined && (mode & 0o004) !== 0)
    return found(
      'settings_open',
      { path: file.path, mode: octal(mode) },
      { command: `sudo chmod o-rwx ${shell(file.path)}` },
    )
  if (warnings.length > 0)
    return found('settings_odd', {}, { cause: warnings.join('; '), command: podstep('check-config', file) })
  return file ? found('settings_ok', { path: file.path }) : found('settings_none')
}

export function dataFolder(facts: FolderFacts): Finding {
  const { dataDir } = facts
  const problem = findProblem(facts)
  if (problem) return problem
  if (facts.riskyFileSystem !== undefined)
    return found('folder_network', { path: dataDir, type: facts.riskyFileSystem })
  const folder = facts.folders.at(-1)
  if (folder?.path !== dataDir) return found('folder_new', { folder: dataDir })
  const open = facts.files.find(({ mode }) => (mode & 0o077) !== 0)
  // A folder that is closed to other users protects the files in it.
  if (open && (folder.mode & 0o077) !== 0)
    return found('folder_open', { path: open.path, mode: octal(open.mode) }, { command: `chmod 700 ${shell(dataDir)}` })
  return found('folder_ok', { path: dataDir, owner: folder.uid, group: folder.gid, mode: octal(folder.mode) })
}

function diskSpace(dataDir: string, database: string): Finding {
  const { freeBytes: free = 0 } = readFolder(dataDir)
  const size = ['', '-wal'].reduce(
    (sum, end) => sum + (statSync(database + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const needed = Math.ceil(size * ROOM_FACTOR) + ROOM_BYTES
  return free < needed
    ? found('space_low', { free, size, needed }, { command: `df -h ${shell(dataDir)}` })
    : found('space_ok', { free, size })
}

async function soundness(path: string, { quickCheck, file }: LocalParts): Promise<Finding> {
  if (!existsSync(path)) return found('database_none')
  try {
    const faults = await quickCheck()
    if (faults.length === 0) return found('database_ok')
    return found('database_damaged', {}, { cause: faults.join('; '), command: podstep('restore', file) })
  } catch (error) {
    return found('database_unreadable', {}, { cause: messageOf(error) })
  }
}

function lastBackup({ config, file, clock }: LocalParts, database: string): Finding {
  const { dataDir, backupCron, backupKeep } = config
  if (!existsSync(database)) return found('database_none')
  const folder = join(dataDir, 'backups')
  const times = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => backupTime(name) ?? [])
  const command = podstep('backup', file)
  if (times.length === 0) return backupKeep === 0 ? found('backup_off') : found('backup_none', {}, { command })
  const at = Math.max(...times)
  const dueAt = backupKeep === 0 ? undefined : nextTime(backupCron, at)
  return dueAt !== undefined && dueAt + DAY < clock.seconds()
    ? found('backup_overdue', { at }, { command })
    : found('backup_ok', { at })
}

async function passwords({ hash, clock }: LocalParts): Promise<Finding> {
  const start = clock.monotonic()
  await hash()
  const ms = Math.round(clock.monotonic() - start)
  return found(ms > HASH_MS ? 'passwords_slow' : 'passwords_ok', { ms })
}

async function feedWorker({ config, tryFeedWorker, clock }: LocalParts, signal: AbortSignal): Promise<Finding> {
  if (config.outbound === 'off') return found('feed_worker_off')
  const start = clock.monotonic()
  try {
    await tryFeedWorker(signal)
    return found('feed_worker_ok', { ms: Math.round(clock.monotonic() - start) })
  } catch (error) {
    return found('feed_worker_failed', {}, { cause: messageOf(error) })
  }
}
