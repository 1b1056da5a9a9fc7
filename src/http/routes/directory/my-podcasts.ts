import type { FeedTrace } from '../../../domain/feeds/ports.ts'
import { failureMessage, stateOf } from '../../../domain/feeds/status.ts'
import { timestampOrEmpty } from '../../../domain/shared/time.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { appOf } from '../../requests.ts'
import { jsonResponse } from '../../responses/list-response.ts'
import { revalidate } from '../../responses/revalidate.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/my-podcasts.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'

export function myPodcastRoutes({ myPodcasts, origins }: RouteParts): Route[] {
  return [
    get('/api/2/me/subscriptions', 'user', spec.listOwnSubscriptions, async ({ request, set, principal, query }) => {
      const base = origins.baseOf(request)
      const list = await myPodcasts.list(principal.user.id, query.state === 'new')
      const objects = list.map((own) => ({
        ...toPodcastJson(own.podcast, base),
        devices: [...own.devices],
        ...factsOf(own),
      }))
      return revalidate(request, set, jsonResponse(objects))
    }),
    get('/api/2/me/podcasts', 'user', spec.listOwnPodcasts, async ({ principal }) => {
      const list = await myPodcasts.list(principal.user.id)
      return list.map(({ podcast, ...own }) => ({
        url: own.url,
        title: podcast.title || own.url,
        author: podcast.author,
        language: podcast.language,
        has_picture: podcast.logoUrl !== '',
        devices: [...own.devices],
        ...factsOf(own),
      }))
    }),
    get('/api/2/me/holders', 'user', spec.listHolders, async ({ principal }) => {
      const list = await myPodcasts.list(principal.user.id)
      return list.map(({ url, devices }) => ({ url, devices: [...devices] }))
    }),
    get('/api/2/me/podcast', 'user', spec.getOwnPodcast, async ({ principal, query }) => {
      const own = await myPodcasts.find(principal.user.id, query.url ?? '')
      const facts = factsOf(own)
      const { checkedAt, succeededAt, reason } = own.trace
      const devices = own.devices.map(({ uid, caption, type, isSubscribed }) => ({
        id: uid,
        caption,
        type,
        subscribed: isSubscribed,
      }))
      return {
        url: own.url,
        subscribed: devices.some(({ subscribed }) => subscribed),
        devices,
        ...facts,
        health: {
          ...facts.health,
          last_checked: timestampOrEmpty(checkedAt),
          last_success: timestampOrEmpty(succeededAt),
          reason: reason ?? '',
          cause: reason === undefined ? '' : failureMessage(reason),
        },
      }
    }),
    post('/api/2/me/podcast/refresh', 'user', spec.refreshOwnPodcast, async ({ principal, body }) => {
      const { episodes } = await myPodcasts.refresh(principal.user.id, body.url)
      return { status: 'ok' as const, episodes }
    }),
  ]
}

/** Better URLs for the feeds of a user (docs/protocol.md#D73, D74). */
export function upgradeRoutes({ upgrades }: RouteParts): Route[] {
  return [
    get('/api/2/me/upgrades', 'user', spec.listUpgrades, async ({ principal: { user } }) => {
      const list = await upgrades.list(user.id)
      return list.map(({ httpUrl, httpsUrl, title }) => ({ http_url: httpUrl, https_url: httpsUrl, title }))
    }),
    post('/api/2/me/upgrades', 'user', spec.applyUpgrade, async ({ request, principal: { user }, body }) => {
      const pair = { httpUrl: body.http_url, httpsUrl: body.https_url }
      return { status: 'ok' as const, ...(await upgrades.apply(user.id, pair, appOf(request))) }
    }),
    get('/api/2/me/moves', 'user', spec.listMoves, async ({ principal: { user } }) => {
      const list = await upgrades.moves(user.id)
      return list.map(({ url, newUrl, title }) => ({ url, new_url: newUrl, title }))
    }),
    post('/api/2/me/moves', 'user', spec.applyMove, async ({ request, principal: { user }, body }) => {
      const pair = { url: body.url, newUrl: body.new_url }
      return { status: 'ok' as const, ...(await upgrades.applyMove(user.id, pair, appOf(request))) }
    }),
  ]
}

interface OwnFacts {
  readonly addedAt: number | undefined
  readonly newestRelease: number | undefined
  readonly isPrivate: boolean
  readonly trace: FeedTrace
}

function factsOf({ addedAt, newestRelease, isPrivate, trace }: OwnFacts) {
  return {
    added: timestampOrEmpty(addedAt),
    newest_release: timestampOrEmpty(newestRelease),
    private: isPrivate,
    health: { state: stateOf(trace), since: timestampOrEmpty(trace.failingSince) },
  }
}
