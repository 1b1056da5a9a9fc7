import type { DeviceUpdates } from '../../../domain/directory/my-episodes.ts'
import type { EpisodeUpdate } from '../../../domain/directory/ports/inbox.ts'
import { isShort, type List, mapList } from '../../../domain/shared/lists.ts'
import { parseSince } from '../../../domain/shared/time.ts'
import { jsonWriter, writePieces } from '../../../formats/list-writer.ts'
import { noteActivity, sizesOf } from '../../activity.ts'
import { get, type Route } from '../../endpoint.ts'
import { jsonName, noteLastSeen, syncClientOf } from '../../requests.ts'
import { jsonResponse } from '../../responses/list-response.ts'
import { streamText, TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/my-episodes.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'
import { actionJson } from '../sync/episode-actions.ts'
import { toEpisodeJson } from './podcasts.ts'

/** docs/protocol.md#favorites and #device-updates. */
export const myEpisodeRoutes = ({ myEpisodes, lastSeen, activity, origins }: RouteParts): Route[] => [
  get('/api/2/favorites/:username.json', 'self', spec.listFavorites, async ({ request, principal, params }) => {
    jsonName(params.username)
    const base = origins.baseOf(request)
    const favorites = await myEpisodes.favorites(principal.user.id)
    return jsonResponse(
      'json',
      mapList(favorites, (episode) => ({ ...toEpisodeJson(episode, base), has_picture: episode.hasPicture })),
    )
  }),
  get(
    '/api/2/updates/:username/:device.json',
    'self',
    spec.getDeviceUpdates,
    async ({ request, principal, params, query: { since, include_actions } }) => {
      const device = jsonName(params.device)
      const updates = await myEpisodes.updates(syncClientOf(principal), device, parseSince(since))
      noteLastSeen(lastSeen, principal, device)
      noteActivity(activity, principal, { kind: 'fetched_updates', device, ...sizesOf(updates) })
      const text = updatesText(updates, origins.baseOf(request), include_actions?.toLowerCase() === 'true')
      const isWhole = isShort(updates.add) && isShort(updates.remove) && isShort(updates.episodes)
      return new TextResponse(isWhole ? [...text].join('') : streamText(text), 'application/json')
    },
  ),
]

function* updatesText(updates: DeviceUpdates, base: string, withActions: boolean): Iterable<string> {
  const { add, remove, episodes, timestamp } = updates
  yield '{"add":'
  yield* arrayOf(add, (podcast) => toPodcastJson(podcast, base))
  // The documentation of the classic API has one name, its server and libmygpo-qt the other (docs/protocol.md#D33).
  for (const key of ['rem', 'remove']) {
    yield `,"${key}":`
    yield* arrayOf(remove, (url) => url)
  }
  yield ',"updates":['
  let before = ''
  for (const piece of piecesOf(episodes)) {
    // A piece of nothing was work as well: others have their turn.
    if (piece.length === 0) yield ''
    for (const update of piece) {
      yield before + updateText(update, base, withActions)
      before = ','
    }
  }
  yield `],"timestamp":${timestamp}}`
}

/** Old actions that say nothing of the state count as none. */
function updateText({ episode, action }: EpisodeUpdate, base: string, withActions: boolean): string {
  const told = action?.kind === 'flattr' ? undefined : action
  const text = JSON.stringify({ ...toEpisodeJson(episode, base), status: told?.kind ?? 'new' })
  if (!withActions || told === undefined || told.kind === 'new') return text
  return `${text.slice(0, -1)},"action":${actionJson(told)}}`
}

function arrayOf<T>(list: List<T>, toJson: (item: T) => unknown): Iterable<string> {
  return writePieces(jsonWriter(toJson), piecesOf(list))
}

function piecesOf<T>(list: List<T>): Iterable<readonly T[]> {
  return isShort(list) ? [list] : list.pieces
}
