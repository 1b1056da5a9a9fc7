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
/** Programs that guess passwords must not keep the server busy with errors; a person hardly notices. */
const REFUSAL_DELAY_MS = 1000
/** What can wait is not to delay the first responses. */
const JOBS_AFTER_MS = 500
/** Apps send what belongs together one request after the other; nobody misses a podcast in the directory so soon. */
const INDEX_PAUSE_MS = 1000
const SAME_SIGNAL_MS = 100
const CERTIFICATE_LOOK_MS = 60_000
/** How often is looked whether files can be opened: the system tells nobody that it keeps connections waiting. */
const FILES_LOOK_MS = 2000

/** The options of a server on either engine. */
export interface ServerParts {
  readonly settings: LoadedConfig
  readonly io: Io
  readonly clock: Clock
  readonly log: Log
}

export interface ServerRun extends ServerParts {
  readonly database: OpenDatabase
  /** Answers what is none of the application's business; undefined for all else. */
  readonly beside?: FetchBeside
  onReady(app: App, server: Server): Promise<void>
  readonly stopWanted: Promise<void>
  /** Called last, with whether the database was closed in order and nothing is wrong with it as far as is known. */
  onClosed?(isInOrder: boolean): void
}

export type FetchBeside = (request: Request) => Response | undefined

/** Runs a server on SQLite. */
export async function runServer(run: ServerRun): Promise<void> {
  const { settings, clock, log, database, beside } = run
  const listener = createListener(settings.config, (request) => beside?.(request) ?? app.fetch(request))
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
    // Once more where the server has not come to its stop: what was read last may still be open.
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

/** The certificate to begin with; undefined without TLS. */
export function readCertificates(parts: ServerParts): Certificate | undefined {
  const files = certificateFiles(parts)
  const certificate = files && readCertificate(files, parts.clock.seconds())
  for (const warning of certificate?.warnings ?? []) parts.log.warn(warning)
  return certificate
}

/** Looks for new certificates, and whether files can be opened, until the function it returns is called. */
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

/** One to five seconds, long after the response: nobody can tell from the time whether a mail was sent. */
async function pause(signal: AbortSignal): Promise<void> {
  const [chance = 0] = systemRandom().bytes(1)
  // Cut short by a stop of the server, which is no failure.
  await delay(1000 + (chance * 4000) / 255, undefined, { signal, ref: false }).catch(() => undefined)
}

/** Lets requests that have begun come to their end, but not for long. */
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

function createFileWatch(log: Log): () => void {
  let isOut = false
  return () => {
    const wasOut = isOut
    isOut = cannotOpenFiles()
    if (isOut && !wasOut)
      log.error(
        'no more connections and files can be opened: let the server have more of them ' +
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

/** Settles at the first signal. A wrapper may pass on a Ctrl-C that we have got already: that is not a second one. */
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
