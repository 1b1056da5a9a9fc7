import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/options.ts'
import { backupTime } from '../../domain/server/backups.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import { nextTime } from '../../platform/cron.ts'
import { messageOf } from '../../platform/unknown.ts'
import { type Check, type Finding, failed, ok, skipped, warning } from './checks.ts'
import { readFolder, troubleOf } from './data-folder.ts'

export interface LocalParts {
  readonly config: Pick<Config, 'dataDir' | 'backupCron' | 'backupKeep'>
  /** The configuration file, as an absolute path, and whether it holds passwords. */
  readonly file: { readonly path: string; readonly hasSecrets: boolean } | undefined
  readonly warnings: readonly string[]
  readonly clock: Clock
  readonly timer: Timer
  /** Reads the whole database; resolves with the faults. */
  readonly quickCheck: (path: string) => Promise<readonly string[]>
}

const DAY = 86_400
const CHECK_MS = 120_000
const ROOM_BYTES = 64_000_000
/** A copy of the database and a little more, as backups and upgrades need it. */
const ROOM_FACTOR = 1.2

/** What can be seen on this machine, without a network and without the application. */
export function localChecks(parts: LocalParts): readonly Check[] {
  const { config, clock } = parts
  const database = join(config.dataDir, 'podstep.db')
  /** What is in a folder that cannot be used cannot be seen either, and is not missing. */
  const inside = (look: () => Finding | Promise<Finding>) => () =>
    troubleOf(readFolder(config.dataDir)) ? skipped('the data folder cannot be used') : look()
  return [
    { name: 'settings', run: () => settings(parts) },
    { name: 'data folder', run: () => dataFolder(config.dataDir) },
    { name: 'disk space', run: inside(() => diskSpace(config.dataDir, database)) },
    { name: 'database', run: inside(() => soundness(database, parts)) },
    { name: 'backup', run: inside(() => lastBackup(config, database, clock.seconds())) },
  ]
}

function settings({ file, warnings }: LocalParts): Finding {
  const mode = file && statSync(file.path).mode & 0o7777
  if (file?.hasSecrets && mode !== undefined && (mode & 0o004) !== 0)
    return warning(
      `${file.path} holds passwords, and every user of this machine can read it (mode ${octal(mode)})`,
      `sudo chmod o-rwx ${file.path}`,
    )
  if (warnings.length > 0)
    return warning(warnings.join('; '), 'see docs/configuration.md; podstep check-config lists all')
  return ok(file ? file.path : 'no configuration file')
}

function dataFolder(dataDir: string): Finding {
  const facts = readFolder(dataDir)
  const trouble = troubleOf(facts)
  if (trouble) return failed(trouble.what, trouble.remedy)
  const folder = facts.folders.at(-1)
  if (folder?.path !== dataDir) return ok(`${dataDir} does not exist yet and can be made`)
  const open = facts.files.find(({ mode }) => (mode & 0o077) !== 0)
  // What nobody else may enter protects the files that are in it.
  if (open && (folder.mode & 0o077) !== 0)
    return warning(
      `${open.path} can be opened by other users (mode ${octal(open.mode & 0o7777)})`,
      `chmod 700 ${dataDir}`,
    )
  return ok(`${dataDir}, uid ${folder.uid}, gid ${folder.gid}, mode ${octal(folder.mode & 0o7777)}`)
}

function diskSpace(dataDir: string, database: string): Finding {
  const { freeBytes = 0 } = readFolder(dataDir)
  const size = ['', '-wal'].reduce(
    (sum, end) => sum + (statSync(database + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const needed = Math.ceil(size * ROOM_FACTOR) + ROOM_BYTES
  const observed = `${megabytes(freeBytes)} free; the database takes ${megabytes(size)}`
  return freeBytes < needed
    ? warning(observed, `make room: backups and upgrades need about ${megabytes(needed)}`)
    : ok(observed)
}

async function soundness(path: string, { quickCheck, timer }: LocalParts): Promise<Finding> {
  if (!existsSync(path)) return skipped('there is no database yet')
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const cancel = timer(CHECK_MS, () => resolve('late'))
  try {
    const faults = await Promise.race([quickCheck(path), late])
    if (faults === 'late') return skipped(`not checked to the end within ${CHECK_MS / 1000} seconds`)
    if (faults.length === 0) return ok('intact')
    return failed(
      `damaged: ${faults.join('; ')}`,
      'stop the server and restore the latest good backup: podstep restore',
    )
  } catch (error) {
    return failed(`cannot be read: ${messageOf(error)}`, 'check the disk and the permissions of the data folder')
  } finally {
    cancel()
  }
}

function lastBackup({ dataDir, backupCron, backupKeep }: LocalParts['config'], database: string, now: number): Finding {
  if (!existsSync(database)) return skipped('there is no database yet')
  const folder = join(dataDir, 'backups')
  const times = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => backupTime(name) ?? [])
  if (times.length === 0)
    return backupKeep === 0
      ? skipped('scheduled backups are off (backup_keep = 0)')
      : warning('there is none yet', 'leave the server running over night, or make one now: podstep backup')
  const last = Math.max(...times)
  const observed = `the last one is of ${new Date(last * 1000).toISOString()}`
  if (backupKeep === 0) return ok(`${observed}; scheduled backups are off (backup_keep = 0)`)
  const due = nextTime(backupCron, last)
  return due !== undefined && due + DAY < now
    ? warning(
        `${observed} and the next was due a day or more ago`,
        'make one now and read why it fails: podstep backup',
      )
    : ok(observed)
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
