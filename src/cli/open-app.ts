import { existsSync, lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type App, createApp } from '../app.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/options.ts'
import type { Actor } from '../domain/accounts/ports/audit-log.ts'
import { systemClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/crypto.ts'
import { createLog } from '../platform/log.ts'
import { createPasswordHasher } from '../platform/password.ts'
import { messageOf } from '../platform/unknown.ts'
import { leaveMarker, type RunMarker } from '../store/sqlite/core/files/run-marker.ts'
import { UnusableDatabase } from '../store/sqlite/core/migrate.ts'
import { lockDataDir, type OpenDatabase, type OpenOptions, openDatabase } from '../store/sqlite/core/open.ts'
import { explainFolder } from './doctor/words.ts'
import { VERSION } from './help.ts'
import { CommandError, type Io, isSystemError } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'

/** Who runs commands on this machine may reach from it what they like: for `podstep import`, a server in the same home. */
const ANYWHERE = ['0.0.0.0/0', '::/0']

export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

export const LOG_SET_ASIDE =
  'the database is another one than that of the last run; the changes in the log of that one are set aside'

/** Runs `work` on the application without a server, alone or next to a running one, which keeps no copies. */
export async function withApp<T>(
  options: SettingOptions,
  io: Io,
  work: (app: App, context: { readonly config: Config; readonly isAlone: boolean }) => Promise<T>,
): Promise<T> {
  const { config, warnings } = readSettingsAsOwner(options, io)
  for (const warning of warnings) io.err(`warning: ${warning}\n`)
  const clock = systemClock()
  const release = tryLock(config.dataDir)
  const database = openDataFolder({
    dataDir: config.dataDir,
    version: VERSION,
    now: clock.seconds(),
    asItIs: release === undefined,
  })
  if (database.foreignLog) io.err(`warning: ${LOG_SET_ASIDE}: ${database.foreignLog}\n`)
  const app = createApp(
    { ...config, importAllowPrivate: ANYWHERE },
    {
      db: database.db,
      clock,
      random: systemRandom(),
      hasher: createPasswordHasher(),
      log: createLog({ level: 'warn', format: 'pretty', write: (line) => io.err(line) }),
      version: VERSION,
    },
  )
  try {
    return await work(app, { config, isAlone: release !== undefined })
  } finally {
    await app.idle()
    app.end()
    database.close()
    release?.()
  }
}

/** Settings of a command that uses the data folder. Root becomes the owner of the folder before touching it. */
export function readSettingsAsOwner(options: SettingOptions, io: Io): LoadedConfig {
  const loaded = readSettings(options, io)
  if (io.userId() !== 0) return loaded
  const { dataDir } = loaded.config
  const { uid, gid } = ownerOf(dataDir)
  if (uid === 0) return loaded
  try {
    io.becomeUser({ uid, gid })
  } catch (error) {
    throw new CommandError(
      `error: the data folder ${dataDir} belongs to user ${uid}, and root cannot become that user here (${messageOf(error)}); run podstep as that user`,
    )
  }
  return loaded
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
  return naming(dataDir, () => lockDataDir(dataDir))
}

export function openDataFolder(options: OpenOptions): OpenDatabase {
  return naming(options.dataDir, () => openDatabase(options))
}

export function leaveMarkerIn(dataDir: string, { db, stampInFile }: OpenDatabase): RunMarker {
  const stamp = systemRandom().bytes(4)
  return naming(dataDir, () => leaveMarker({ dataDir, db, stampInFile, stamp: Buffer.from(stamp).readInt32BE() }))
}

/** The system says what is wrong, but not always where, and never which setting names the place. */
function naming<T>(dataDir: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(
      `error: cannot use the data folder ${dataDir} (setting data_dir): ${error.message}${explainFolder(dataDir, error)}`,
    )
  }
}
