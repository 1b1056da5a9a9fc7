import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { directoryOf, feedSourcesOf, mailerOf, picturesOf, providerOf, startBackupWorker } from './adapters.ts'
import { createThumbnailer } from './artwork/thumbnailer.ts'
import { listSettings } from './config/describe.ts'
import type { LoadedConfig } from './config/load.ts'
import type { Config } from './config/options.ts'
import { createAccounts, createOwnAccount } from './domain/accounts/account.ts'
import { createAdministration } from './domain/accounts/administration.ts'
import { createAppPasswords } from './domain/accounts/app-passwords.ts'
import { createAuthentication } from './domain/accounts/authentication.ts'
import { createHousekeeping } from './domain/accounts/housekeeping.ts'
import { createLoginFlows, LOGIN_FLOW_SECONDS } from './domain/accounts/login-flow.ts'
import { createMailQueue, type Mailer, type MailQueue } from './domain/accounts/mail.ts'
import { createPasswordCheck } from './domain/accounts/password-check.ts'
import { createSessions } from './domain/accounts/sessions.ts'
import { createSignInLimits, noSignInLimits } from './domain/accounts/sign-in-limits.ts'
import { createSingleSignOn, SIGN_IN_SECONDS } from './domain/accounts/single-sign-on.ts'
import { createArtwork, type Pictures } from './domain/directory/artwork.ts'
import { createDirectory, createSearch } from './domain/directory/directory.ts'
import { createExternalDirectory } from './domain/directory/external.ts'
import type { Indexer } from './domain/directory/indexer.ts'
import { createListening } from './domain/directory/listening.ts'
import { createMyEpisodes } from './domain/directory/my-episodes.ts'
import { createPodcastLists } from './domain/directory/podcast-lists.ts'
import { createMyPodcasts, createPodcasts } from './domain/directory/podcasts.ts'
import { isSecretUrl } from './domain/directory/privacy.ts'
import { createUpgradeProbe, createUpgrades } from './domain/directory/upgrades.ts'
import { createFeedUpdater } from './domain/feeds/feed-updater.ts'
import { createMoveProbe } from './domain/feeds/move-probe.ts'
import { createFeedOnDemand } from './domain/feeds/on-demand.ts'
import type { FeedSource } from './domain/feeds/ports.ts'
import { createFeeds } from './domain/feeds/refresh.ts'
import { createFeedHealth } from './domain/feeds/status.ts'
import { type BackupStore, type Backups, createBackups } from './domain/server/backups.ts'
import { createServerInfo, createServerStatus } from './domain/server/status.ts'
import { createHostQueue } from './domain/shared/concurrency.ts'
import { createRateLimit, noLimit } from './domain/shared/rate-limit.ts'
import type { Store } from './domain/store.ts'
import { createChapters } from './domain/sync/chapters.ts'
import { createCursors } from './domain/sync/cursors.ts'
import { createDevices, createLastSeen } from './domain/sync/devices.ts'
import { createEpisodeActions } from './domain/sync/episode-actions.ts'
import { createAccountExport } from './domain/sync/export.ts'
import { createLateRemovals } from './domain/sync/late-removals.ts'
import { createNextcloud } from './domain/sync/nextcloud.ts'
import type { FetchNew } from './domain/sync/ports.ts'
import { createSettings } from './domain/sync/settings.ts'
import { createSubscriptions, type Subscriptions } from './domain/sync/subscriptions.ts'
import { createSyncGroups } from './domain/sync/sync-groups.ts'
import type { Services } from './http/services.ts'
import { createJobs, type Job } from './jobs.ts'
import type { Background } from './platform/background.ts'
import type { Clock } from './platform/clock.ts'
import { nextTime } from './platform/cron.ts'
import { createSeal, type Random } from './platform/crypto.ts'
import type { Log } from './platform/log.ts'
import { createLru } from './platform/lru.ts'
import type { PasswordHasher } from './platform/password.ts'
import { createBackupStore } from './store/sqlite/server/backups.ts'

/** What differs between the real program and a test, as far as services are concerned. */
export interface ServiceParts {
  readonly clock: Clock
  readonly random: Random
  readonly hasher: PasswordHasher
  readonly log: Log
  readonly version: string
  /** Where the settings come from; taken for defaults unless told. */
  readonly origins?: LoadedConfig['origins']
  /** How much memory the process takes; 0 unless told. */
  readonly memoryBytes?: () => number
  /** Replaces the one that the settings ask for. */
  readonly mailer?: Mailer
  /** Replaces fetching from the internet. */
  readonly feedSource?: FeedSource
  /** Replaces fetching from the internet and keeping in a folder. */
  readonly pictures?: Pictures
  /** Whether a new feed is fetched as soon as somebody has subscribed to it. Otherwise the job finds it. */
  readonly fetchesNewFeeds?: boolean
  /** Replaces the folder of backups. */
  readonly backupStore?: BackupStore
  /** Before the response to one password too many; none unless given. */
  readonly delayRefusal?: () => Promise<void>
  /** Before a mail that an anonymous request caused is begun; none unless given. */
  readonly pause?: (signal: AbortSignal) => Promise<void>
}

/** What all services stand on. */
interface Base extends ServiceParts {
  readonly config: Config
  readonly db: Database
  readonly store: Store
  readonly background: Background
  readonly indexer: Indexer
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Sizes of what is kept in memory: generous for a household, a few megabytes at the most. */
const CURSORS_MAX = 20_000
const CREDENTIALS_MAX = 1_000
const APP_SESSIONS_MAX = 5_000
const LIMITED_KEYS_MAX = 20_000
const SIGN_INS_MAX = 10_000
const DIRECTORY_ANSWERS_MAX = 500
const FAILED_LOOKUPS_MAX = 1_000
const FAILED_PICTURES_MAX = 10_000

/** The services of all nouns, the jobs that they need, and how to stop what they do by themselves. */
export function createServices(base: Base) {
  const accounts = accountServices(base)
  const feeds = feedServices(base)
  const sync = syncServices(base, feeds.fetchNew)
  const directory = directoryServices(base, feeds, sync.subscriptions)
  const backups = backupService(base)
  const { mailQueue, housekeeping } = accounts
  const jobs = createJobs({
    mailQueue,
    housekeeping,
    backups,
    feeds: feeds.feeds,
    probe: directory.probe,
    moveProbe: feeds.moveProbe,
    lastSeen: sync.lastSeen,
    lateRemovals: sync.lateRemovals,
    indexer: base.indexer,
    background: base.background,
    feedRefreshCron: base.config.feedRefreshCron,
    backupCron: base.config.backupCron,
  })
  const services: Services = {
    ...accounts,
    ...sync,
    ...directory,
    feeds: feeds.feeds,
    feedHealth: createFeedHealth(base.store.feedHealth, feeds.feeds, isSecretUrl),
    backups,
    ...serverServices(base, { mailQueue, backups, jobs }),
  }
  return {
    services,
    jobs,
    /** Begins nothing any more, and tells those who wait elsewhere. */
    stop() {
      mailQueue.stop()
      base.background.run(sync.lastSeen.save)
      feeds.feeds.stop()
      feeds.moveProbe.stop()
      directory.probe.stop()
      base.indexer.stop()
      backups.stop()
      for (const source of [...Object.values(feeds.sources), directory.pictures.source]) source.close()
    },
  }
}

/** At most `max` events of a key within a window, unless the settings switch limits off. */
function limit({ config, clock }: Base, max: number, windowMs: number) {
  return config.rateLimit
    ? createRateLimit({ max, windowMs }, createLru(LIMITED_KEYS_MAX, clock, windowMs), clock)
    : noLimit
}

function accountServices(base: Base) {
  const { config, store, background, clock, random, hasher, log } = base
  const { users, tokens, identities } = store
  const passwords = createPasswordCheck({
    users,
    appPasswords: store.appPasswords,
    hasher,
    random,
    delayRefusal: base.delayRefusal ?? (() => Promise.resolve()),
    limits: config.rateLimit ? createSignInLimits(clock) : noSignInLimits,
    cache: createLru(CREDENTIALS_MAX, clock, 10 * MINUTE),
  })
  const sessions = createSessions(store.sessions, clock, random, config.sessionDays)
  const mailQueue = createMailQueue({
    mails: store.mails,
    tokens,
    users,
    mailer: base.mailer ?? mailerOf(config),
    background,
    pause: base.pause ?? (() => Promise.resolve()),
    clock,
    random,
    log,
  })
  return {
    mailQueue,
    housekeeping: createHousekeeping(store, clock, log),
    sessions,
    authentication: createAuthentication({
      passwords,
      sessions,
      appSessions: createLru(APP_SESSIONS_MAX, clock),
    }),
    appPasswords: createAppPasswords(store.appPasswords, clock, random),
    loginFlows: createLoginFlows({
      store: store.loginFlows,
      clock,
      random,
      beginnings: limit(base, 20, LOGIN_FLOW_SECONDS * 1000),
      // Twice as many as four apps make whose flow has ended while they go on asking.
      guesses: limit(base, 2400, 5 * MINUTE),
    }),
    accounts: createAccounts({
      users,
      tokens,
      identities,
      mailQueue,
      passwords,
      clock,
      log,
      mode: config.registration,
      registrations: limit(base, 10, HOUR),
      resets: limit(base, 5, HOUR),
      mailboxes: limit(base, 3, HOUR),
    }),
    ownAccount: createOwnAccount({ store: store.ownAccount, users, identities, passwords, clock }),
    administration: createAdministration({
      users,
      audit: store.audit,
      mailQueue,
      passwords,
      testMails: limit(base, 10, 10 * MINUTE),
      clock,
    }),
    singleSignOn: createSingleSignOn({
      provider: providerOf(config, clock),
      identities,
      users,
      seal: createSeal(random),
      used: createLru(SIGN_INS_MAX, clock, SIGN_IN_SECONDS * 1000),
      clock,
      log,
      mayCreate: config.oidcAutoCreate,
      adminGroup: config.oidcAdminGroup,
      failures: limit(base, 10, 5 * MINUTE),
      tests: limit(base, 10, MINUTE),
    }),
  }
}

function syncServices({ store, background, clock }: Base, fetchNew: FetchNew) {
  const lastSeen = createLastSeen(store.devices, clock, background)
  const devices = createDevices(store.devices, lastSeen, clock)
  const cursors = createCursors(createLru(CURSORS_MAX, clock))
  const { syncGroups, episodeActions: actionStore } = store
  const subscriptions = createSubscriptions(store.subscriptions, cursors, fetchNew, clock)
  const episodeActions = createEpisodeActions(actionStore, cursors, clock)
  return {
    lastSeen,
    lateRemovals: createLateRemovals(store.lateRemovals, clock),
    devices,
    syncGroups: createSyncGroups(syncGroups, clock),
    subscriptions,
    episodeActions,
    nextcloud: createNextcloud(subscriptions, episodeActions),
    chapters: createChapters(store.chapters, cursors, clock),
    settings: createSettings(store.settings, clock),
    accountExport: createAccountExport({
      store: store.exports,
      identities: store.identities,
      appPasswords: store.appPasswords,
      devices,
      syncGroups,
      episodeActions: actionStore,
      clock,
    }),
  }
}

function feedServices(base: Base) {
  const { config, store, background, clock, random, log, version, feedSource } = base
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
  const fetchNew: FetchNew = base.fetchesNewFeeds ? feeds.fetchNew : () => undefined
  const onDemand = createFeedOnDemand({
    store: store.feeds,
    updater,
    authenticated: sources.authenticated,
    anonymous: sources.anonymous,
    queue: createHostQueue({ atOnce: 4, perHost: 2 }),
    failures: createLru(FAILED_LOOKUPS_MAX, clock, 5 * MINUTE),
    anonymousFetches: limit(base, 6, MINUTE),
    now: () => clock.seconds(),
  })
  const moveProbe = createMoveProbe({
    store: store.claims,
    // Never a private address: a feed may name any.
    source: sources.anonymous,
    queue: createHostQueue({ atOnce: 2, perHost: 1 }),
    clock,
    log,
    isSecretUrl,
  })
  return { sources, feeds, fetchNew, onDemand, moveProbe }
}

function directoryServices(
  base: Base,
  { sources, fetchNew, onDemand }: ReturnType<typeof feedServices>,
  subscriptions: Subscriptions,
) {
  const { config, store, background, clock, log, version } = base
  const lookup = createPodcasts({ store: store.podcastStore, onDemand, mayFetch: config.feedOnDemand, clock })
  const pictures = base.pictures ?? picturesOf(config, { version, clock, log })
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
    requests: limit(base, 60, MINUTE),
    tests: limit(base, 10, MINUTE),
    clock,
    log,
  })
  const probe = createUpgradeProbe({
    store: store.upgrades,
    source: sources.scheduled,
    queue: createHostQueue({ atOnce: 2, perHost: 1 }),
    clock,
    log,
  })
  return {
    pictures,
    probe,
    lookup,
    artwork,
    externalDirectory,
    podcastLists: createPodcastLists(store.podcastLists, clock),
    directory: createDirectory(store.directory),
    search: createSearch({ store: store.directory, lookup, external: externalDirectory }),
    myEpisodes: createMyEpisodes(store.myEpisodes, subscriptions),
    myPodcasts: createMyPodcasts(store.myPodcasts, clock),
    listening: createListening(store.listening, clock),
    upgrades: createUpgrades({ store: store.upgrades, artwork, fetchNew, clock }),
  }
}

function backupService({ config, db, store, background, clock, log, backupStore }: Base) {
  return createBackups({
    store:
      backupStore ?? createBackupStore(db, { folder: join(config.dataDir, 'backups'), startWorker: startBackupWorker }),
    audit: store.audit,
    keep: config.backupKeep,
    dueAfter: (at) => nextTime(config.backupCron, at),
    background,
    clock,
    log,
  })
}

interface ServerNeeds {
  readonly mailQueue: MailQueue
  readonly backups: Backups
  readonly jobs: readonly Job[]
}

function serverServices(base: Base, { mailQueue, backups, jobs }: ServerNeeds) {
  const { config, store, clock, version, origins = new Map() } = base
  return {
    serverInfo: createServerInfo({ version, registration: config.registration, canMail: mailQueue.isOn }, store.users),
    serverStatus: createServerStatus({
      backups,
      disk: store.disk,
      clock,
      memoryBytes: base.memoryBytes,
      version,
      baseUrl: config.baseUrl?.href,
      dataDir: config.dataDir,
      jobs: jobs.map(({ name }) => name),
      settings: listSettings({ config, origins }),
    }),
  }
}
