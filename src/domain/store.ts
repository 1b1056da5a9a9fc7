import type { Histogram } from '../platform/metrics.ts'
import type { AppPasswordStore, LoginFlowStore } from './accounts/ports/app-passwords.ts'
import type { AuditStore } from './accounts/ports/audit-log.ts'
import type { ExpiryStore } from './accounts/ports/housekeeping.ts'
import type { IdentityStore } from './accounts/ports/identities.ts'
import type { MailStore } from './accounts/ports/mail.ts'
import type { SecondFactorStore } from './accounts/ports/second-factor.ts'
import type { SessionStore } from './accounts/ports/sessions.ts'
import type { InvitationStore, TokenStore } from './accounts/ports/tokens.ts'
import type { OwnAccountStore, UserStore } from './accounts/ports/users.ts'
import type { DirectoryStore, IndexStore } from './directory/ports/directory.ts'
import type { InboxStore, MyEpisodesStore } from './directory/ports/inbox.ts'
import type { ListeningStore } from './directory/ports/listening.ts'
import type { MyPodcastsStore } from './directory/ports/my-podcasts.ts'
import type { PodcastListStore } from './directory/ports/podcast-lists.ts'
import type { PodcastStore } from './directory/ports/podcasts.ts'
import type { UpgradeStore } from './directory/ports/upgrades.ts'
import type { ClaimStore, DiskStore, FeedHealthStore, FeedStore } from './feeds/ports.ts'
import type { PrivateFeedStore, WebhookStore } from './outlets/ports.ts'
import type { ActivityStore } from './sync/activity/ports.ts'
import type { ListChangeStore } from './sync/list-changes/ports.ts'
import type { ChapterStore } from './sync/ports/chapters.ts'
import type { DeviceStore, SyncGroupStore } from './sync/ports/devices.ts'
import type { EpisodeActionStore, FeedGuidStore } from './sync/ports/episode-actions.ts'
import type { ExportStore } from './sync/ports/export.ts'
import type { SettingsStore } from './sync/ports/settings.ts'
import type { SubscriptionStore } from './sync/ports/subscriptions.ts'

import type { ImportStore, TransferStore } from './transfer/ports.ts'

/** How writing goes, since the start. */
export interface WriteCounts {
  /** Changes that are not written yet. */
  readonly waiting: number
  /** Of the changes that were written together. */
  readonly groupSizes: Histogram
  /** Changes that could not be written. */
  readonly failures: number
}

export interface Store {
  readonly users: UserStore
  readonly ownAccount: OwnAccountStore
  readonly secondFactors: SecondFactorStore
  readonly sessions: SessionStore
  readonly appPasswords: AppPasswordStore
  readonly loginFlows: LoginFlowStore
  readonly tokens: TokenStore
  readonly invitations: InvitationStore
  readonly mails: MailStore
  readonly identities: IdentityStore
  readonly audit: AuditStore
  readonly expiry: ExpiryStore
  readonly devices: DeviceStore
  readonly syncGroups: SyncGroupStore
  readonly subscriptions: SubscriptionStore
  readonly listChanges: ListChangeStore
  readonly activity: ActivityStore
  readonly episodeActions: EpisodeActionStore
  readonly feedGuids: FeedGuidStore
  readonly listening: ListeningStore
  readonly feeds: FeedStore
  readonly claims: ClaimStore
  readonly feedHealth: FeedHealthStore
  readonly podcastStore: PodcastStore
  readonly myEpisodes: MyEpisodesStore
  readonly inbox: InboxStore
  readonly myPodcasts: MyPodcastsStore
  readonly podcastLists: PodcastListStore
  readonly exports: ExportStore
  readonly directory: DirectoryStore
  readonly indexStore: IndexStore
  readonly upgrades: UpgradeStore
  readonly chapters: ChapterStore
  readonly settings: SettingsStore
  readonly transfer: TransferStore
  readonly webhooks: WebhookStore
  readonly imports: ImportStore
  readonly privateFeeds: PrivateFeedStore
  readonly disk: DiskStore
  /**
   * Resolves while what is stored can be read and changed; rejects with `unavailable` otherwise. At most every five
   * seconds it asks the disk, by writing and committing a little.
   */
  probe(): Promise<void>
  /**
   * Reads all that is stored, without keeping anybody waiting. Resolves with the number of faults; if there are any,
   * changes are refused from then on. Rejects when it could not be read to its end.
   */
  check(): Promise<number>
  /** Whether nothing is known to be wrong with what is stored, nor with the files it is in. */
  isSound(): boolean
  /** Whether others have written into its files: then they must be left as they are, also by closing them. */
  isOverwritten(): boolean
  writeCounts(): WriteCounts
  /** Settles when everything queued is on disk or refused. */
  idle(): Promise<void>
  /** Refuses every change from now on, since the database is about to be closed. */
  end(): void
}
