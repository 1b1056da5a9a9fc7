import type { Database } from 'bun:sqlite'
import { startCheckpointWorker, startCheckWorker } from './adapters.ts'
import type { Config } from './config/options.ts'
import { createIndexer } from './domain/directory/indexer.ts'
import { createDatabaseCheck, type DatabaseCheck } from './domain/server/status.ts'
import { DomainError } from './domain/shared/errors.ts'
import { createRateLimit } from './domain/shared/rate-limit.ts'
import { createAccessLog } from './http/access-log.ts'
import { createAuthGuard } from './http/auth.ts'
import { createBodyRoom } from './http/body-room.ts'
import { createOrigins } from './http/origin.ts'
import { createProxyWarning } from './http/proxy-warning.ts'
import { createFetch, type FetchHandler } from './http/server.ts'
import type { Services } from './http/services.ts'
import type { WebFiles } from './http/web-files.ts'
import type { Job } from './jobs.ts'
import { createBackground } from './platform/background.ts'
import { systemTimer } from './platform/clock.ts'
import { createLru } from './platform/lru.ts'
import { createServices, type ServiceParts } from './services.ts'
import { createSqliteStore } from './store/sqlite/store.ts'

/** What differs between the real program and a test. */
export interface AppParts extends ServiceParts {
  readonly db: Database
  /** The web client; missing where nobody asks by HTTP. */
  readonly web?: WebFiles
  /** Before changes are indexed, so that those which come together are indexed together; none unless given. */
  readonly indexPause?: () => Promise<void>
}

export interface App {
  readonly fetch: FetchHandler
  readonly services: Services
  /** What the server does at certain times. */
  readonly jobs: readonly Job[]
  /** Tells how to find the address of a request's peer, once something listens. */
  setPeerOf(peerOf: (request: Request) => string | undefined): void
  /** Takes back what the last process left unfinished; to be called before the first request. */
  recover(): Promise<void>
  /** From now on `/readyz` says no, so that a load balancer looks elsewhere, and no more mail goes out. */
  beginStop(): void
  /** For the start after a stop that was not orderly; `idle` does not wait for it. */
  readonly databaseCheck: DatabaseCheck
  /** Settles when the directory and the search know all that has been written. */
  indexed(): Promise<void>
  /** Settles when nothing is under way and everything acknowledged or waiting is on disk. */
  idle(): Promise<void>
}

const HOUR = 3_600_000
const WARNED_PEERS_MAX = 1_000

/** Bytes of large request bodies under way: three of the largest, which with all that is made of them need some five times as much. */
const BODIES_MAX = 32 * 1024 * 1024

/** The composition root: the same for the program, the command line and the tests. */
export function createApp(config: Config, parts: AppParts): App {
  const { db, clock, random, log, version } = parts
  const store = createSqliteStore(db, {
    onFailure: (error, units) => log.error('cannot write to the database', { units, error }),
    onTrouble: (message, fields) => log.error(message, fields),
    monotonic: () => clock.monotonic(),
    startCheckpointWorker,
    startCheckWorker,
    onCommit: () => indexer.wake(),
    quotas: { subscriptions: config.maxSubscriptions, devices: config.maxDevices, settings: config.maxSettings },
  })
  const background = createBackground((error) => log.error('work in the background failed', { error }))
  const indexer = createIndexer({ store: store.indexStore, background, clock, log, pause: parts.indexPause })
  const { services, jobs, stop } = createServices({ ...parts, config, store, background, indexer })

  let peerOf: (request: Request) => string | undefined = () => undefined
  let stopping = false
  const originals = new WeakMap<Request, Request>()
  const origins = createOrigins({
    baseUrl: config.baseUrl,
    trustedProxies: config.trustedProxies,
    peerOf: (request) => peerOf(originals.get(request) ?? request),
  })
  const basePath = config.baseUrl?.path ?? ''
  const accessLog = createAccessLog({
    log,
    clock,
    isOn: config.accessLog,
    idPrefix: Buffer.from(random.bytes(3)).toString('hex'),
  })
  const fetch = createFetch({
    services,
    authGuard: createAuthGuard({
      authentication: services.authentication,
      room: createBodyRoom({ maxBytes: BODIES_MAX, timer: systemTimer }),
      origins,
      cookiePath: basePath || '/',
      sessionSeconds: services.sessions.lifetimeSeconds,
      onAuthenticated: accessLog.noteUser,
    }),
    accessLog,
    origins,
    clock,
    log,
    basePath,
    version,
    onRequest: createProxyWarning({
      origins,
      log,
      perPeer: createRateLimit({ max: 1, windowMs: HOUR }, createLru(WARNED_PEERS_MAX, clock, HOUR), clock),
      inAll: createRateLimit({ max: 20, windowMs: HOUR }, createLru(1, clock, HOUR), clock),
    }),
    onRewrite: (rewritten, original) => {
      originals.set(rewritten, original)
      accessLog.rewrite(rewritten, original)
    },
    web: parts.web,
    health: {
      async ready() {
        if (stopping) throw new DomainError('unavailable', 'the server is stopping')
        await store.probe()
      },
    },
  })

  return {
    fetch,
    services,
    jobs,
    setPeerOf: (find) => {
      peerOf = find
    },
    async recover() {
      await store.recover()
      await indexer.recover()
    },
    indexed: indexer.flush,
    beginStop: () => {
      stopping = true
      stop()
    },
    databaseCheck: createDatabaseCheck(store, clock, log),
    async idle() {
      await background.idle()
      await store.idle()
      // What was written last has woken the indexer.
      await background.idle()
      await store.idle()
    },
  }
}
