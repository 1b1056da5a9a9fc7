import { Elysia } from 'elysia'
import type { AccountExport } from '../domain/account-export.ts'
import type { Accounts } from '../domain/accounts.ts'
import type { Administration } from '../domain/administration.ts'
import type { Artwork } from '../domain/artwork.ts'
import type { Authentication } from '../domain/authentication.ts'
import type { Backups } from '../domain/backups.ts'
import type { DeviceContacts } from '../domain/device-contacts.ts'
import type { Devices } from '../domain/devices.ts'
import type { Directory } from '../domain/directory.ts'
import type { EpisodeActions } from '../domain/episode-actions.ts'
import type { ExternalDirectory } from '../domain/external-directory.ts'
import type { FeedHealthReport } from '../domain/feed-health.ts'
import type { Feeds } from '../domain/feeds.ts'
import type { Library } from '../domain/library.ts'
import type { Listening } from '../domain/listening.ts'
import type { OwnAccount } from '../domain/own-account.ts'
import type { PodcastLookup } from '../domain/podcast-lookup.ts'
import type { Search } from '../domain/search.ts'
import type { ServerInfo } from '../domain/server-info.ts'
import type { ServerStatus } from '../domain/server-status.ts'
import type { Sessions } from '../domain/sessions.ts'
import type { Settings } from '../domain/settings.ts'
import type { SingleSignOn } from '../domain/single-sign-on.ts'
import type { Subscriptions } from '../domain/subscriptions.ts'
import type { SyncGroups } from '../domain/sync-groups.ts'
import type { Upgrades } from '../domain/upgrades.ts'
import type { Clock } from '../platform/clock.ts'
import type { Gatekeeper } from './auth.ts'
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
  readonly contacts: DeviceContacts
  readonly library: Library
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
  readonly lookup: PodcastLookup
  readonly artwork: Artwork
  readonly externalDirectory: ExternalDirectory
  readonly feedHealth: FeedHealthReport
  readonly serverStatus: ServerStatus
  readonly backups: Backups
}

export interface ApiParts {
  readonly services: Services
  readonly gatekeeper: Gatekeeper
  readonly origins: Origins
  readonly clock: Clock
}

/** Every API route, on one screen. */
export function apiRoutes({ services, gatekeeper, origins, clock }: ApiParts) {
  const { accounts, administration, authentication, sessions, singleSignOn } = services
  const { devices, contacts, syncGroups, subscriptions, episodeActions, feeds, upgrades, settings, externalDirectory } =
    services
  return new Elysia()
    .use(serverRoutes({ ...services, gatekeeper, origins }))
    .use(sessionRoutes({ authentication, sessions, gatekeeper }))
    .use(registrationRoutes({ ...services, gatekeeper, origins }))
    .use(passwordResetRoutes(accounts, origins))
    .use(meRoutes({ ...services, gatekeeper, origins }))
    .use(meSessionRoutes(sessions, gatekeeper))
    .use(meAccountRoutes(services.ownAccount, gatekeeper, origins))
    .use(meExportRoutes(services.accountExport, gatekeeper))
    .use(mePodcastRoutes(services.library, gatekeeper, origins))
    .use(deviceRoutes(devices, contacts, gatekeeper))
    .use(syncDeviceRoutes(syncGroups, gatekeeper))
    .use(subscriptionRoutes(subscriptions, contacts, gatekeeper))
    .use(subscriptionListRoutes({ subscriptions, contacts, gatekeeper, origins, clock }))
    .use(upgradeRoutes(upgrades, gatekeeper))
    .use(episodeActionRoutes(episodeActions, contacts, gatekeeper))
    .use(listeningRoutes(services.listening, gatekeeper))
    .use(settingsRoutes(settings, contacts, gatekeeper))
    .use(directoryRoutes({ directory: services.directory, gatekeeper, origins, clock }))
    .use(searchRoutes({ search: services.search, gatekeeper, origins, clock }))
    .use(podcastDataRoutes({ lookup: services.lookup, gatekeeper, origins }))
    .use(podcastPageRoutes({ lookup: services.lookup, gatekeeper, origins }))
    .use(artworkRoutes({ artwork: services.artwork, gatekeeper, origins }))
    .use(externalDirectoryRoutes(externalDirectory, origins))
    .use(identityRoutes(singleSignOn, gatekeeper))
    .use(adminServerRoutes(administration, gatekeeper))
    .use(adminUserRoutes(administration, gatekeeper))
    .use(adminFeedRoutes({ feeds, lookup: services.lookup, gatekeeper, origins }))
    .use(adminFeedHealthRoutes(services.feedHealth, gatekeeper))
    .use(adminDirectoryRoutes(externalDirectory, gatekeeper))
    .use(adminCheckRoutes({ externalDirectory, singleSignOn, gatekeeper }))
    .use(adminStatusRoutes(services.serverStatus, gatekeeper))
    .use(adminBackupRoutes(services.backups, gatekeeper))
}
