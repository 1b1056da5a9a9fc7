import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { startBackupWorker } from '../../adapters.ts'
import { BackupFailure, backupName } from '../../domain/server/backups.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { copyToSqlite } from '../../store/copy/copy.ts'
import { copyDatabase, partialCopyName, removeStaleCopies } from '../../store/sqlite/server/backups.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io, usageError } from '../io.ts'
import { readSettingsAsOwner } from '../open-app.ts'
import type { SettingOptions } from '../settings.ts'
import { createProgressPrinter, endProgress } from './copy.ts'

export interface BackupOptions extends SettingOptions {
  readonly force?: boolean | undefined
}

const INTERRUPTED = 130

export async function backup(words: readonly string[], options: BackupOptions, io: Io): Promise<number> {
  const [file, ...rest] = words
  if (rest[0] !== undefined) throw usageError(`backup: unexpected argument "${rest[0]}"; see podstep backup --help`)
  const { config, warnings } = readSettingsAsOwner(options, io)
  for (const warning of warnings) io.err(`warning: ${warning}\n`)
  const database = join(config.dataDir, 'podstep.db')
  if (!(config.database || existsSync(database)))
    throw new CommandError(`error: there is no database in ${config.dataDir} (setting data_dir)`)
  const { database: url } = config
  const copy: Copy = (target, now) => (url ? copyPostgres(url, target, now, io) : copySqlite(database, target, now, io))
  const now = systemClock().seconds()
  const backupFolder = join(config.dataDir, 'backups')
  if (file === '-') return toOutput(copy, join(backupFolder, backupName(now)), now, io)
  const target = file === undefined ? freeName(backupFolder, now) : targetOf(resolve(io.cwd, file), now)
  refuseTarget(target, database, options.force === true)
  if (file !== undefined && !existsSync(dirname(target)))
    throw new CommandError(`error: there is no folder ${dirname(target)}`)
  const bytes = await copy(target, now)
  if (bytes === undefined) return INTERRUPTED
  io.out(`${target}: ${megabytes(bytes)}, checked\n`)
  return 0
}

function targetOf(path: string, now: number): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, backupName(now)) : path
}

function freeName(folder: string, now: number): string {
  const path = join(folder, backupName(now))
  return existsSync(path) ? freeName(folder, now + 1) : path
}

function refuseTarget(target: string, database: string, isForced: boolean): void {
  const isDatabase = ['', '-wal', '-shm'].some((end) => isSameFile(target, `${database}${end}`))
  if (isDatabase) throw new CommandError(`error: ${target} is the database itself`)
  const file = statSync(target, { throwIfNoEntry: false })
  if (file && !file.isFile()) throw new CommandError(`error: ${target} is not a file`)
  if (file && !isForced) throw new CommandError(`error: there is already a file ${target}; add --force to replace it`)
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** Writes a verified copy and returns its size in bytes; undefined if it was interrupted. */
type Copy = (target: string, now: number) => Promise<number | undefined>

async function copySqlite(database: string, target: string, now: number, io: Io): Promise<number | undefined> {
  const [folder, name] = [dirname(target), basename(target)]
  let isInterrupted = false
  let shown = ''
  try {
    removeStaleCopies(folder, name, now)
    const { size, abort } = copyDatabase({
      ...{ database, folder, name, startWorker: startBackupWorker },
      onProgress({ pages, allPages }) {
        const text = pages === allPages ? 'checking the copy' : `copied ${Math.floor((100 * pages) / allPages)} %`
        if (io.isLogTerminal && text !== shown) io.err(`\r${text.padEnd(20)}`)
        shown = text
      },
    })
    io.onSignal(() => {
      isInterrupted = true
      abort()
    })
    return await size
  } catch (error) {
    if (!(error instanceof BackupFailure)) throw error
    if (!isInterrupted) throw new CommandError(`error: ${error.message}`)
    io.err('interrupted; no backup was written\n')
    return undefined
  } finally {
    if (io.isLogTerminal && shown !== '') io.err(`\r${''.padEnd(20)}\r`)
  }
}

async function copyPostgres(url: Secret, target: string, now: number, io: Io): Promise<number | undefined> {
  const [folder, name] = [dirname(target), basename(target)]
  const abort = new AbortController()
  io.onSignal(() => abort.abort())
  const showProgress = io.isLogTerminal ? createProgressPrinter(io) : undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    removeStaleCopies(folder, name, now)
    const partial = join(folder, partialCopyName(name))
    const options = { version: VERSION, now, partial, signal: abort.signal, onProgress: showProgress }
    return (await copyToSqlite(url, target, options)).bytes
  } catch (error) {
    if (!abort.signal.aborted) throw error
    io.err('interrupted; no backup was written\n')
    return undefined
  } finally {
    if (showProgress) endProgress(io)
  }
}

/** Writes only a complete, verified copy, so that a pipe never receives a truncated one that looks valid. */
async function toOutput(copy: Copy, target: string, now: number, io: Io): Promise<number> {
  const path = `${target}.copy`
  const bytes = await copy(path, now)
  if (bytes === undefined) return INTERRUPTED
  try {
    for await (const piece of Bun.file(path).stream()) await io.outBytes(piece)
  } finally {
    rmSync(path, { force: true })
  }
  return 0
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
