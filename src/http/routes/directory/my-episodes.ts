import type { DeviceUpdates } from '../../../domain/directory/my-episodes.ts'
import type { EpisodeUpdate } from '../../../domain/directory/ports/inbox.ts'
import type { EpisodeObject } from '../../../domain/directory/ports/podcasts.ts'
import { parseSince } from '../../../domain/shared/time.ts'
import { noteActivity, sizesOf } from '../../activity.ts'
import { get, type Route } from '../../endpoint.ts'
import { jsonName, noteLastSeen, syncClientOf } from '../../requests.ts'
import { arrayText, streamResponse } from '../../responses/text-response.ts'
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
    const toText = (episode: EpisodeObject) =>
      JSON.stringify({ ...toEpisodeJson(episode, base), has_picture: episode.hasPicture })
    return streamResponse(arrayText(myEpisodes.favorites(principal.user.id), toText), 'application/json')
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
      return streamResponse(text, 'application/json')
    },
  ),
]

async function* updatesText(updates: DeviceUpdates, base: string, withActions: boolean): AsyncGenerator<string> {
  const { add, remove, episodes, timestamp } = updates
  const added = add.map((podcast) => toPodcastJson(podcast, base))
  // The classic API's documentation uses one name, its server and libmygpo-qt use the other (docs/protocol.md#D33).
  yield JSON.stringify({ add: added, rem: remove, remove }).slice(0, -1)
  yield ',"updates":'
  yield* arrayText(episodes, (update) => updateText(update, base, withActions))
  yield `,"timestamp":${timestamp}}`
}

/** Old actions that do not describe a state are ignored. */
function updateText({ episode, action }: EpisodeUpdate, base: string, withActions: boolean): string {
  const state = action?.kind === 'flattr' ? undefined : action
  const text = JSON.stringify({ ...toEpisodeJson(episode, base), status: state?.kind ?? 'new' })
  if (!withActions || state === undefined || state.kind === 'new') return text
  return `${text.slice(0, -1)},"action":${actionJson(state)}}`
}
