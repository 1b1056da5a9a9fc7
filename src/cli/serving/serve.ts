import type { App } from '../../app.ts'
import type { Config } from '../../config/options.ts'
import { riskyFileSystemOf } from '../../doctor/data-folder.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { partsOf } from '../../store/postgres/connect.ts'
import { addressesElsewhere, addressOf, connectableHost, isEverywhere } from '../addresses.ts'
import { greeting } from '../greeting.ts'
import { VERSION } from '../help.ts'
import type { Io } from '../io.ts'
import type { Server } from '../listening/listener.ts'
import { LOG_SET_ASIDE, leaveMarkerIn, lockDataFolder, openDataFolder, readSettingsAsOwner } from '../open-app.ts'
import type { SettingOptions } from '../settings.ts'
import { runServer, signalled } from './server-process.ts'
import { runStandby } from './standby.ts'

const RISKY_FILE_SYSTEM =
  'the data folder is on a network drive or a shared folder, where databases get damaged: move it to a disk of this machine, or into a named volume'

export async function serve(options: SettingOptions, io: Io): Promise<number> {
  const settings = readSettingsAsOwner(options, io)
  const { config, warnings, file } = settings
  const format = config.logFormat === 'auto' ? (io.isLogTerminal ? 'pretty' : 'json') : config.logFormat
  const logsInfo = config.logLevel === 'info' || config.logLevel === 'debug'
  const isForPeople = logsInfo && format === 'pretty' && io.isLogTerminal
  const log = createLog({ level: config.logLevel, format, write: (line) => io.err(line) })
  for (const warning of warnings) log.warn(warning)

  const clock = systemClock()
  // Registered early, so that a signal during startup also leads to an orderly stop.
  const stopWanted = signalled(io, clock, log)
  const release = lockDataFolder(config.dataDir)

  /** `data`: location of the data, as shown to the user. */
  async function onReady(app: App, server: Server, data: string): Promise<void> {
    const address = config.baseUrl?.href ?? config.listen ?? addressOf(connectableHost(config.host), server)
    if (isForPeople) {
      const elsewhere =
        config.baseUrl || config.listen !== undefined || !isEverywhere(config.host)
          ? []
          : addressesElsewhere(config.host, io, server)
      const isFirstRun = await hasNoAccount(app, log)
      io.err(greeting({ version: VERSION, address, elsewhere, data, settingsFile: file, isFirstRun }))
    } else
      log.info(`podstep ${VERSION} is ready`, {
        address,
        ...(config.listen === undefined ? { port: server.port } : { listen: config.listen }),
        data_dir: config.dataDir,
        ...(config.database && { database: data }),
        config: file ?? 'none',
        registration: config.registration,
      })
  }

  const parts = { settings, io, clock, log, stopWanted }
  if (config.database) {
    const { database, host } = partsOf(config.database)
    const data = `PostgreSQL at ${host}, database ${database}`
    try {
      await runStandby({ ...parts, url: config.database, onReady: (app, server) => onReady(app, server, data) })
    } finally {
      release()
    }
  } else {
    const { database, marker } = openSqlite(config, { clock, log, isForPeople })
    await runServer({
      ...parts,
      database,
      async onReady(app, server) {
        await onReady(app, server, config.dataDir)
        if (marker.isStale) app.databaseCheck.begin()
      },
      onClosed(isInOrder) {
        if (isInOrder) marker.remove()
        release()
      },
    })
  }
  log.info('stopped')
  return 0
}

interface OpeningParts {
  readonly clock: Clock
  readonly log: Log
  readonly isForPeople: boolean
}

function openSqlite({ dataDir }: Config, { clock, log, isForPeople }: OpeningParts) {
  const database = openDataFolder({
    dataDir,
    version: VERSION,
    now: clock.seconds(),
    onProgress: (migration, done, all) => log.info('migrating the database', { migration, done, all }),
  })
  if (database.backup) log.info('copied the database before migrating it', { backup: database.backup })
  if (database.foreignLog) log.warn(LOG_SET_ASIDE, { log: database.foreignLog })
  if (database.applied.length > 0 && !(isForPeople && database.backup === undefined))
    log.info('database is up to date', { applied: database.applied })
  const marker = leaveMarkerIn(dataDir, database)
  const type = riskyFileSystemOf(dataDir)
  if (type !== undefined) log.warn(RISKY_FILE_SYSTEM, { data_dir: dataDir, type })
  return { database, marker }
}

async function hasNoAccount(app: App, log: Log): Promise<boolean> {
  try {
    return await app.services.serverInfo.isFirstRun()
  } catch (error) {
    log.error('cannot read from the database', { error })
    return false
  }
}
