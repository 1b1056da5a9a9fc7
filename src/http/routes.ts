import { Elysia } from 'elysia'
import type { Administration } from '../domain/accounts/administration.ts'
import type { Authentication } from '../domain/accounts/authentication.ts'
import type { OwnAccount } from '../domain/accounts/own-account.ts'
import type { Accounts } from '../domain/accounts/registration.ts'
import type { Sessions } from '../domain/accounts/sessions.ts'
import type { SingleSignOn } from '../domain/accounts/single-sign-on.ts'
import type { Artwork } from '../domain/directory/artwork.ts'
import type { Directory } from '../domain/directory/directory.ts'
import type { ExternalDirectory } from '../domain/directory/external.ts'
import type { Listening } from '../domain/directory/listening.ts'
import type { MyPodcasts } from '../domain/directory/my-podcasts.ts'
import type { Podcasts } from '../domain/directory/podcasts.ts'
import type { Search } from '../domain/directory/search.ts'
import type { Upgrades } from '../domain/directory/upgrades.ts'
import type { Feeds } from '../domain/feeds/refresh.ts'
import type { FeedHealthReport } from '../domain/feeds/status.ts'
import type { Backups } from '../domain/server/backups.ts'
import type { ServerInfo, ServerStatus } from '../domain/server/status.ts'
import type { Devices } from '../domain/sync/devices.ts'
import type { EpisodeActions } from '../domain/sync/episode-actions.ts'
import type { AccountExport } from '../domain/sync/export.ts'
import type { LastSeen } from '../domain/sync/last-seen.ts'
import type { Settings } from '../domain/sync/settings.ts'
import type { Subscriptions } from '../domain/sync/subscriptions.ts'
import type { SyncGroups } from '../domain/sync/sync-groups.ts'
import type { Clock } from '../platform/clock.ts'
import type { AuthGuard } from './auth.ts'
import type { Origins } from './origin.ts'
import { adminBackupRoutes } from './routes/admin-backups.ts'
import { adminCheckRoutes } from './routes/admin-checks.ts'
import { adminDirectoryRoutes } from './routes/admin-directory.ts'
import { adminFeedHealthRoutes } from './routes/admin-feed-health.ts'
import { adminFeedRoutes } from './routes/admin-feeds.ts'
import { adminServerRoutes } from './routes/admin-server.ts'
import { adminStatusRoutes } from './routes/admin-status.ts'
import { adminUserRoutes } from './routes/admin-users.ts'
import { artworkRoutes } from './routes/artwork.ts'
import { deviceRoutes } from './routes/devices.ts'
import { directoryRoutes } from './routes/directory.ts'
import { episodeActionRoutes } from './routes/episode-actions.ts'
import { externalDirectoryRoutes } from './routes/external-directory.ts'
import { identityRoutes } from './routes/identities.ts'
import { listeningRoutes } from './routes/listening.ts'
import { meRoutes } from './routes/me.ts'
import { meAccountRoutes } from './routes/me-account.ts'
import { meExportRoutes } from './routes/me-export.ts'
import { mePodcastRoutes } from './routes/me-podcasts.ts'
import { meSessionRoutes } from './routes/me-sessions.ts'
import { passwordResetRoutes } from './routes/password-reset.ts'
import { podcastDataRoutes } from './routes/podcast-data.ts'
import { podcastPageRoutes } from './routes/podcast-pages.ts'
import { registrationRoutes } from './routes/registration.ts'
import { searchRoutes } from './routes/search.ts'
import { serverRoutes } from './routes/server.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'
import { subscriptionListRoutes } from './routes/subscription-lists.ts'
import { subscriptionRoutes } from './routes/subscriptions.ts'
import { syncDeviceRoutes } from './routes/sync-devices.ts'
import { upgradeRoutes } from './routes/upgrades.ts'

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
