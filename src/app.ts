import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import {
  directoryOf,
  feedSourcesOf,
  mailerOf,
  picturesOf,
  providerOf,
  startBackupWorker,
  startCheckpointWorker,
  startCheckWorker,
} from './adapters.ts'
import { createThumbnailer } from './artwork/thumbnailer.ts'
import { listSettings } from './config/describe.ts'
import type { LoadedConfig } from './config/load.ts'
import type { Config } from './config/options.ts'
import { createAccounts, createOwnAccount } from './domain/accounts/account.ts'
import { createAdministration } from './domain/accounts/administration.ts'
import { createAuthentication } from './domain/accounts/authentication.ts'
import { createHousekeeping } from './domain/accounts/housekeeping.ts'
import { createMailQueue, type Mailer } from './domain/accounts/mail.ts'
import { createPasswordCheck } from './domain/accounts/password-check.ts'
import { createSessions } from './domain/accounts/sessions.ts'
import { createSignInLimits, noSignInLimits } from './domain/accounts/sign-in-limits.ts'
import { createSingleSignOn, SIGN_IN_SECONDS } from './domain/accounts/single-sign-on.ts'
import { createArtwork, type Pictures } from './domain/directory/artwork.ts'
import { createDirectory, createSearch } from './domain/directory/directory.ts'
import { createExternalDirectory } from './domain/directory/external.ts'
import { createIndexer } from './domain/directory/indexer.ts'
import { createListening } from './domain/directory/listening.ts'
import { createMyPodcasts, createPodcasts } from './domain/directory/podcasts.ts'
import { isSecretUrl } from './domain/directory/privacy.ts'
import { createUpgradeProbe, createUpgrades } from './domain/directory/upgrades.ts'
import { createFeedUpdater } from './domain/feeds/feed-updater.ts'
import { createFeedOnDemand } from './domain/feeds/on-demand.ts'
import type { FeedSource } from './domain/feeds/ports.ts'
import { createFeeds } from './domain/feeds/refresh.ts'
import { createFeedHealth } from './domain/feeds/status.ts'
import { type BackupStore, createBackups } from './domain/server/backups.ts'
import {
  createDatabaseCheck,
  createServerInfo,
  createServerStatus,
  type DatabaseCheck,
} from './domain/server/status.ts'
import { createHostQueue } from './domain/shared/concurrency.ts'
import { DomainError } from './domain/shared/errors.ts'
import { createRateLimit, noLimit } from './domain/shared/rate-limit.ts'
import { createCursors } from './domain/sync/cursors.ts'
import { createDevices } from './domain/sync/devices.ts'
import { createEpisodeActions } from './domain/sync/episode-actions.ts'
import { createAccountExport } from './domain/sync/export.ts'
import { createLastSeen } from './domain/sync/last-seen.ts'
import type { FetchNew } from './domain/sync/ports.ts'
import { createSettings } from './domain/sync/settings.ts'
import { createSubscriptions } from './domain/sync/subscriptions.ts'
import { createSyncGroups } from './domain/sync/sync-groups.ts'
import { createAccessLog } from './http/access-log.ts'
import { createAuthGuard } from './http/auth.ts'
import { createBodyRoom } from './http/body-room.ts'
import { createOrigins } from './http/origin.ts'
import { createProxyWarning } from './http/proxy-warning.ts'
import { createFetch, type FetchHandler } from './http/server.ts'
import type { Services } from './http/services.ts'
import type { WebFiles } from './http/web-files.ts'
import { createJobs, type Job } from './jobs.ts'
import { createBackground } from './platform/background.ts'
import { type Clock, systemTimer } from './platform/clock.ts'
import { nextTime } from './platform/cron.ts'
import { createSeal, type Random } from './platform/crypto.ts'
import type { Log } from './platform/log.ts'
import { createLru } from './platform/lru.ts'
import type { PasswordHasher } from './platform/password.ts'
import { createBackupStore } from './store/sqlite/server/backups.ts'
import { createSqliteStore } from './store/sqlite/store.ts'

/** What differs between the real program and a test. */
export interface AppParts {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly hasher: PasswordHasher
  readonly log: Log
  readonly version: string
  /** Where the settings come from; taken for defaults unless told. */
  readonly origins?: LoadedConfig['origins']
  /** What the process takes of the memory; 0 unless told. */
  readonly memoryBytes?: () => number
  /** The web client; where nobody asks by HTTP there is none. */
  readonly web?: WebFiles
  /** Instead of the one the settings ask for. */
  readonly mailer?: Mailer
  /** Instead of the internet. */
  readonly feedSource?: FeedSource
  /** Instead of the internet and a folder. */
  readonly pictures?: Pictures
  /** Whether a feed that is new is fetched as soon as somebody has subscribed to it; otherwise the job finds it. Not unless told. */
  readonly fetchesNewFeeds?: boolean
  /** Instead of a folder. */
  readonly backupStore?: BackupStore
  /** Before somebody is told that he has tried too many passwords; none unless given. */
  readonly delayRefusal?: () => Promise<void>
  /** Before changes are indexed, so that those which come together are indexed together; none unless given. */
  readonly indexPause?: () => Promise<void>
  /** Before a mail that a stranger asked for is begun; none unless given. */
  readonly pause?: (signal: AbortSignal) => Promise<void>
}

export interface App {
  readonly fetch: FetchHandler
  readonly services: Services
  /** What is to be done again and again; the server does it by the clock. */
  readonly jobs: readonly Job[]
  /** Whom to ask for the address of a request's peer, once something listens. */
  setPeerOf(peerOf: (request: Request) => string | undefined): void
  /** Takes back what the last process has begun and not finished; before the first request. */
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

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Sizes of what is kept in memory: generous for a household, a few megabytes at the most. */
const CURSORS_MAX = 20_000
const CREDENTIALS_MAX = 1_000
const APP_SESSIONS_MAX = 5_000
const LIMITED_KEYS_MAX = 20_000
const WARNED_PEERS_MAX = 1_000
const SIGN_INS_MAX = 10_000
const DIRECTORY_ANSWERS_MAX = 500
const FAILED_LOOKUPS_MAX = 1_000
const FAILED_PICTURES_MAX = 10_000

/** Bytes of large request bodies under way: three of the largest, which with all that is made of them need some five times as much. */
const BODIES_MAX = 32 * 1024 * 1024

/** The composition root: the same for the program, the command line and the tests. */
export function createApp(config: Config, parts: AppParts): App {
  const { db, clock, random, hasher, log, version } = parts
  const store = createSqliteStore(db, {
    onFailure: (error, units) => log.error('cannot write to the database', { units, error }),
    onTrouble: (message, fields) => log.error(message, fields),
    monotonic: () => clock.monotonic(),
    startCheckpointWorker,
    startCheckWorker,
    onCommit: () => indexer.wake(),
    quotas: { subscriptions: config.maxSubscriptions, devices: config.maxDevices, settings: config.maxSettings },
  })
  const limit = (max: number, windowMs: number) =>
    config.rateLimit ? createRateLimit({ max, windowMs }, createLru(LIMITED_KEYS_MAX, clock, windowMs), clock) : noLimit

  const background = createBackground((error) => log.error('work in the background failed', { error }))
  const indexer = createIndexer({ store: store.indexStore, background, clock, log, pause: parts.indexPause })

  const passwords = createPasswordCheck({
    users: store.users,
    hasher,
    random,
    delayRefusal: parts.delayRefusal ?? (() => Promise.resolve()),
    limits: config.rateLimit ? createSignInLimits(clock) : noSignInLimits,
    cache: createLru(CREDENTIALS_MAX, clock, 10 * MINUTE),
  })
  const sessions = createSessions(store.sessions, clock, random, config.sessionDays)
  const authentication = createAuthentication({
    passwords,
    sessions,
    appSessions: createLru(APP_SESSIONS_MAX, clock),
  })
  const mailQueue = createMailQueue({
    mails: store.mails,
    tokens: store.tokens,
    users: store.users,
    mailer: parts.mailer ?? mailerOf(config),
    background,
    pause: parts.pause ?? (() => Promise.resolve()),
    clock,
    random,
    log,
  })
  const { feedSource } = parts
  const sources = feedSource
    ? { scheduled: feedSource, authenticated: feedSource, anonymous: feedSource }
    : feedSourcesOf(config, version)
  const updater = createFeedUpdater({
    store: store.feeds,
    clock,
    random,
    log,
    baseSeconds: config.feedRefreshMinutes * 60,
    keepEpisodes: config.feedMaxEpisodes,
  })
  const feeds = createFeeds({
    store: store.feeds,
    source: sources.scheduled,
    updater,
    queue: createHostQueue({ atOnce: config.feedConcurrency, perHost: 2 }),
    background,
    clock,
  })
  const fetchNew: FetchNew = parts.fetchesNewFeeds ? feeds.fetchNew : () => undefined
  const probe = createUpgradeProbe({
    store: store.upgrades,
    source: sources.scheduled,
    queue: createHostQueue({ atOnce: 2, perHost: 1 }),
    clock,
    log,
  })
  const lookup = createPodcasts({
    store: store.podcastStore,
    onDemand: createFeedOnDemand({
      store: store.feeds,
      updater,
      forUsers: sources.authenticated,
      forAnyone: sources.anonymous,
      queue: createHostQueue({ atOnce: 4, perHost: 2 }),
      failures: createLru(FAILED_LOOKUPS_MAX, clock, 5 * MINUTE),
      strangers: limit(6, MINUTE),
      now: () => clock.seconds(),
    }),
    mayFetch: config.feedOnDemand,
    clock,
  })
  const pictures = parts.pictures ?? picturesOf(config, { version, clock, log })
  const artwork = createArtwork({
    lookup,
    pictures,
    thumbnailer: createThumbnailer(createHostQueue({ atOnce: 2, perHost: 2 })),
    queue: createHostQueue({ atOnce: 4, perHost: 2 }),
    failures: createLru(FAILED_PICTURES_MAX, clock),
    background,
    clock,
    log,
  })
  const externalDirectory = createExternalDirectory({
    directory: directoryOf(config, version, clock),
    searches: createLru(DIRECTORY_ANSWERS_MAX, clock, 10 * MINUTE),
    trends: createLru(DIRECTORY_ANSWERS_MAX, clock, HOUR),
    requests: limit(60, MINUTE),
    tests: limit(10, MINUTE),
    clock,
    log,
  })
  const housekeeping = createHousekeeping(store, clock, log)
  const lastSeen = createLastSeen(store.devices, clock, background)
  const backups = createBackups({
    store:
      parts.backupStore ??
      createBackupStore(db, { folder: join(config.dataDir, 'backups'), startWorker: startBackupWorker }),
    audit: store.audit,
    keep: config.backupKeep,
    dueAfter: (at) => nextTime(config.backupCron, at),
    background,
    clock,
    log,
  })
  const devices = createDevices(store.devices, lastSeen, clock)
  const cursors = createCursors(createLru(CURSORS_MAX, clock))
  const jobs = createJobs({
    mailQueue,
    feeds,
    feedRefreshCron: config.feedRefreshCron,
    indexer,
    probe,
    lastSeen,
    housekeeping,
    backups,
    backupCron: config.backupCron,
    background,
  })
  const services: Services = {
    accounts: createAccounts({
      users: store.users,
      tokens: store.tokens,
      identities: store.identities,
      mailQueue,
      passwords,
      clock,
      log,
      mode: config.registration,
      registrations: limit(10, HOUR),
      resets: limit(5, HOUR),
      mailboxes: limit(3, HOUR),
    }),
    administration: createAdministration({
      users: store.users,
      audit: store.audit,
      mailQueue,
      passwords,
      testMails: limit(10, 10 * MINUTE),
      clock,
    }),
    authentication,
    sessions,
    singleSignOn: createSingleSignOn({
      provider: providerOf(config, clock),
      identities: store.identities,
      users: store.users,
      seal: createSeal(random),
      used: createLru(SIGN_INS_MAX, clock, SIGN_IN_SECONDS * 1000),
      clock,
      log,
      mayCreate: config.oidcAutoCreate,
      adminGroup: config.oidcAdminGroup,
      failures: limit(10, 5 * MINUTE),
      tests: limit(10, MINUTE),
    }),
    devices,
    lastSeen,
    myPodcasts: createMyPodcasts(store.myPodcasts, clock),
    ownAccount: createOwnAccount({
      store: store.ownAccount,
      users: store.users,
      identities: store.identities,
      passwords,
      clock,
    }),
    accountExport: createAccountExport({
      store: store.exports,
      identities: store.identities,
      devices,
      syncGroups: store.syncGroups,
      episodeActions: store.episodeActions,
      clock,
    }),
    serverInfo: createServerInfo({ version, registration: config.registration, canMail: mailQueue.isOn }, store.users),
    syncGroups: createSyncGroups(store.syncGroups, clock),
    subscriptions: createSubscriptions(store.subscriptions, cursors, fetchNew, clock),
    episodeActions: createEpisodeActions(store.episodeActions, cursors, clock),
    listening: createListening(store.listening, clock),
    feeds,
    upgrades: createUpgrades({ store: store.upgrades, artwork, fetchNew, clock }),
    settings: createSettings(store.settings),
    directory: createDirectory(store.directory),
    search: createSearch({ store: store.directory, lookup, external: externalDirectory }),
    lookup,
    artwork,
    externalDirectory,
    feedHealth: createFeedHealth(store.feedHealth, feeds, isSecretUrl),
    backups,
    serverStatus: createServerStatus({
      backups,
      disk: store.disk,
      clock,
      memoryBytes: parts.memoryBytes,
      version,
      baseUrl: config.baseUrl?.href,
      dataDir: config.dataDir,
      jobs: jobs.map(({ name }) => name),
      settings: listSettings({ config, origins: parts.origins ?? new Map() }),
    }),
  }

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
      authentication,
      room: createBodyRoom({ maxBytes: BODIES_MAX, timer: systemTimer }),
      origins,
      cookiePath: basePath || '/',
      sessionSeconds: sessions.lifetimeSeconds,
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
      mailQueue.stop()
      background.run(lastSeen.save)
      feeds.stop()
      probe.stop()
      indexer.stop()
      backups.stop()
      for (const source of [...Object.values(sources), pictures.source]) source.close()
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
