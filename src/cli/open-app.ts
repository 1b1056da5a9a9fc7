import { existsSync, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type App, createApp } from '../app.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/options.ts'
import type { Actor } from '../domain/accounts/ports/audit-log.ts'
import { systemClock, systemTimer } from '../platform/clock.ts'
import { systemRandom } from '../platform/crypto.ts'
import { createLog } from '../platform/log.ts'
import { createPasswordHasher } from '../platform/password.ts'
import type { Secret } from '../platform/secret.ts'
import { messageOf } from '../platform/unknown.ts'
import type { Engine } from '../services/base.ts'
import { UnusableDatabase } from '../store/migrations.ts'
import { openPostgres } from '../store/postgres/connect.ts'
import { openLeaderLock } from '../store/postgres/leader.ts'
import { leaveMarker, type RunMarker } from '../store/sqlite/core/files/run-marker.ts'
import { lockDataDir, type OpenDatabase, type OpenOptions, openDatabase } from '../store/sqlite/core/open.ts'
import { explainFolder } from './doctor/words.ts'
import { VERSION } from './help.ts'
import { CommandError, type Io, isSystemError } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'

/** Commands may import from any address, such as a server in the home network. */
const ANYWHERE = ['0.0.0.0/0', '::/0']

export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

export const LOG_SET_ASIDE =
  'the database is another one than that of the last run; the changes in the log of that one are set aside'

/** Runs `work` on the application without a server, alone or alongside a running one, which keeps no copies of data. */
export async function withApp<T>(
  options: SettingOptions,
  io: Io,
  work: (app: App, context: { readonly config: Config; readonly isAlone: boolean }) => Promise<T>,
): Promise<T> {
  const { config, warnings } = readSettingsAsOwner(options, io)
  for (const warning of warnings) io.err(`warning: ${warning}\n`)
  const clock = systemClock()
  const now = clock.seconds()
  const database = config.database
    ? await openPostgresAlone(config.database, now)
    : openSqliteAlone(config.dataDir, now, io)
  const app = createApp(
    { ...config, importAllowPrivate: ANYWHERE },
    {
      engine: database.engine,
      clock,
      random: systemRandom(),
      hasher: createPasswordHasher(),
      log: createLog({ level: 'warn', format: 'pretty', write: (line) => io.err(line) }),
      version: VERSION,
    },
  )
  try {
    return await work(app, { config, isAlone: database.isAlone })
  } finally {
    await app.idle()
    app.end()
    await database.close()
  }
}

interface CommandDatabase {
  readonly engine: Engine
  /** Whether the command holds the lock that keeps servers from using the database. */
  readonly isAlone: boolean
  close(): void | Promise<void>
}

function openSqliteAlone(dataDir: string, now: number, io: Io): CommandDatabase {
  const release = tryLock(dataDir)
  const isAlone = release !== undefined
  const { db, foreignLog, close } = openDataFolder({ dataDir, version: VERSION, now, asItIs: !isAlone })
  if (foreignLog) io.err(`warning: ${LOG_SET_ASIDE}: ${foreignLog}\n`)
  return {
    engine: { sqlite: db },
    isAlone,
    close() {
      close()
      release?.()
    },
  }
}

/** Holds the lock of the active server while the command runs alone. */
async function openPostgresAlone(url: Secret, now: number): Promise<CommandDatabase> {
  const lock = await openLeaderLock({ url, timer: systemTimer })
  try {
    const isAlone = await lock.tryTake()
    const { connections, close } = await openPostgres({
      url,
      version: VERSION,
      now,
      timer: systemTimer,
      asItIs: !isAlone,
    })
    return {
      engine: { postgres: connections },
      isAlone,
      async close() {
        await close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Reads settings for a command that uses the data folder. Root becomes the owner of the folder before touching it. */
export function readSettingsAsOwner(options: SettingOptions, io: Io): LoadedConfig {
  const loaded = readSettings(options, io)
  becomeOwner(loaded.config.dataDir, io)
  return loaded
}

/** Switches root to the owner of a data folder, so that it leaves no files there that the server cannot use. */
export function becomeOwner(dataDir: string, io: Io): void {
  if (io.userId() !== 0) return
  const { uid, gid } = ownerOf(dataDir)
  if (uid === 0) return
  try {
    io.becomeUser({ uid, gid })
  } catch (error) {
    throw new CommandError(
      `error: the data folder ${dataDir} belongs to user ${uid}, and root cannot become that user here (${messageOf(error)}); run podstep as that user`,
    )
  }
}

function ownerOf(dataDir: string): Stats {
  if (!existsSync(dataDir)) return ownerOf(dirname(dataDir))
  const folder = statSync(dataDir)
  if (folder.uid !== 0 || !folder.isDirectory()) return folder
  return lstatSync(join(dataDir, 'podstep.db'), { throwIfNoEntry: false }) ?? folder
}

function tryLock(dataDir: string): (() => void) | undefined {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof UnusableDatabase) return undefined
    throw error
  }
}

export function lockDataFolder(dataDir: string): () => void {
  return explainFailure(dataDir, () => lockDataDir(dataDir))
}

export function openDataFolder(options: OpenOptions): OpenDatabase {
  return explainFailure(options.dataDir, () => openDatabase(options))
}

export function leaveMarkerIn(dataDir: string, { db, stampInFile }: OpenDatabase): RunMarker {
  const stamp = systemRandom().bytes(4)
  return explainFailure(dataDir, () =>
    leaveMarker({ dataDir, db, stampInFile, stamp: Buffer.from(stamp).readInt32BE() }),
  )
}

/** Adds folder and setting to a system error, which does not always name the path and never the setting. */
function explainFailure<T>(dataDir: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(
      `error: cannot use the data folder ${dataDir} (setting data_dir): ${error.message}${explainFolder(dataDir, error)}`,
    )
  }
}
