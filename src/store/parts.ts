import type { Database, Snapshot, WriteQueue } from './engine.ts'
import type { AddressEdges } from './feeds/address-edges.ts'
import type { WebhookNews } from './feeds/webhook-news.ts'
import type { ActionRemoval } from './sync/actions/action-removal.ts'
import type { EpisodeBooks } from './sync/actions/episode-books.ts'
import type { FeedGuids } from './sync/actions/feed-guids.ts'
import type { Addresses } from './sync/addresses.ts'
import type { AccountChoices } from './sync/app-data/account-choices.ts'
import type { AutoSyncs } from './sync/auto-sync.ts'
import type { ListChanges } from './sync/list-changes/list-changes.ts'
import type { Regrouping } from './sync/regrouping.ts'
import type { SyncState } from './sync/sync-state.ts'

/** Parts shared by the stores; each store lists those that it uses. */
export interface StoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly sync: SyncState
  readonly books: EpisodeBooks
  readonly feedGuids: FeedGuids
  readonly actionRemoval: ActionRemoval
  readonly edges: AddressEdges
  readonly news: WebhookNews
  readonly addresses: Addresses
  readonly choices: AccountChoices
  readonly listChanges: ListChanges
  readonly regrouping: Regrouping
  readonly autoSync: AutoSyncs
}
