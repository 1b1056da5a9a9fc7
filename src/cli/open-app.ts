import { type App, createApp } from '../app.ts'
import type { Actor } from '../domain/account-ports.ts'
import { systemClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/crypto.ts'
import { createLog } from '../platform/log.ts'
import { createPasswordHasher } from '../platform/password.ts'
import { UnusableDatabase } from '../store/sqlite/migrate.ts'
import { lockDataFolder, openDataFolder } from './data-folder.ts'
import type { Io } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'
import { VERSION } from './version.ts'

/** Who it is that administers here. */
export const COMMAND_LINE: Actor = { name: undefined, via: 'command_line' }

/**
 * Runs `work` on the application without a server: alone, or beside a running one, which sees the changes at once because it
 * keeps no copy of what they touch. An older database is migrated only when nobody else uses it.
 */
export async function withApp<T>(options: SettingOptions, io: Io, work: (app: App) => Promise<T>): Promise<T> {
  const { config, warnings } = readSettings(options, io)
  for (const warning of warnings) io.err(`warning: ${warning}\n`)
  const clock = systemClock()
  const release = tryLock(config.dataDir)
  const database = openDataFolder({
    dataDir: config.dataDir,
    version: VERSION,
    now: clock.seconds(),
    asItIs: release === undefined,
  })
  const app = createApp(config, {
    db: database.db,
    clock,
    random: systemRandom(),
    hasher: createPasswordHasher(),
    log: createLog({ level: 'warn', format: 'pretty', write: (line) => io.err(line) }),
    version: VERSION,
  })
  try {
    return await work(app)
  } finally {
    await app.idle()
    database.close()
    release?.()
  }
}

function tryLock(dataDir: string): (() => void) | undefined {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof UnusableDatabase) return undefined
    throw error
  }
}
