import { Elysia } from 'elysia'
import type { Accounts, OwnAccount } from '../../domain/accounts/account.ts'
import type { Administration } from '../../domain/accounts/administration.ts'
import type { Authentication } from '../../domain/accounts/authentication.ts'
import type { Sessions } from '../../domain/accounts/sessions.ts'
import type { SingleSignOn } from '../../domain/accounts/single-sign-on.ts'
import type { Artwork } from '../../domain/directory/artwork.ts'
import type { Directory, Search } from '../../domain/directory/directory.ts'
import type { ExternalDirectory } from '../../domain/directory/external.ts'
import type { Listening } from '../../domain/directory/listening.ts'
import type { MyPodcasts, Podcasts } from '../../domain/directory/podcasts.ts'
import type { Upgrades } from '../../domain/directory/upgrades.ts'
import type { Feeds } from '../../domain/feeds/refresh.ts'
import type { FeedHealthReport } from '../../domain/feeds/status.ts'
import type { Backups } from '../../domain/server/backups.ts'
import type { ServerInfo, ServerStatus } from '../../domain/server/status.ts'
import type { Devices } from '../../domain/sync/devices.ts'
import type { EpisodeActions } from '../../domain/sync/episode-actions.ts'
import type { AccountExport } from '../../domain/sync/export.ts'
import type { LastSeen } from '../../domain/sync/last-seen.ts'
import type { Settings } from '../../domain/sync/settings.ts'
import type { Subscriptions } from '../../domain/sync/subscriptions.ts'
import type { SyncGroups } from '../../domain/sync/sync-groups.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AuthGuard } from '../auth.ts'
import type { Origins } from '../origin.ts'
import { adminUserRoutes } from './accounts/admin-users.ts'
import { identityRoutes } from './accounts/identities.ts'
import { meRoutes } from './accounts/me.ts'
import { meAccountRoutes } from './accounts/me-account.ts'
import { meSessionRoutes } from './accounts/me-sessions.ts'
import { passwordResetRoutes } from './accounts/password-reset.ts'
import { registrationRoutes } from './accounts/registration.ts'
import { sessionRoutes } from './accounts/sessions.ts'
import { adminDirectoryRoutes } from './directory/admin-directory.ts'
import { artworkRoutes } from './directory/artwork.ts'
import { directoryRoutes } from './directory/directory.ts'
import { externalDirectoryRoutes } from './directory/external-directory.ts'
import { listeningRoutes } from './directory/listening.ts'
import { mePodcastRoutes } from './directory/me-podcasts.ts'
import { podcastDataRoutes } from './directory/podcast-data.ts'
import { podcastPageRoutes } from './directory/podcast-pages.ts'
import { searchRoutes } from './directory/search.ts'
import { upgradeRoutes } from './directory/upgrades.ts'
import { adminFeedHealthRoutes } from './feeds/admin-feed-health.ts'
import { adminFeedRoutes } from './feeds/admin-feeds.ts'
import { adminBackupRoutes } from './server/admin-backups.ts'
import { adminCheckRoutes } from './server/admin-checks.ts'
import { adminServerRoutes } from './server/admin-server.ts'
import { adminStatusRoutes } from './server/admin-status.ts'
import { serverRoutes } from './server/server.ts'
import { deviceRoutes } from './sync/devices.ts'
import { episodeActionRoutes } from './sync/episode-actions.ts'
import { meExportRoutes } from './sync/me-export.ts'
import { settingsRoutes } from './sync/settings.ts'
import { subscriptionListRoutes } from './sync/subscription-lists.ts'
import { subscriptionRoutes } from './sync/subscriptions.ts'
import { syncDeviceRoutes } from './sync/sync-devices.ts'

/** What the routes call. */
export interface Services {
  readonly accounts: Accounts
  readonly administration: Administration
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly singleSignOn: SingleSignOn
  readonly devices: Devices
  readonly lastSeen: LastSeen
  readonly myPodcasts: MyPodcasts
  readonly ownAccount: OwnAccount
  readonly accountExport: AccountExport
  readonly serverInfo: ServerInfo
  readonly syncGroups: SyncGroups
  readonly subscriptions: Subscriptions
  readonly episodeActions: EpisodeActions
  readonly listening: Listening
  readonly feeds: Feeds
  readonly upgrades: Upgrades
  readonly settings: Settings
  readonly directory: Directory
  readonly search: Search
  readonly lookup: Podcasts
  readonly artwork: Artwork
  readonly externalDirectory: ExternalDirectory
  readonly feedHealth: FeedHealthReport
  readonly serverStatus: ServerStatus
  readonly backups: Backups
}

export interface ApiParts {
  readonly services: Services
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
}

/** Every API route, on one screen. */
export function apiRoutes({ services, authGuard, origins, clock }: ApiParts) {
  const { accounts, administration, authentication, sessions, singleSignOn } = services
  const { devices, lastSeen, syncGroups, subscriptions, episodeActions, feeds, upgrades, settings, externalDirectory } =
    services
  return new Elysia()
    .use(serverRoutes({ ...services, authGuard, origins }))
    .use(sessionRoutes({ authentication, sessions, authGuard }))
    .use(registrationRoutes({ ...services, authGuard, origins }))
    .use(passwordResetRoutes(accounts, origins))
    .use(meRoutes({ ...services, authGuard, origins }))
    .use(meSessionRoutes(sessions, authGuard))
    .use(meAccountRoutes(services.ownAccount, authGuard, origins))
    .use(meExportRoutes(services.accountExport, authGuard))
    .use(mePodcastRoutes(services.myPodcasts, authGuard, origins))
    .use(deviceRoutes(devices, lastSeen, authGuard))
    .use(syncDeviceRoutes(syncGroups, authGuard))
    .use(subscriptionRoutes(subscriptions, lastSeen, authGuard))
    .use(subscriptionListRoutes({ subscriptions, lastSeen, authGuard, origins, clock }))
    .use(upgradeRoutes(upgrades, authGuard))
    .use(episodeActionRoutes(episodeActions, lastSeen, authGuard))
    .use(listeningRoutes(services.listening, authGuard))
    .use(settingsRoutes(settings, lastSeen, authGuard))
    .use(directoryRoutes({ directory: services.directory, authGuard, origins, clock }))
    .use(searchRoutes({ search: services.search, authGuard, origins, clock }))
    .use(podcastDataRoutes({ lookup: services.lookup, authGuard, origins }))
    .use(podcastPageRoutes({ lookup: services.lookup, authGuard, origins }))
    .use(artworkRoutes({ artwork: services.artwork, authGuard, origins }))
    .use(externalDirectoryRoutes(externalDirectory, origins))
    .use(identityRoutes(singleSignOn, authGuard))
    .use(adminServerRoutes(administration, authGuard))
    .use(adminUserRoutes(administration, authGuard))
    .use(adminFeedRoutes({ feeds, lookup: services.lookup, authGuard, origins }))
    .use(adminFeedHealthRoutes(services.feedHealth, authGuard))
    .use(adminDirectoryRoutes(externalDirectory, authGuard))
    .use(adminCheckRoutes({ externalDirectory, singleSignOn, authGuard }))
    .use(adminStatusRoutes(services.serverStatus, authGuard))
    .use(adminBackupRoutes(services.backups, authGuard))
}
