import { formatBefore, parseBefore } from '../../../domain/directory/inbox.ts'
import type { Marked } from '../../../domain/directory/marks.ts'
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

/** docs/protocol.md#own-episodes: episodes in progress, new episodes and marks. An extension of this server. */
export const inboxRoutes = ({ inbox, marks, activity, origins }: RouteParts): Route[] => [
  get('/api/2/me/in-progress', 'user', spec.listInProgress, async ({ request, principal: { user }, query }) =>
    toPageJson(await inbox.inProgress(user.id, pageOf(query)), origins.baseOf(request)),
  ),
  get('/api/2/me/inbox', 'user', spec.listInbox, async ({ request, principal: { user }, query }) => {
    const page = await inbox.list(user.id, {
      ...pageOf(query),
      podcast: query.podcast || undefined,
      tag: query.tag || undefined,
      folder: parseFolder(query.folder),
      onlyUnplayed: isTrue(query.unplayed),
      onlyNew: isTrue(query.new),
    })
    return toPageJson(page, origins.baseOf(request))
  }),
  get('/api/2/me/tags', 'user', spec.listOwnTags, async ({ principal: { user } }) =>
    (await inbox.tags(user.id)).map(toTagJson),
  ),
  get('/api/2/me/unplayed', 'user', spec.listUnplayed, async ({ principal: { user } }) =>
    (await inbox.unplayed(user.id)).map(({ fresh, ...count }) => ({ ...count, new: fresh })),
  ),
  post('/api/2/me/episodes/mark', 'user', spec.markEpisodes, async ({ principal, body }) => {
    const { as, undo } = body
    const syncClient = syncClientOf(principal)
    const marked = readMarked(body)
    if (undo !== undefined && (as !== undefined || marked))
      throw invalid('undo', 'undo cannot be combined with other fields')
    if (undo === undefined && as === undefined) throw invalid('as', 'as or undo is required')
    if (undo === undefined && !marked) throw invalid('episodes', 'one of episodes, podcast and all is required')
    const result =
      as !== undefined && marked ? await marks.mark(syncClient, marked, as) : await marks.undo(syncClient, undo ?? '')
    noteActivity(activity, principal, { kind: 'sent_actions', items: result.marked })
    return {
      status: 'ok' as const,
      marked: result.marked,
      has_more: result.hasMore,
      undo: result.undo ?? null,
      timestamp: result.timestamp,
    }
  }),
]

/** Throws `validation_failed`. */
function parseFolder(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalid('folder', 'folder must be the ID of a folder')
  return Number(text)
}

const isTrue = (text: string | undefined) => text?.toLowerCase() === 'true'

/** Returns undefined if the body names no episodes. Throws `validation_failed` if it names them in several ways. */
function readMarked({ episodes, podcast, all }: typeof spec.markEpisodes.body.static): Marked | undefined {
  if ([episodes, podcast, all].filter((each) => each !== undefined).length > 1)
    throw invalid('episodes', 'only one of episodes, podcast and all is allowed')
  if (episodes) return { episodes }
  if (podcast !== undefined) return { all: { podcasts: [podcast] } }
  return all && { all: { ...all, isNew: all.new } }
}

function pageOf(query: { before?: string | undefined; per_page?: string | undefined }) {
  return { before: parseBefore(query.before), limit: parsePaging({ per_page: query.per_page }).perPage }
}

function toPageJson({ items, next }: PageOfTime<ListedEpisode>, base: string) {
  return { items: items.map((item) => toItemJson(item, base)), next: next ? formatBefore(next) : null }
}

/** Omits keys of unknown values of the action, as in lists for apps (docs/protocol.md#D43). */
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
