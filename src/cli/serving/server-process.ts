import { closeSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import { type App, createApp } from '../../app.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { type Certificate, readCertificate } from '../../doctor/certificates.ts'
import type { Job } from '../../domain/shared/service.ts'
import { readBundle, type WebFiles } from '../../http/web-files.ts'
import type { Clock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { isOutOfFiles } from '../../platform/open-files.ts'
import { createPasswordHasher } from '../../platform/password.ts'
import type { Engine } from '../../services/base.ts'
import type { OpenDatabase } from '../../store/sqlite/core/open.ts'
import { addressesElsewhere } from '../addresses.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io, isSystemError } from '../io.ts'
import { createCertificateRenewal } from '../listening/certificates.ts'
import { createListener, type Listener, type Server } from '../listening/listener.ts'

const STOP_DEADLINE_MS = 8000
/** Slows down programs that guess passwords; a person hardly notices. */
const REFUSAL_DELAY_MS = 1000
/** Delay of background jobs after startup, so that they do not slow down the first responses. */
const JOBS_AFTER_MS = 500
/** Apps send related changes in consecutive requests. A pause lets the indexer handle them together. */
const INDEX_PAUSE_MS = 1000
const SAME_SIGNAL_MS = 100
const CERTIFICATE_LOOK_MS = 60_000
/** Interval of checks whether files can be opened: the system does not report that it keeps connections waiting. */
const FILES_LOOK_MS = 2000

/** Options of a server on either engine. */
export interface ServerParts {
  readonly settings: LoadedConfig
  readonly io: Io
  readonly clock: Clock
  readonly log: Log
}

export interface ServerRun extends ServerParts {
  readonly database: OpenDatabase
  /** Handles requests that are not meant for the application; undefined for all others. */
  readonly respondFirst?: FirstResponder
  onReady(app: App, server: Server): Promise<void>
  readonly stopWanted: Promise<void>
  /** Called last. `isInOrder`: the database was closed cleanly and has no known fault. */
  onClosed?(isInOrder: boolean): void
}

export type FirstResponder = (request: Request) => Response | undefined

/** Runs a server on SQLite. */
export async function runServer(run: ServerRun): Promise<void> {
  const { settings, clock, log, database, respondFirst } = run
  const listener = createListener(settings.config, (request) => respondFirst?.(request) ?? app.fetch(request))
  const app: App = createServerApp(run, { engine: { sqlite: database.db }, listener, web: await readWebClient() })
  try {
    const certificate = readCertificates(run)
    await app.recover()
    const server = await listener.start(certificate)
    const endWatching = watch(run, listener, certificate)
    const unschedule = schedule(app.jobs)
    await run.onReady(app, server)
    await run.stopWanted
    unschedule()
    endWatching()
    await stop(listener, app, log)
  } finally {
    // Repeated here in case `stop` did not run: the last read may still be open.
    app.end()
    const isPassed = app.databaseCheck.isPassed()
    const isOverwritten = app.databaseCheck.isOverwritten()
    if (isOverwritten) database.abandonLog(clock.seconds())
    const isClosed = !isOverwritten && close(database, log)
    run.onClosed?.(isClosed && isPassed)
  }
}

interface AppOptions {
  readonly engine: Engine
  readonly listener: Listener
  readonly web: WebFiles
}

export function createServerApp(parts: ServerParts, { engine, listener, web }: AppOptions): App {
  const { settings, io, clock, log } = parts
  const { config } = settings
  return createApp(config, {
    peerOf: listener.peerOf,
    idleLimit: listener.idleLimit,
    engine,
    clock,
    random: systemRandom(),
    hasher: createPasswordHasher(),
    log,
    version: VERSION,
    settings,
    memoryBytes: () => io.memoryBytes(),
    addresses() {
      const server = listener.server()
      return server && config.listen === undefined ? addressesElsewhere(config.host, io, server) : []
    },
    fetchesNewFeeds: true,
    pause,
    indexPause: () => delay(INDEX_PAUSE_MS),
    delayRefusal: () => delay(REFUSAL_DELAY_MS),
    web,
  })
}

function certificateFiles({ settings: { config } }: ServerParts) {
  const { tlsCert, tlsKey } = config
  return tlsCert !== undefined && tlsKey !== undefined ? { tlsCert, tlsKey } : undefined
}

/** The initial certificate; undefined without TLS. */
export function readCertificates(parts: ServerParts): Certificate | undefined {
  const files = certificateFiles(parts)
  const certificate = files && readCertificate(files, parts.clock.seconds())
  for (const warning of certificate?.warnings ?? []) parts.log.warn(warning)
  return certificate
}

/** Watches for new certificates and for a lack of file descriptors until the returned function is called. */
export function watch(parts: ServerParts, listener: Listener, certificate: Certificate | undefined): () => void {
  const { io, clock, log } = parts
  const files = certificateFiles(parts)
  const renew =
    files &&
    certificate &&
    createCertificateRenewal(files, certificate, { now: clock.seconds, use: listener.useCertificate, log })
  const looking = renew && setInterval(renew, CERTIFICATE_LOOK_MS)
  looking?.unref()
  if (renew) io.onHangup(renew)
  const watching = setInterval(createFileWatch(log), FILES_LOOK_MS)
  watching.unref()
  return () => {
    clearInterval(looking)
    clearInterval(watching)
  }
}

/** Waits one to five seconds, so that response times do not reveal whether a mail was sent. */
async function pause(signal: AbortSignal): Promise<void> {
  const [chance = 0] = systemRandom().bytes(1)
  // Aborted when the server stops, which is not an error.
  await delay(1000 + (chance * 4000) / 255, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Lets running requests finish within `STOP_DEADLINE_MS`. */
export async function stop(listener: Listener, app: App, log: Log): Promise<void> {
  app.beginStop()
  const stopped = listener.stop()
  log.info('stopping')
  const cut = setTimeout(() => {
    log.warn('some requests took too long and were cut off')
    void listener.stop(true)
  }, STOP_DEADLINE_MS)
  await stopped
  clearTimeout(cut)
  await app.idle()
  app.end()
}

/** Returns false if the final checkpoint fails, as on a full disk. The data is safe in the write-ahead log. */
function close(database: OpenDatabase, log: Log): boolean {
  try {
    database.close()
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    log.warn('the last checkpoint failed while stopping; nothing is lost', { error })
    return false
  }
}

function createFileWatch(log: Log): () => void {
  let isOut = false
  return () => {
    const wasOut = isOut
    isOut = cannotOpenFiles()
    if (isOut && !wasOut)
      log.error(
        'no more connections and files can be opened: raise the limit of the server ' +
          '(LimitNOFILE of systemd, ulimit -n), or let the reverse proxy keep fewer connections open',
      )
    else if (wasOut && !isOut) log.info('connections and files can be opened again')
  }
}

function cannotOpenFiles(): boolean {
  try {
    closeSync(openSync('.', 'r'))
    return false
  } catch (error) {
    return isOutOfFiles(error)
  }
}

export interface SignalOptions {
  readonly beforeExit?: () => void
  readonly isBoundToTerminal?: boolean
}

/** Settles at the first signal. Ignores a duplicate from a wrapper that forwards a Ctrl-C already received here. */
export function signalled(io: Io, clock: Clock, log: Log, options: SignalOptions = {}): Promise<void> {
  let first: number | undefined
  return new Promise((resolve) => {
    function onSignal(): void {
      if (first === undefined) {
        first = clock.monotonic()
        resolve()
      } else if (clock.monotonic() - first >= SAME_SIGNAL_MS) {
        log.warn('stopped at once by a second signal')
        options.beforeExit?.()
        io.exit(1)
      }
    }
    io.onSignal(onSignal)
    if (options.isBoundToTerminal) io.onHangup(onSignal)
  })
}

export function schedule(jobs: readonly Job[]): () => void {
  let crons: readonly Cron[] = []
  const starting = setTimeout(() => {
    for (const { isForStart, run } of jobs) if (isForStart) run()
    crons = jobs.map(({ pattern, run }) => new Cron(pattern, { unref: true }, () => void run()))
  }, JOBS_AFTER_MS)
  return () => {
    clearTimeout(starting)
    for (const cron of crons) cron.stop()
  }
}

export async function readWebClient(): Promise<WebFiles> {
  const { default: path } = await import('../../../dist/web.bundle', { with: { type: 'file' } }).catch(() => {
    throw new CommandError('error: the web client is not built; run "bun run build:web" first')
  })
  return readBundle(await Bun.file(path).bytes())
}
