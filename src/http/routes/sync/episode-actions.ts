import { isDeviceId } from '../../../domain/accounts/identifiers.ts'
import { ACTIONS_PER_REQUEST, tooManyActions } from '../../../domain/shared/limits.ts'
import { formatTimestamp, parseSince } from '../../../domain/shared/time.ts'
import type { Chunks, EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import { readItems } from '../../../formats/json-items.ts'
import { countActions, isWhole, noteActivity } from '../../activity.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { jsonName, noteLastSeen, syncClientOf } from '../../requests.ts'
import { streamResponse, TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/episode-actions.ts'

export const ACTION_LIMITS = { items: ACTIONS_PER_REQUEST, values: 20 * ACTIONS_PER_REQUEST }

/** docs/protocol.md#episode-actions. */
export const episodeActionRoutes = ({ episodeActions, lastSeen, activity }: RouteParts): Route[] => [
  get(
    '/api/2/episodes/:username.json',
    'self',
    spec.listEpisodeActions,
    async ({ principal, params, query: { since, podcast, device, aggregated } }) => {
      jsonName(params.username)
      const { chunks, timestamp } = await episodeActions.list(syncClientOf(principal), {
        since: parseSince(since),
        podcast: podcast || undefined,
        device: device || undefined,
        aggregated: aggregated?.toLowerCase() === 'true',
      })
      const named = device !== undefined && isDeviceId(device) ? device : undefined
      if (named !== undefined) noteLastSeen(lastSeen, principal, named)
      const note = (items: number) =>
        noteActivity(activity, principal, { kind: 'fetched_actions', device: named, items })
      return streamActions(countActions(chunks, note), timestamp)
    },
  ),
  post('/api/2/episodes/:username.json', 'self', spec.uploadEpisodeActions, async ({ principal, params, body }) => {
    jsonName(params.username)
    // Items are validated one by one: a malformed one must not block the rest (docs/protocol.md#uploading-actions).
    const items = readItems(body, { limits: ACTION_LIMITS, member: 'actions', tooMany: tooManyActions })
    const { timestamp, updateUrls, rejected, devices, count } = await episodeActions.upload(
      syncClientOf(principal),
      items,
    )
    noteLastSeen(lastSeen, principal, ...devices)
    const device = devices.length === 1 ? devices[0] : undefined
    noteActivity(activity, principal, { kind: 'sent_actions', device, items: count })
    return { timestamp, update_urls: updateUrls, ...(rejected.length > 0 && { rejected }) }
  }),
]

/** Response with actions. Long lists are streamed in chunks as the client reads. */
export function streamActions(
  chunks: Chunks<EpisodeAction>,
  timestamp: number,
  toItem: (action: EpisodeAction) => object = toWire,
): Response | Promise<Response> {
  if (!isWhole(chunks)) return streamResponse(actionsText(chunks, timestamp, toItem), 'application/json')
  // Not joined from pieces, which would briefly hold the text twice.
  return new TextResponse(JSON.stringify({ actions: chunks.flat().map(toItem), timestamp }), 'application/json')
}

async function* actionsText(
  chunks: AsyncIterable<readonly EpisodeAction[]>,
  timestamp: number,
  toItem: (action: EpisodeAction) => object,
): AsyncGenerator<string> {
  let before = '{"actions":['
  for await (const chunk of chunks) {
    // Serializing one array per chunk costs less than serializing each item.
    const items = JSON.stringify(chunk.map(toItem)).slice(1, -1)
    if (items === '') continue
    yield before + items
    before = ','
  }
  yield `${before === ',' ? '' : before}],"timestamp":${timestamp}}`
}

export function actionJson(action: EpisodeAction): string {
  return JSON.stringify(toWire(action))
}

/** Omits unknown values: clients choke on null and on -1 (docs/protocol.md#D43). */
function toWire({ podcast, episode, guid, device, kind, at, started, position, total }: EpisodeAction) {
  const timestamp = formatTimestamp(at)
  return { podcast, episode, guid, device, action: kind, timestamp, started, position, total }
}
