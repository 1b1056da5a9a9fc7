import type { Database } from 'bun:sqlite'
import type { Config } from './config/options.ts'
import { createAccounts } from './domain/accounts.ts'
import { createAuthentication } from './domain/authentication.ts'
import { createCursors } from './domain/cursors.ts'
import { createDevices } from './domain/devices.ts'
import { createEpisodeActions } from './domain/episode-actions.ts'
import { DomainError } from './domain/errors.ts'
import { createPasswordCheck } from './domain/password-check.ts'
import { createRateLimit, noLimit } from './domain/rate-limit.ts'
import { createSessions } from './domain/sessions.ts'
import { createSubscriptions } from './domain/subscriptions.ts'
import { createSyncGroups } from './domain/sync-groups.ts'
import { createGatekeeper } from './http/auth.ts'
import { createOrigins } from './http/origin.ts'
import type { Services } from './http/routes.ts'
import { createFetch, type FetchHandler } from './http/server.ts'
import type { Clock } from './platform/clock.ts'
import type { Random } from './platform/crypto.ts'
import type { Log } from './platform/log.ts'
import { createLru } from './platform/lru.ts'
import type { PasswordHasher } from './platform/password.ts'
import { createSqliteStore } from './store/sqlite/store.ts'

/** What differs between the real program and a test. */
export interface AppParts {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly hasher: PasswordHasher
  readonly log: Log
  readonly version: string
}

export interface App {
  readonly fetch: FetchHandler
  readonly services: Services
  /** Whom to ask for the address of a request's peer, once something listens. */
  setPeerOf(peerOf: (request: Request) => string | undefined): void
  /** From now on `/readyz` says no, so that a load balancer looks elsewhere. */
  beginStop(): void
  /** Settles when everything acknowledged or waiting is on disk. */
  idle(): Promise<void>
}

const MINUTE = 60_000

/** Sizes of what is kept in memory: generous for a household, a few megabytes at the most. */
const CURSORS_MAX = 20_000
const CREDENTIALS_MAX = 1_000
const APP_SESSIONS_MAX = 5_000
const LIMITED_KEYS_MAX = 20_000

/** The composition root: the same for the program, the command line and the tests. */
export function createApp(config: Config, { db, clock, random, hasher, log, version }: AppParts): App {
  const store = createSqliteStore(db, {
    onFailure: (error, units) => log.error('cannot write to the database', { units, error }),
  })
  const limit = (max: number, windowMs: number) =>
    config.rateLimit ? createRateLimit({ max, windowMs }, createLru(LIMITED_KEYS_MAX, clock, windowMs), clock) : noLimit

  const passwords = createPasswordCheck({
    users: store.users,
    hasher,
    random,
    failures: limit(10, 5 * MINUTE),
    cache: createLru(CREDENTIALS_MAX, clock, 10 * MINUTE),
  })
  const sessions = createSessions(store.sessions, clock, random, config.sessionDays)
  const authentication = createAuthentication({
    passwords,
    sessions,
    appSessions: createLru(APP_SESSIONS_MAX, clock),
  })
  const cursors = createCursors(createLru(CURSORS_MAX, clock))
  const services: Services = {
    accounts: createAccounts({
      users: store.users,
      passwords,
      clock,
      mode: config.registration,
      registrations: limit(10, 60 * MINUTE),
    }),
    authentication,
    sessions,
    devices: createDevices(store.devices, clock),
    syncGroups: createSyncGroups(store.syncGroups, clock),
    subscriptions: createSubscriptions(store.subscriptions, cursors, clock),
    episodeActions: createEpisodeActions(store.episodeActions, cursors, clock),
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
  const fetch = createFetch({
    services,
    gatekeeper: createGatekeeper({
      authentication,
      origins,
      cookiePath: basePath || '/',
      sessionSeconds: sessions.lifetimeSeconds,
    }),
    origins,
    clock,
    log,
    basePath,
    version,
    newReference: () => Buffer.from(random.bytes(6)).toString('hex'),
    onRewrite: (rewritten, original) => originals.set(rewritten, original),
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
    setPeerOf: (find) => {
      peerOf = find
    },
    beginStop: () => {
      stopping = true
    },
    idle: () => store.idle(),
  }
}
