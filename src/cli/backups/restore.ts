import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { backupTime } from '../../domain/server/backups.ts'
import { systemClock } from '../../platform/clock.ts'
import { UnusableDatabase } from '../../store/migrations.ts'
import { type PreparedRestore, prepareRestore, RestoreFailure } from '../../store/sqlite/server/restore.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io, usageError } from '../io.ts'
import { lockDataFolder, readSettingsAsOwner } from '../open-app.ts'
import type { SettingOptions } from '../settings.ts'

export interface RestoreOptions extends SettingOptions {
  readonly yes?: boolean | undefined
}

export async function restore(words: readonly string[], options: RestoreOptions, io: Io): Promise<number> {
  const [file, ...rest] = words
  if (file === undefined || file === '') throw usageError('restore: which file? See podstep restore --help')
  if (rest[0] !== undefined) throw usageError(`restore: unexpected argument "${rest[0]}"; see podstep restore --help`)
  if (!(options.yes || io.isTerminal)) throw usageError('restore: add --yes to restore without being asked')
  const { config, warnings } = readSettingsAsOwner(options, io)
  for (const warning of warnings) io.err(`warning: ${warning}\n`)
  if (config.database)
    throw new CommandError(
      'error: the database is PostgreSQL (setting database): restore a dump with pg_restore; a file of podstep backup is restored into an empty folder without this setting, and from there by podstep copy. Nothing was changed',
    )
  const source = resolve(io.cwd, file)
  const release = lock(config.dataDir)
  try {
    const now = systemClock().seconds()
    const prepared = await prepareRestore({ source, dataDir: config.dataDir, version: VERSION, now })
    try {
      io.err(describe(source, prepared))
      if (!options.yes) await confirm(config.dataDir, io)
      const aside = prepared.exchange()
      io.out(`restored ${source}\n`)
      if (aside !== undefined)
        io.out(`the database until now is ${aside}; remove it when you do not need it any more\n`)
    } finally {
      prepared.discard()
    }
    return 0
  } catch (error) {
    if (error instanceof RestoreFailure) throw new CommandError(`error: ${error.message}. Nothing was changed`)
    throw error
  } finally {
    release()
  }
}

/** Keeps servers and other commands out until the returned function is called. */
function lock(dataDir: string): () => void {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error
    throw new CommandError(
      `error: a server, or another command, is using ${dataDir}; stop it first. Nothing was changed`,
    )
  }
}

function describe(source: string, { users, subscriptions, changedAt, applied }: PreparedRestore): string {
  const madeAt = backupTime(basename(source)) ?? Math.floor(statSync(source).mtimeMs / 1000)
  const lines = [
    `${source}`,
    `  made           ${dateOf(madeAt)}`,
    `  last change    ${changedAt === undefined ? 'none' : dateOf(changedAt)}`,
    `  users          ${users}`,
    `  subscriptions  ${subscriptions}`,
    ...(applied.length > 0 ? ['  It is of an older version, and is brought up to date.'] : []),
  ]
  return `${lines.join('\n')}\n`
}

function dateOf(at: number): string {
  return `${new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

async function confirm(dataDir: string, io: Io): Promise<void> {
  const question = existsSync(`${dataDir}/podstep.db`)
    ? 'This replaces the database; what was changed since the backup will be missing. Type yes to restore: '
    : 'Type yes to restore: '
  const typed = await io.ask(question)
  if (typed?.trim().toLowerCase() !== 'yes') throw new CommandError('nothing was changed')
}
