import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config/options.ts'
import { readBundle, type WebFiles } from '../http/web-files.ts'
import type { Job } from '../jobs.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/crypto.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createPasswordHasher } from '../platform/password.ts'
import type { OpenDatabase } from '../store/sqlite/core/open.ts'
import { addressesOf, greeting } from './greeting.ts'
import { VERSION } from './help.ts'
import { CommandError, type Io, isSystemError } from './io.ts'
import { leaveMarkerIn, lockDataFolder, openDataFolder } from './open-app.ts'
import { readSettings, type SettingOptions } from './settings.ts'

type Server = Bun.Server<undefined>

/** How long running requests may take to finish when the server is asked to stop. */
const STOP_DEADLINE_MS = 8000
/** Programs that guess passwords must not keep the server busy with errors; a person hardly notices. */
const REFUSAL_DELAY_MS = 1000
/** What can wait is not to delay the first responses. */
const JOBS_AFTER_MS = 500
/** Apps send what belongs together one request after the other; nobody misses a podcast in the directory so soon. */
const INDEX_PAUSE_MS = 100
/** Signals closer together than this are one request, made twice. */
const SAME_SIGNAL_MS = 100
/** Seconds without a byte before a connection is closed: enough for a slow phone, too little for idle attackers. */
const IDLE_SECONDS = 60
/** More than a file that is imported may have. The real limits are checked while reading, with an error object. */
const BUN_BODY_MAX = 1100 * 1024 * 1024

/** Runs the server until SIGTERM or SIGINT; a second signal does not wait. Exit code 0 after an orderly stop. */
export async function serve(options: SettingOptions, io: Io): Promise<number> {
  const { config, warnings, origins, file } = readSettings(options, io)
  const format = config.logFormat === 'auto' ? (io.isLogTerminal ? 'pretty' : 'json') : config.logFormat
  const isTold = config.logLevel === 'info' || config.logLevel === 'debug'
  const isForPeople = isTold && format === 'pretty' && io.isLogTerminal
  const log = createLog({ level: config.logLevel, format, write: (line) => io.err(line) })
  for (const warning of warnings) log.warn(warning)

  const clock = systemClock()
  // From here on, so that a signal while starting ends in an orderly stop as well.
  const stopWanted = signalled(io, clock, log)
  const release = lockDataFolder(config.dataDir)
  const database = openDataFolder({
    dataDir: config.dataDir,
    version: VERSION,
    now: clock.seconds(),
    onProgress: (migration, done, all) => log.info('migrating the database', { migration, done, all }),
  })
  if (database.backup) log.info('copied the database before migrating it', { backup: database.backup })
  // To a person it is no news that a new database is up to date.
  if (database.applied.length > 0 && !(isForPeople && database.backup === undefined))
    log.info('database is up to date', { applied: database.applied })
  const marker = leaveMarkerIn(config.dataDir)

  let listening: Server | undefined
  const app = createApp(config, {
    peerOf: (request) => listening?.requestIP(request)?.address,
    db: database.db,
    clock,
    random: systemRandom(),
    hasher: createPasswordHasher(),
    log,
    version: VERSION,
    origins,
    memoryBytes: () => io.memoryBytes(),
    fetchesNewFeeds: true,
    pause,
    indexPause: () => delay(INDEX_PAUSE_MS),
    delayRefusal: () => delay(REFUSAL_DELAY_MS),
    web: await readWebClient(),
  })
  try {
    await app.recover()
    const server = listen(config, app)
    listening = server
    const unschedule = schedule(app.jobs)
    const address = config.baseUrl?.href ?? addressOf(here(config.host), server)
    if (isForPeople) {
      const others = config.baseUrl || !isEverywhere(config.host) ? [] : addressesOf(io.interfaces())
      const elsewhere = others.map((other) => addressOf(other, server))
      const isFirstRun = await hasNoAccount(app, log)
      io.err(
        greeting({ version: VERSION, address, elsewhere, dataDir: config.dataDir, settingsFile: file, isFirstRun }),
      )
    } else
      log.info(`podstep ${VERSION} is ready`, {
        address,
        port: server.port,
        data_dir: config.dataDir,
        config: file ?? 'none',
        registration: config.registration,
      })
    if (marker.wasLeft) app.databaseCheck.begin()
    await stopWanted
    unschedule()
    await stop(server, app, log)
  } finally {
    // Once more where the server has not come to its stop: what was read last may still be open.
    app.end()
    const isPassed = app.databaseCheck.isPassed()
    if (close(database, log) && isPassed) marker.remove()
    release()
  }
  log.info('stopped')
  return 0
}

function listen({ host, port }: Config, app: App): Server {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BUN_BODY_MAX,
      // Not even in production: a second server on the port must be refused, not take every other request.
      reusePort: false,
      development: false,
      fetch: app.fetch,
    })
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(`error: cannot listen on ${host} port ${port} (settings host, port): ${error.message}`)
  }
}

/** One to five seconds, long after the response: nobody can tell from the time whether a mail was sent. */
async function pause(signal: AbortSignal): Promise<void> {
  const [chance = 0] = systemRandom().bytes(1)
  // Cut short by a stop of the server, which is no failure.
  await delay(1000 + (chance * 4000) / 255, undefined, { signal, ref: false }).catch(() => undefined)
}

/** A database that cannot be read does not keep the server from starting. */
async function hasNoAccount(app: App, log: Log): Promise<boolean> {
  try {
    return await app.services.serverInfo.isFirstRun()
  } catch (error) {
    log.error('cannot read from the database', { error })
    return false
  }
}

/** What to type on this machine; a server on all addresses is at localhost as well. */
function here(host: string): string {
  return isEverywhere(host) ? 'localhost' : host
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function addressOf(host: string, { port }: Server): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** No new connections and no idle ones from now on; requests are answered, and what was promised is on disk. */
async function stop(server: Server, app: App, log: Log): Promise<void> {
  app.beginStop()
  const stopped = server.stop()
  log.info('stopping')
  const cut = setTimeout(() => {
    log.warn('some requests took too long and were cut off')
    void server.stop(true)
  }, STOP_DEADLINE_MS)
  await stopped
  clearTimeout(cut)
  await app.idle()
  app.end()
}

/** On a full disk the write-ahead log cannot be moved into the database; it is as good where it is. */
function close(database: OpenDatabase, log: Log): boolean {
  try {
    database.close()
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    log.warn('could not tidy the database up while stopping; nothing is lost', { error })
    return false
  }
}

/** Settles at the first signal. A wrapper may pass on a Ctrl-C that we have got already: that is not a second one. */
function signalled(io: Io, clock: Clock, log: Log): Promise<void> {
  let first: number | undefined
  return new Promise((resolve) => {
    io.onSignal(() => {
      if (first === undefined) {
        first = clock.monotonic()
        resolve()
      } else if (clock.monotonic() - first >= SAME_SIGNAL_MS) {
        log.warn('stopped at once by a second signal')
        io.exit(1)
      }
    })
  })
}

/** Has the jobs run by the clock, and some of them soon, until the function returned is called. */
function schedule(jobs: readonly Job[]): () => void {
  let crons: readonly Cron[] = []
  const starting = setTimeout(() => {
    for (const { isForStart, run } of jobs) if (isForStart) run()
    // Nothing of this keeps the process alive.
    crons = jobs.map(({ pattern, run }) => new Cron(pattern, { unref: true }, run))
  }, JOBS_AFTER_MS)
  return () => {
    clearTimeout(starting)
    for (const cron of crons) cron.stop()
  }
}

/** The web client that the executable carries, or that `bun run build:web` has made. */
async function readWebClient(): Promise<WebFiles> {
  const { default: path } = await import('../../dist/web.bundle', { with: { type: 'file' } }).catch(() => {
    throw new CommandError('error: the web client is not built; run "bun run build:web" first')
  })
  return readBundle(await Bun.file(path).bytes())
}
