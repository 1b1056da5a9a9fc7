import type { Services } from '../../services.ts'
import type { Route } from '../endpoint.ts'
import type { RouteParts } from '../services.ts'
import { appPasswordRoutes, loginFlowRoutes } from './accounts/app-passwords.ts'
import { eventRoutes } from './accounts/events.ts'
import { invitationRoutes } from './accounts/invitations.ts'
import { meRoutes } from './accounts/me.ts'
import { secondFactorRoutes } from './accounts/second-factor.ts'
import { signInRoutes } from './accounts/sign-in.ts'
import { userRoutes } from './accounts/users.ts'
import { directoryRoutes } from './directory/directory.ts'
import { folderRoutes } from './directory/folders.ts'
import { inboxRoutes } from './directory/inbox.ts'
import { listeningRoutes } from './directory/listening.ts'
import { myEpisodeRoutes } from './directory/my-episodes.ts'
import { myPodcastRoutes, upgradeRoutes } from './directory/my-podcasts.ts'
import { podcastListRoutes } from './directory/podcast-lists.ts'
import { podcastRoutes } from './directory/podcasts.ts'
import { queueRoutes } from './directory/queue.ts'
import { externalDirectoryRoutes, ownSearchRoutes, resolveRoutes, searchRoutes } from './directory/search.ts'
import { feedRoutes } from './feeds/feeds.ts'
import { privateFeedRoutes } from './outlets/private-feeds.ts'
import { webhookRoutes } from './outlets/webhook.ts'
import { administrationRoutes, adminServerRoutes } from './server/admin.ts'
import { doctorRoutes } from './server/doctor.ts'
import { homeRoutes } from './server/home.ts'
import { serverRoutes } from './server/server.ts'
import { activityRoutes } from './sync/activity.ts'
import { chapterRoutes } from './sync/chapters.ts'
import { deviceRoutes } from './sync/devices.ts'
import { episodeActionRoutes } from './sync/episode-actions.ts'
import { exportRoutes } from './sync/export.ts'
import { listChangeRoutes } from './sync/list-changes.ts'
import { nextcloudRoutes } from './sync/nextcloud.ts'
import { settingsRoutes } from './sync/settings.ts'
import { subscriptionRoutes } from './sync/subscriptions.ts'
import { partialExportRoutes } from './transfer/exports.ts'
import { importRoutes } from './transfer/imports.ts'

export interface ApiParts extends Omit<RouteParts, keyof Services> {
  readonly services: Services
}

export function apiRoutes({ services, ...rest }: ApiParts): Route[] {
  const parts = { ...services, ...rest }
  return [
    serverRoutes,
    signInRoutes,
    meRoutes,
    eventRoutes,
    secondFactorRoutes,
    appPasswordRoutes,
    loginFlowRoutes,
    exportRoutes,
    partialExportRoutes,
    importRoutes,
    myPodcastRoutes,
    deviceRoutes,
    activityRoutes,
    subscriptionRoutes,
    listChangeRoutes,
    upgradeRoutes,
    myEpisodeRoutes,
    episodeActionRoutes,
    nextcloudRoutes,
    inboxRoutes,
    queueRoutes,
    folderRoutes,
    homeRoutes,
    listeningRoutes,
    chapterRoutes,
    settingsRoutes,
    directoryRoutes,
    searchRoutes,
    ownSearchRoutes,
    resolveRoutes,
    podcastRoutes,
    externalDirectoryRoutes,
    podcastListRoutes,
    webhookRoutes,
    privateFeedRoutes,
    administrationRoutes,
    userRoutes,
    invitationRoutes,
    feedRoutes,
    adminServerRoutes,
    doctorRoutes,
  ].flatMap((routes) => routes(parts))
}
