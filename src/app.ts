import { startCheckpointWorker, startCheckWorker } from './adapters.ts'
import type { Config } from './config/options.ts'
import { createIndexer } from './domain/directory/indexer.ts'
import { createDatabaseCheck, type DatabaseCheck } from './domain/server/status.ts'
import { isUnavailable, serverStopping } from './domain/shared/errors.ts'
import type { Job } from './domain/shared/service.ts'
import { createHintHub } from './http/live/hub.ts'
import type { PeerOf } from './http/origin.ts'
import { type IdleLimit, NO_IDLE_LIMIT } from './http/responses/idle-limit.ts'
import { createFetch, type FetchHandler } from './http/server.ts'
import type { WebFiles } from './http/web-files.ts'
import { createMetrics } from './metrics/metrics.ts'
import { startFetching } from './outbound/guarded-fetch.ts'
import { createBackground } from './platform/background.ts'
import { systemTimer, type Timer } from './platform/clock.ts'
import type { Engine, ServiceParts } from './services/base.ts'
import { createServices, type Services } from './services.ts'
import { createHintingStore } from './store/hinting-store.ts'
import { createPostgresStore } from './store/postgres/store.ts'
import { createSqliteStore } from './store/sqlite/store.ts'
import type { Store } from './store/stores.ts'

export interface AppParts extends ServiceParts {
  readonly engine: Engine
  readonly peerOf?: PeerOf
  readonly idleLimit?: IdleLimit
  readonly web?: WebFiles
  /** Delay before changes are indexed, so that consecutive changes are indexed together. Default: none. */
  readonly indexPause?: () => Promise<void>
  /** Timer for collecting related hints. Default: real time. */
  readonly hintTimer?: Timer
  readonly metricsTimer?: Timer
}

export interface App {
  readonly fetch: FetchHandler
  readonly services: Services
  readonly jobs: readonly Job[]
  /** Starts early what needs open files, and resumes interrupted imports. Must settle before the first request. */
  recover(options?: { readonly resumesImports?: boolean }): Promise<void>
  /** Makes `/readyz` fail, so that load balancers use another server, and stops sending mail. */
  beginStop(): void
  /** Runs at startup after an unclean shutdown. `idle` does not wait for it. */
  readonly databaseCheck: DatabaseCheck
  indexed(): Promise<void>
  idle(): Promise<void>
  /** The database may be closed afterwards. Work still caused by disconnected clients is rejected. */
  end(): void
}

const CANNOT_WRITE =
  'cannot write to the database, changes are refused: look whether the disk is full (df) or its file system has become ' +
  'read-only (dmesg)'
const CANNOT_USE_POSTGRES =
  'cannot use PostgreSQL, so requests that need it are refused: check that it is running and its disk is not full'

export function createApp(config: Config, parts: AppParts): App {
  const { engine, clock, random, log, version } = parts
  const hub = createHintHub(parts.hintTimer ?? systemTimer)
  const store = createHintingStore(createStore(engine, config, { clock, log, onCommit: () => indexer.wake() }), hub)
  const background = createBackground((error) => {
    // The write queue has already logged it, and a later run tries again.
    if (!isUnavailable(error)) log.error('work in the background failed', { error })
  })
  const indexer = createIndexer({ store: store.indexStore, background, clock, log, pause: parts.indexPause })
  const {
    services: uncounted,
    jobs,
    counters,
    stop,
  } = createServices({ ...parts, config, store, background, hints: hub, ready }, [hub, indexer, store, store.disk])

  let stopping = false
  async function ready(): Promise<void> {
    if (stopping) throw serverStopping()
    await store.probe()
  }
  const metrics =
    config.metricsToken &&
    createMetrics({
      ...{ counters, clock, version, ready },
      token: config.metricsToken,
      timer: parts.metricsTimer ?? systemTimer,
      memoryBytes: () => parts.memoryBytes?.(),
    })
  const services = metrics ? { ...uncounted, activity: metrics.countActivity(uncounted.activity) } : uncounted
  const fetch = createFetch({
    services,
    hub,
    clock,
    random,
    log,
    version,
    baseUrl: config.baseUrl,
    trustedProxies: config.trustedProxies,
    proxyUserHeader: config.proxyUserHeader,
    isTls: config.tlsCert !== undefined,
    hasAccessLog: config.accessLog,
    peerOf: parts.peerOf ?? (() => undefined),
    idleLimit: parts.idleLimit ?? NO_IDLE_LIMIT,
    web: parts.web,
    health: { ready },
    metrics,
  })

  return {
    fetch,
    services,
    jobs,
    async recover({ resumesImports = true } = {}) {
      startFetching()
      await indexer.recover()
      if (resumesImports) await services.imports.recover()
    },
    indexed: indexer.flush,
    beginStop: () => {
      stopping = true
      metrics?.stop()
      stop()
    },
    databaseCheck: createDatabaseCheck(store, clock, log),
    async idle() {
      await background.idle()
      await store.idle()
      // The last writes have woken the indexer.
      await background.idle()
      await store.idle()
    },
    end: store.end,
  }
}

function createStore(
  { sqlite, postgres }: Engine,
  { maxSubscriptions, maxDevices, maxSettings }: Config,
  { clock, log, onCommit }: Pick<AppParts, 'clock' | 'log'> & { readonly onCommit: () => void },
): Store {
  const common = {
    onCommit,
    monotonic: () => clock.monotonic(),
    quotas: { subscriptions: maxSubscriptions, devices: maxDevices, settings: maxSettings },
  }
  if (postgres)
    return createPostgresStore(postgres, {
      ...common,
      onFailure: (error) => log.error(CANNOT_USE_POSTGRES, { error }),
      onRecovery: () => log.info('PostgreSQL can be used again'),
    })
  return createSqliteStore(sqlite, {
    ...common,
    onFailure: (error, jobs) => log.error(CANNOT_WRITE, { jobs, error }),
    onRecovery: () => log.info('the database can be written again'),
    onTrouble: (message, fields) => log.error(message, fields),
    startCheckpointWorker,
    startCheckWorker,
  })
}
