import { createApp } from '../app.ts'
import { systemClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/crypto.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createPasswordHasher } from '../platform/password.ts'
import { lockDataDir, openDatabase } from '../store/sqlite/open.ts'
import type { Io } from './io.ts'
import { readSettings, type SettingOptions } from './settings.ts'
import { VERSION } from './version.ts'

/** How long running requests may take to finish when the server is asked to stop. */
const STOP_DEADLINE_MS = 8000
/** Seconds without a byte before a connection is closed: enough for a slow phone, too little for thousands of idle attackers. */
const IDLE_SECONDS = 60
/** The real limit is checked while reading and answered with an error object; this one only bounds what Bun itself would buffer. */
const BUN_BODY_MAX = 64 * 1024 * 1024

/** Runs the server until SIGTERM or SIGINT; a second signal does not wait. Exit code 0 after an orderly stop. */
export async function serve(options: SettingOptions, io: Io): Promise<number> {
  const { config, warnings, file } = readSettings(options, io)
  const format = config.logFormat === 'auto' ? (io.isLogTerminal ? 'pretty' : 'json') : config.logFormat
  const log = createLog({ level: config.logLevel, format, write: (line) => io.err(line) })
  for (const warning of warnings) log.warn(warning)

  const clock = systemClock()
  const release = lockDataDir(config.dataDir)
  const database = openDatabase({ dataDir: config.dataDir, version: VERSION, now: clock.seconds() })
  if (database.backup) log.info('copied the database before migrating it', { backup: database.backup })
  if (database.applied.length > 0) log.info('database is up to date', { applied: database.applied })

  const app = createApp(config, {
    db: database.db,
    clock,
    random: systemRandom(),
    hasher: createPasswordHasher(),
    log,
    version: VERSION,
  })
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BUN_BODY_MAX,
    development: false,
    fetch: app.fetch,
  })
  app.setPeerOf((request) => server.requestIP(request)?.address)
  log.info(`podstep ${VERSION} is ready`, {
    address: config.baseUrl?.href ?? `http://${server.hostname}:${server.port}`,
    port: server.port,
    data_dir: config.dataDir,
    config: file ?? 'none',
    registration: config.registration,
  })

  await signalled(io, log)
  log.info('stopping')
  app.beginStop()
  const cut = setTimeout(() => {
    log.warn('some requests took too long and were cut off')
    void server.stop(true)
  }, STOP_DEADLINE_MS)
  await server.stop()
  clearTimeout(cut)
  await app.idle()
  database.close()
  release()
  log.info('stopped')
  return 0
}

function signalled(io: Io, log: Log): Promise<void> {
  let first = true
  return new Promise((resolve) => {
    io.onSignal(() => {
      if (!first) {
        log.warn('stopped at once by a second signal')
        io.exit(1)
      }
      first = false
      resolve()
    })
  })
}
