import { Elysia, t } from 'elysia'
import type { EpisodeActions } from '../../domain/episode-actions.ts'
import { invalid } from '../../domain/errors.ts'
import { parseSince } from '../../domain/time.ts'
import { streamActions } from '../action-stream.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readJson } from '../body.ts'
import { ErrorModel, protectedErrors, Timestamp, UpdateUrls } from '../models.ts'
import { operation } from '../operation.ts'
import { jsonName, UserFile } from '../params.ts'
import { requesterOf } from '../requester.ts'
import { shape } from '../shape.ts'

const ListQuery = shape({
  since: t.Optional(t.String({ description: 'The last `timestamp` received; missing means everything.' })),
  podcast: t.Optional(t.String({ description: 'Only actions on this feed.' })),
  device: t.Optional(t.String({ description: 'Only actions of this device.' })),
  aggregated: t.Optional(t.String({ description: '`true`: only the latest action of each episode.' })),
})

const Action = shape({
  podcast: t.String(),
  episode: t.String(),
  guid: t.Optional(t.String()),
  device: t.Optional(t.String()),
  action: t.String({ description: 'download, play, delete, new or flattr' }),
  timestamp: t.String({ description: 'YYYY-MM-DDTHH:MM:SS in UTC' }),
  started: t.Optional(t.Integer()),
  position: t.Optional(t.Integer()),
  total: t.Optional(t.Integer()),
})

const ActionList = shape({ actions: t.Array(Action), timestamp: Timestamp })

/** Items are checked one by one: a malformed one must not hold up the rest (protocol.md 9.3). */
const Upload = t.Union([t.Array(t.Unknown()), shape({ actions: t.Array(t.Unknown()) })])

const Uploaded = shape({
  timestamp: Timestamp,
  update_urls: UpdateUrls,
  rejected: t.Optional(t.Array(shape({ index: t.Integer(), error: t.String(), message: t.String() }))),
})

const PATH = '/api/2/episodes/{username}.json'

/** protocol.md section 9. */
export function episodeActionRoutes(episodeActions: EpisodeActions, gatekeeper: Gatekeeper) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/api/2/episodes/:username',
      async ({ caller, params, query }) => {
        jsonName(params.username)
        const { chunks, timestamp } = await episodeActions.list(requesterOf(caller), {
          since: parseSince(query.since),
          podcast: query.podcast || undefined,
          device: query.device || undefined,
          aggregated: query.aggregated?.toLowerCase() === 'true',
        })
        return streamActions(chunks, timestamp)
      },
      {
        auth: 'self',
        params: UserFile,
        query: ListQuery,
        response: { 200: ActionList, 400: ErrorModel, ...protectedErrors },
        detail: operation('Episode actions', PATH, 'Actions uploaded since the last fetch'),
      },
    )
    .post(
      '/api/2/episodes/:username',
      async ({ caller, params, body }) => {
        jsonName(params.username)
        const items = Array.isArray(body) ? body : body.actions
        if (!Array.isArray(items)) throw invalid('body', 'the body must be an array of actions')
        const { timestamp, updateUrls, rejected } = await episodeActions.upload(requesterOf(caller), items)
        return { timestamp, update_urls: updateUrls, ...(rejected.length > 0 && { rejected }) }
      },
      {
        auth: 'self',
        params: UserFile,
        parse: [({ request }) => readJson(request)],
        body: Upload,
        response: { 200: Uploaded, 400: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Episode actions', PATH, 'Upload actions'),
      },
    )
}
