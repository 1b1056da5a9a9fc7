import type { Database } from 'bun:sqlite'
import type { Store } from '../../domain/ports.ts'
import type { Quotas } from '../../domain/quotas.ts'
import { createAccountRemoval } from './account-removal.ts'
import { createAccountRows } from './account-rows.ts'
import { createAuditStore } from './audit.ts'
import { createCatalogueStore } from './catalogue.ts'
import { createDatabaseState, type DatabaseStateOptions } from './database-state.ts'
import { createDeviceStore } from './devices.ts'
import { createDirectoryStore } from './directory.ts'
import { createDirectoryUpkeep } from './directory-upkeep.ts'
import { createDiskStore, pathOf } from './disk.ts'
import { createEpisodeActionStore } from './episode-actions.ts'
import { createExpiryStore } from './expiry.ts'
import { createExportStore } from './export.ts'
import { createFeedHealthStore } from './feed-health.ts'
import { createFeedStore } from './feeds.ts'
import { guardStatements } from './guarded-statements.ts'
import { createHeldPodcasts } from './held-podcasts.ts'
import { createIdentityStore } from './identities.ts'
import { createLibraryStore } from './library.ts'
import { createListeningStore } from './listening.ts'
import { createMailStore } from './mails.ts'
import { createOwnAccountStore } from './own-account.ts'
import { quickCheck } from './quick-check.ts'
import { hadReadError } from './read-errors.ts'
import { createSessionStore } from './sessions.ts'
import { createSettingsStore } from './settings.ts'
import { createSnapshot } from './snapshot.ts'
import { createSubscriptionStore } from './subscriptions.ts'
import { createSyncGroupStore } from './sync-groups.ts'
import { createSyncState } from './sync-state.ts'
import { createTokenStore } from './tokens.ts'
import { createUpgradeStore } from './upgrades.ts'
import { createUserWrites } from './user-writes.ts'
import { createUserStore } from './users.ts'
import { createWriteQueue, type WriteQueueOptions } from './write-queue.ts'

export interface StoreOptions
  extends Omit<WriteQueueOptions, 'state'>,
    Partial<Pick<DatabaseStateOptions, 'onTrouble' | 'monotonic'>> {
  /** Of `check-worker.ts`; without it there is no `check`. */
  readonly startCheckWorker?: () => Worker
  /** Without them users may have whatever fits on the disk. */
  readonly quotas?: Quotas
}

const NO_QUOTAS: Quotas = {
  subscriptions: Number.POSITIVE_INFINITY,
  devices: Number.POSITIVE_INFINITY,
  settings: Number.POSITIVE_INFINITY,
}

/** The store over an open, migrated database. Prepares every statement now, so that bad SQL cannot boot. */
export function createSqliteStore(db: Database, options: StoreOptions = {}): Store {
  const {
    quotas = NO_QUOTAS,
    onTrouble = () => undefined,
    monotonic = () => 0,
    startCheckWorker,
    ...queueOptions
  } = options
  const path = pathOf(db)
  const state = createDatabaseState({
    path,
    hadReadError: () => path !== undefined && hadReadError(db),
    onTrouble,
    monotonic,
  })
  guardStatements(db, state.noteError)
  const snapshot = createSnapshot(db)
  const queue = createWriteQueue(db, snapshot, { ...queueOptions, state })
  const sync = createSyncState(db, quotas)
  const writes = createUserWrites(db, queue, sync)
  const held = createHeldPodcasts(db, snapshot)
  const rows = createAccountRows(db)
  const removal = createAccountRemoval(db, rows, queue)
  // Always writes a page; an UPDATE that changes nothing would not, and never meet the full disk it is to find.
  const probe = db.prepare('PRAGMA user_version = 0')
  return {
    users: createUserStore(rows, removal, snapshot, queue),
    ownAccount: createOwnAccountStore(rows, removal, queue),
    sessions: createSessionStore(db, snapshot, queue),
    tokens: createTokenStore(db, rows, snapshot, queue),
    mails: createMailStore(rows, snapshot, queue),
    identities: createIdentityStore(rows, snapshot, queue),
    audit: createAuditStore(rows, snapshot, queue),
    expiry: createExpiryStore(db, queue),
    devices: createDeviceStore({ db, snapshot, queue, sync, writes }),
    syncGroups: createSyncGroupStore(db, snapshot, sync, writes),
    subscriptions: createSubscriptionStore({ db, snapshot, sync, writes, held }),
    episodeActions: createEpisodeActionStore(db, snapshot, sync, writes),
    listening: createListeningStore(db, snapshot),
    catalogue: createCatalogueStore(db, snapshot),
    library: createLibraryStore({ db, snapshot, writes, held }),
    exports: createExportStore(db, snapshot),
    directory: createDirectoryStore(db, snapshot),
    directoryUpkeep: createDirectoryUpkeep(db, snapshot, queue),
    feeds: createFeedStore(db, snapshot, queue),
    feedHealth: createFeedHealthStore(db, snapshot),
    upgrades: createUpgradeStore({ db, snapshot, queue, sync, writes }),
    settings: createSettingsStore(db, snapshot, queue, sync),
    disk: createDiskStore(db, snapshot),
    recover: writes.recover,
    probe: () => state.ready(() => queue.run(() => void probe.run())),
    async idle() {
      await queue.idle()
      snapshot.end()
    },
    async check() {
      if (path === undefined || startCheckWorker === undefined) return 0
      const faults = await quickCheck(path, startCheckWorker)
      if (faults.length > 0) state.noteDamage({ faults })
      return faults.length
    },
    isSound: () => state.refusal() === undefined,
  }
}
