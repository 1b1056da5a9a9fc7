import type { Accounts, OwnAccount } from '../domain/accounts/account.ts'
import type { Administration } from '../domain/accounts/administration.ts'
import type { AppPasswords } from '../domain/accounts/app-passwords.ts'
import type { Authentication } from '../domain/accounts/authentication.ts'
import type { Invitations } from '../domain/accounts/invitations.ts'
import type { LoginFlows } from '../domain/accounts/login-flow.ts'
import type { SecondFactors } from '../domain/accounts/second-factor.ts'
import type { Sessions } from '../domain/accounts/sessions.ts'
import type { SingleSignOn } from '../domain/accounts/single-sign-on.ts'
import type { Artwork } from '../domain/directory/artwork.ts'
import type { Directory, Search } from '../domain/directory/directory.ts'
import type { ExternalDirectory } from '../domain/directory/external.ts'
import type { Inbox } from '../domain/directory/inbox.ts'
import type { Listening } from '../domain/directory/listening.ts'
import type { MyEpisodes } from '../domain/directory/my-episodes.ts'
import type { PodcastLists } from '../domain/directory/podcast-lists.ts'
import type { MyPodcasts, Podcasts } from '../domain/directory/podcasts.ts'
import type { Resolver } from '../domain/directory/resolving.ts'
import type { Upgrades } from '../domain/directory/upgrades.ts'
import type { FeedChapters } from '../domain/feeds/chapters.ts'
import type { Feeds } from '../domain/feeds/refresh.ts'
import type { FeedHealthReport } from '../domain/feeds/status.ts'
import type { PrivateFeeds } from '../domain/outlets/private-feeds.ts'
import type { Webhooks } from '../domain/outlets/webhooks.ts'
import type { Backups } from '../domain/server/backups.ts'
import type { Arrival, Doctor } from '../domain/server/doctor.ts'
import type { ServerInfo, ServerStatus } from '../domain/server/status.ts'
import type { ActivityLog } from '../domain/sync/activity/activity.ts'
import type { Chapters } from '../domain/sync/chapters.ts'
import type { Devices, LastSeen } from '../domain/sync/devices.ts'
import type { EpisodeActions } from '../domain/sync/episode-actions.ts'
import type { AccountExport } from '../domain/sync/export.ts'
import type { ListHistory } from '../domain/sync/list-changes/list-changes.ts'
import type { Nextcloud } from '../domain/sync/nextcloud.ts'
import type { Settings } from '../domain/sync/settings.ts'
import type { Subscriptions } from '../domain/sync/subscriptions.ts'
import type { SyncGroups } from '../domain/sync/sync-groups.ts'
import type { Imports } from '../domain/transfer/imports.ts'
import type { Clock } from '../platform/clock.ts'
import type { AuthGuard } from './auth.ts'
import type { HintHub } from './live/hub.ts'
import type { Origins } from './origin.ts'

/** What the routes call. */
export interface Services {
  readonly accounts: Accounts
  readonly administration: Administration
  readonly invitations: Invitations
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly appPasswords: AppPasswords
  readonly secondFactors: SecondFactors
  readonly loginFlows: LoginFlows
  readonly singleSignOn: SingleSignOn
  readonly devices: Devices
  readonly lastSeen: LastSeen
  readonly activity: ActivityLog
  readonly myEpisodes: MyEpisodes
  readonly inbox: Inbox
  readonly myPodcasts: MyPodcasts
  readonly ownAccount: OwnAccount
  readonly accountExport: AccountExport
  readonly serverInfo: ServerInfo
  readonly syncGroups: SyncGroups
  readonly subscriptions: Subscriptions
  readonly listHistory: ListHistory
  readonly episodeActions: EpisodeActions
  readonly nextcloud: Nextcloud
  readonly listening: Listening
  readonly feeds: Feeds
  readonly feedChapters: FeedChapters
  readonly upgrades: Upgrades
  readonly chapters: Chapters
  readonly settings: Settings
  readonly podcastLists: PodcastLists
  readonly directory: Directory
  readonly search: Search
  readonly lookup: Podcasts
  readonly resolver: Resolver
  readonly artwork: Artwork
  readonly externalDirectory: ExternalDirectory
  readonly feedHealth: FeedHealthReport
  readonly serverStatus: ServerStatus
  readonly webhooks: Webhooks
  readonly privateFeeds: PrivateFeeds
  readonly backups: Backups
  readonly doctor: Doctor
  readonly imports: Imports
}

/** What routes are made of. */
export interface RouteParts extends Services {
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
  readonly hub: HintHub
  /** The last header of a proxy that was not believed, since the start. */
  readonly lastUnbelieved: () => Arrival | undefined
}
