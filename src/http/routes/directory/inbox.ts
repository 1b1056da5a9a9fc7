import { formatBefore, parseBefore } from '../../../domain/directory/inbox.ts'
import type { ListedEpisode, PageOfTime } from '../../../domain/directory/ports/inbox.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import { episodeLink } from '../../../formats/podcast-xml.ts'
import { noteActivity } from '../../activity.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { parsePaging, syncClientOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/inbox.ts'
import { toTagJson } from './directory.ts'

/** docs/protocol.md#own-episodes: what a user has begun, what is new, and marks. An addition of this server. */
export const inboxRoutes = ({ inbox, activity, origins }: RouteParts): Route[] => [
  get('/api/2/me/in-progress', 'user', spec.listInProgress, async ({ request, principal: { user }, query }) =>
    toPageJson(await inbox.inProgress(user.id, pageOf(query)), origins.baseOf(request)),
  ),
  get('/api/2/me/inbox', 'user', spec.listInbox, async ({ request, principal: { user }, query }) => {
    const page = await inbox.list(user.id, {
      ...pageOf(query),
      podcast: query.podcast || undefined,
      tag: query.tag || undefined,
      onlyUnplayed: query.unplayed?.toLowerCase() === 'true',
    })
    return toPageJson(page, origins.baseOf(request))
  }),
  get('/api/2/me/tags', 'user', spec.listOwnTags, async ({ principal: { user } }) =>
    (await inbox.tags(user.id)).map(toTagJson),
  ),
  get('/api/2/me/unplayed', 'user', spec.listUnplayed, ({ principal: { user } }) => inbox.unplayed(user.id)),
  post('/api/2/me/episodes/mark', 'user', spec.markEpisodes, async ({ principal, body }) => {
    const { as, episodes, podcast } = body
    if ((episodes === undefined) === (podcast === undefined))
      throw invalid('episodes', 'either episodes or podcast is needed')
    const marked = episodes === undefined ? { podcast: podcast ?? '' } : { episodes }
    const result = await inbox.mark(syncClientOf(principal), marked, as)
    noteActivity(activity, principal, { kind: 'sent_actions', items: result.marked })
    return { status: 'ok' as const, marked: result.marked, has_more: result.hasMore, timestamp: result.timestamp }
  }),
]

function pageOf(query: { before?: string | undefined; per_page?: string | undefined }) {
  return { before: parseBefore(query.before), limit: parsePaging({ per_page: query.per_page }).perPage }
}

function toPageJson({ items, next }: PageOfTime<ListedEpisode>, base: string) {
  return { items: items.map((item) => toItemJson(item, base)), next: next ? formatBefore(next) : null }
}

/** Keys of what is not known of the action are left out, as in the lists that apps get (docs/protocol.md#D43). */
export function toItemJson({ podcast, action, ...episode }: ListedEpisode, base: string) {
  const { url, title, website, guid, imageUrl, hasPicture, released, duration } = episode
  return {
    podcast: {
      url: podcast.url,
      title: podcast.title,
      logo_url: podcast.logoUrl,
      artwork: `${base}/artwork/300?${new URLSearchParams({ url: podcast.url })}`,
    },
    episode: {
      title,
      url,
      website,
      mygpo_link: episodeLink(base, podcast.url, url),
      guid,
      released: timestampOrEmpty(released),
      duration: duration ?? null,
      image_url: imageUrl,
      has_picture: hasPicture,
    },
    state: listenStateOf(action),
    ...(action?.position !== undefined && { position: action.position }),
    ...(action?.total !== undefined && { total: action.total }),
    ...(action?.device !== undefined && { device: action.device }),
    ...(action !== undefined && { timestamp: formatTimestamp(action.at) }),
  }
}
