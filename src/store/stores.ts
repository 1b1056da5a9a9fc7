import type { DiskStore } from '../domain/feeds/ports.ts'
import type { Quotas } from '../domain/shared/limits.ts'
import type { Family } from '../platform/metrics.ts'
import { createAccountRemoval } from './accounts/account-removal.ts'
import { createAccountRows } from './accounts/account-rows.ts'
import { createAppPasswordStore, createLoginFlowStore } from './accounts/app-passwords.ts'
import { createIdentityStore } from './accounts/identities.ts'
import { createInvitationStore } from './accounts/invitations.ts'
import { createSecondFactorStore } from './accounts/second-factors.ts'
import { createSessionStore } from './accounts/sessions.ts'
import { createExpiryStore } from './accounts/statements.ts'
import { createMailStore, createTokenStore } from './accounts/tokens.ts'
import { createAuditStore, createUserStore } from './accounts/users.ts'
import { createDirectoryStore } from './directory/directory.ts'
import { createInboxStore } from './directory/inbox/inbox.ts'
import { createMarkStore } from './directory/inbox/marks.ts'
import { createIndexStore } from './directory/indexer.ts'
import { createListeningStore } from './directory/listening.ts'
import { createMyEpisodesStore } from './directory/my-episodes.ts'
import { createMyPodcastsStore } from './directory/my-podcasts.ts'
import { createPodcastListStore } from './directory/podcast-lists.ts'
import { createPodcastStore } from './directory/podcasts.ts'
import { preparePrivacy } from './directory/privacy.ts'
import { createQueueStore } from './directory/queue.ts'
import { createOwnSearchStore } from './directory/search/own-search.ts'
import { createUpgradeStore } from './directory/upgrades.ts'
import type { Database, Snapshot, WriteQueue } from './engine.ts'
import { prepareAddressEdges } from './feeds/address-edges.ts'
import { createFeedStore } from './feeds/feeds.ts'
import { createFeedHealthStore } from './feeds/status.ts'
import { prepareWebhookNews } from './feeds/webhook-news.ts'
import { createPrivateFeedStore } from './outlets/private-feeds.ts'
import { createWebhookStore } from './outlets/webhooks.ts'
import { prepareActionRemoval } from './sync/actions/action-removal.ts'
import { createEpisodeActionStore } from './sync/actions/episode-actions.ts'
import { prepareEpisodeBooks } from './sync/actions/episode-books.ts'
import { prepareFeedGuids } from './sync/actions/feed-guids.ts'
import { createActivityStore } from './sync/activity.ts'
import { prepareAddresses } from './sync/addresses.ts'
import { prepareAccountChoices } from './sync/app-data/account-choices.ts'
import { createChapterStore } from './sync/app-data/chapters.ts'
import { createFolderStore } from './sync/app-data/folders.ts'
import { createSettingsStore } from './sync/app-data/settings.ts'
import { prepareAutoSync } from './sync/auto-sync.ts'
import { createDeviceStore } from './sync/devices.ts'
import { createExportStore } from './sync/export.ts'
import { prepareGroupUnion } from './sync/group-union.ts'
import { prepareListChanges } from './sync/list-changes/list-changes.ts'
import { createListChangeStore } from './sync/list-changes/store.ts'
import { prepareRegrouping } from './sync/regrouping.ts'
import { createSubscriptionStore } from './sync/subscriptions.ts'
import { createSyncGroupStore } from './sync/sync-groups.ts'
import { createSyncState } from './sync/sync-state.ts'
import { createImportStore } from './transfer/imports.ts'
import { createTransferStore } from './transfer/transfer.ts'

const NO_QUOTAS: Quotas = {
  subscriptions: Number.POSITIVE_INFINITY,
  devices: Number.POSITIVE_INFINITY,
  settings: Number.POSITIVE_INFINITY,
}

/** The stores of all nouns, and functions of the engine. */
export interface Store extends ReturnType<typeof createStores> {
  readonly disk: DiskStore
  /** Settles if the database can be read and written, otherwise rejects with `unavailable`. Results are cached. */
  probe(): Promise<void>
  /** Settles when no writes are pending. */
  idle(): Promise<void>
  /** Rejects all later changes, since the database is about to be closed. */
  end(): void
  /** Checks the whole database and returns the number of faults. If any, later changes are rejected. */
  check(): Promise<number>
  /** Whether the database and its files have no known faults. */
  isSound(): boolean
  /** Whether other programs have overwritten the files. If so, the database must not be closed, which would write. */
  isOverwritten(): boolean
  counters(): Family[]
}

/** Creates the stores of all nouns on either engine. Without quotas, only the disk limits what users store. */
export function createStores(db: Database, snapshot: Snapshot, queue: WriteQueue, quotas = NO_QUOTAS) {
  const sync = createSyncState(db, quotas)
  const books = prepareEpisodeBooks(db)
  const feedGuids = prepareFeedGuids(db, books)
  const actionRemoval = prepareActionRemoval(db, books)
  const edges = prepareAddressEdges(db, feedGuids, preparePrivacy(db))
  const addresses = prepareAddresses(db)
  const choices = prepareAccountChoices(db)
  const listChanges = prepareListChanges(db, choices)
  const regrouping = prepareRegrouping({ db, sync, unite: prepareGroupUnion(db, sync, addresses), listChanges })
  const autoSync = prepareAutoSync({ db, snapshot, queue, sync, regrouping, listChanges, choices })
  const parts = {
    ...{
      db,
      snapshot,
      queue,
      sync,
      books,
      feedGuids,
      actionRemoval,
      edges,
      addresses,
      choices,
      listChanges,
      regrouping,
      autoSync,
    },
    news: prepareWebhookNews(db),
  }
  const rows = createAccountRows(db)
  const removal = createAccountRemoval(db, rows, queue)
  return {
    users: createUserStore(rows, removal, snapshot, queue),
    secondFactors: createSecondFactorStore(rows, snapshot, queue),
    sessions: createSessionStore(db, snapshot, queue),
    appPasswords: createAppPasswordStore(rows, snapshot, queue),
    loginFlows: createLoginFlowStore(db, rows, snapshot, queue),
    tokens: createTokenStore(rows, snapshot, queue),
    invitations: createInvitationStore(rows, removal, snapshot, queue),
    mails: createMailStore(rows, snapshot, queue),
    identities: createIdentityStore(rows, snapshot, queue),
    audit: createAuditStore(rows, snapshot, queue),
    expiry: createExpiryStore(db, queue),
    devices: createDeviceStore(parts),
    syncGroups: createSyncGroupStore(parts),
    subscriptions: createSubscriptionStore(parts),
    listChanges: createListChangeStore(parts),
    activity: createActivityStore(db, snapshot, queue),
    episodeActions: createEpisodeActionStore(parts),
    listening: createListeningStore(db, snapshot),
    podcastStore: createPodcastStore(db, snapshot),
    myEpisodes: createMyEpisodesStore(parts),
    inbox: createInboxStore(parts),
    marks: createMarkStore(parts),
    episodeQueue: createQueueStore(parts),
    folders: createFolderStore(parts),
    myPodcasts: createMyPodcastsStore(parts),
    podcastLists: createPodcastListStore(parts),
    exports: createExportStore(db, snapshot),
    directory: createDirectoryStore(db, snapshot),
    ownSearch: createOwnSearchStore(parts),
    indexStore: createIndexStore(db, snapshot, queue, edges),
    feeds: createFeedStore(parts),
    feedHealth: createFeedHealthStore(db, snapshot),
    upgrades: createUpgradeStore(parts),
    chapters: createChapterStore(parts),
    settings: createSettingsStore(parts),
    transfer: createTransferStore(parts),
    webhooks: createWebhookStore(db, snapshot, queue),
    imports: createImportStore(db, snapshot, queue, sync),
    privateFeeds: createPrivateFeedStore(db, snapshot),
  }
}
