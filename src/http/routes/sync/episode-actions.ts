import { Elysia, t } from 'elysia'
import { isDeviceId } from '../../../domain/accounts/identifiers.ts'
import { ACTIONS_PER_REQUEST, tooManyActions } from '../../../domain/shared/limits.ts'
import { parseSince } from '../../../domain/shared/time.ts'
import type { EpisodeActions } from '../../../domain/sync/episode-actions.ts'
import type { LastSeen } from '../../../domain/sync/last-seen.ts'
import { readItems } from '../../../formats/json-items.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readText } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import { jsonName, UserFile } from '../../requests/params.ts'
import { noteLastSeen, syncClientOf } from '../../requests/principal.ts'
import {
  ErrorModel,
  protectedErrors,
  QUOTA_REMARK,
  SinceQuery,
  Timestamp,
  UpdateUrls,
} from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'
import { streamActions } from './action-stream.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'

const ListQuery = objectSchema({
  since: SinceQuery.properties.since,
  podcast: t.Optional(t.String({ description: 'Only actions on this feed.', examples: [PODCAST] })),
  device: t.Optional(t.String({ description: 'Only actions that name this device.', examples: ['ida-pixel'] })),
  aggregated: t.Optional(
    t.String({ description: '`true`: only the latest action of each episode.', examples: ['true'] }),
  ),
})

const Action = objectSchema({
  podcast: t.String({ description: 'Feed URL.' }),
  episode: t.String({ description: 'URL of the media file.' }),
  guid: t.Optional(t.String({ description: 'What the feed calls the episode.' })),
  device: t.Optional(t.String({ description: 'Where it happened.' })),
  action: t.String({ description: 'download, play, delete, new or flattr' }),
  timestamp: t.String({ description: 'When it happened: `YYYY-MM-DDTHH:MM:SS` in UTC.' }),
  started: t.Optional(t.Integer({ description: 'Where playing began, in seconds.' })),
  position: t.Optional(t.Integer({ description: 'Where it stopped; only with `play`.' })),
  total: t.Optional(t.Integer({ description: 'The length of the episode.' })),
})

/** As a client may send it; what is not known may be left out. */
const EXAMPLE = {
  podcast: PODCAST,
  episode: 'https://cdn.tidewater.example/fog.mp3',
  guid: 'fog-7',
  device: 'ida-pixel',
  action: 'play',
  timestamp: '2025-03-02T10:00:00',
  started: 0,
  position: 61,
  total: 1800,
}

const ActionList = objectSchema(
  { actions: t.Array(Action), timestamp: Timestamp },
  { description: 'The actions, in the order in which they happened.' },
)

/** With more keys than an action has. */
const LIMITS = { items: ACTIONS_PER_REQUEST, values: 20 * ACTIONS_PER_REQUEST }

/** Told to readers, never checked as a whole. */
const UploadShape = t.Array(
  objectSchema({
    ...Action.properties,
    timestamp: t.Optional(t.String({ description: 'When it happened, in UTC; now, if it is missing.' })),
  }),
)

const Uploaded = objectSchema(
  {
    timestamp: Timestamp,
    update_urls: UpdateUrls,
    rejected: t.Optional(
      t.Array(
        objectSchema({
          index: t.Integer({ description: 'The place of the item in the upload, from 0.' }),
          error: t.String(),
          message: t.String(),
        }),
        { description: 'Malformed items, if there are any; all others were stored.' },
      ),
    ),
  },
  { description: 'The actions are stored.' },
)

const PATH = '/api/2/episodes/{username}.json'

/** docs/protocol.md#episode-actions. */
export function episodeActionRoutes(episodeActions: EpisodeActions, lastSeen: LastSeen, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/episodes/:username',
      async ({ request, principal, params, query }) => {
        jsonName(params.username)
        const { chunks, timestamp } = await episodeActions.list(syncClientOf(principal), {
          since: parseSince(query.since),
          podcast: query.podcast || undefined,
          device: query.device || undefined,
          aggregated: query.aggregated?.toLowerCase() === 'true',
        })
        if (query.device !== undefined && isDeviceId(query.device))
          noteLastSeen(lastSeen, request, principal, query.device)
        return streamActions(chunks, timestamp)
      },
      {
        auth: 'self',
        params: UserFile,
        query: ListQuery,
        response: { 200: ActionList, ...protectedErrors },
        detail: operation('Episode actions', PATH, 'listEpisodeActions', 'Fetch actions', {
          description:
            'Of all devices, the own ones included. `since` is about the upload, not about when something was played.',
          'x-response': json({ actions: [EXAMPLE], timestamp: 1740909601 }),
        }),
      },
    )
    .post(
      '/api/2/episodes/:username',
      async ({ request, principal, params, body }) => {
        jsonName(params.username)
        // Items are checked one by one: a malformed one must not hold up the rest (docs/protocol.md#uploading-actions).
        const items = readItems(body, { limits: LIMITS, member: 'actions', tooMany: tooManyActions })
        const { timestamp, updateUrls, rejected, devices } = await episodeActions.upload(syncClientOf(principal), items)
        noteLastSeen(lastSeen, request, principal, ...devices)
        return { timestamp, update_urls: updateUrls, ...(rejected.length > 0 && { rejected }) }
      },
      {
        auth: 'self',
        params: UserFile,
        parse: [authFirst(authGuard, 'self', readText)],
        body: t.String({ description: 'A JSON array of actions.' }),
        response: { 200: Uploaded, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Episode actions', PATH, 'uploadEpisodeActions', 'Upload actions', {
          description:
            'At most 50,000 at once. A malformed item does not hold up the others, and what is known already is not stored twice. An action subscribes nobody to anything.',
          'x-request': { 'application/json': { schema: UploadShape, example: [EXAMPLE] } },
          'x-response': json({ timestamp: 1740909601, update_urls: [] }),
          'x-refusals': {
            409: QUOTA_REMARK,
            400: {
              description: 'The body is no list, or all of its items are malformed; nothing was stored.',
              error: 'validation_failed',
              message:
                'no item is a valid episode action; the first: action must be one of download, play, delete, new, flattr',
            },
          },
        }),
      },
    )
}
