import { Elysia, t } from 'elysia'
import type { DeviceContacts } from '../../domain/device-contacts.ts'
import type { EpisodeActions } from '../../domain/episode-actions.ts'
import { isDeviceId } from '../../domain/identifiers.ts'
import { ACTIONS_PER_REQUEST, tooManyActions } from '../../domain/request-limits.ts'
import { parseSince } from '../../domain/time.ts'
import { readItems } from '../../formats/json-items.ts'
import { streamActions } from '../action-stream.ts'
import { authPlugin, type Gatekeeper, guarded } from '../auth.ts'
import { readText } from '../body.ts'
import { noteContact } from '../device-contact.ts'
import { ErrorModel, protectedErrors, SinceQuery, Timestamp, UpdateUrls } from '../models.ts'
import { json, operation } from '../operation.ts'
import { jsonName, UserFile } from '../params.ts'
import { QUOTA_REMARK } from '../quota-remark.ts'
import { requesterOf } from '../requester.ts'
import { shape } from '../shape.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'

const ListQuery = shape({
  since: SinceQuery.properties.since,
  podcast: t.Optional(t.String({ description: 'Only actions on this feed.', examples: [PODCAST] })),
  device: t.Optional(t.String({ description: 'Only actions that name this device.', examples: ['ida-pixel'] })),
  aggregated: t.Optional(
    t.String({ description: '`true`: only the latest action of each episode.', examples: ['true'] }),
  ),
})

const Action = shape({
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

const ActionList = shape(
  { actions: t.Array(Action), timestamp: Timestamp },
  { description: 'The actions, in the order in which they happened.' },
)

/** With more keys than an action has. */
const LIMITS = { items: ACTIONS_PER_REQUEST, values: 20 * ACTIONS_PER_REQUEST }

/** Told to readers, never checked as a whole. */
const UploadShape = t.Array(
  shape({
    ...Action.properties,
    timestamp: t.Optional(t.String({ description: 'When it happened, in UTC; now, if it is missing.' })),
  }),
)

const Uploaded = shape(
  {
    timestamp: Timestamp,
    update_urls: UpdateUrls,
    rejected: t.Optional(
      t.Array(
        shape({
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

/** protocol.md section 9. */
export function episodeActionRoutes(episodeActions: EpisodeActions, contacts: DeviceContacts, gatekeeper: Gatekeeper) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/api/2/episodes/:username',
      async ({ request, caller, params, query }) => {
        jsonName(params.username)
        const { chunks, timestamp } = await episodeActions.list(requesterOf(caller), {
          since: parseSince(query.since),
          podcast: query.podcast || undefined,
          device: query.device || undefined,
          aggregated: query.aggregated?.toLowerCase() === 'true',
        })
        if (query.device !== undefined && isDeviceId(query.device)) noteContact(contacts, request, caller, query.device)
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
      async ({ request, caller, params, body }) => {
        jsonName(params.username)
        // Items are checked one by one: a malformed one must not hold up the rest (protocol.md 9.3).
        const items = readItems(body, { limits: LIMITS, member: 'actions', tooMany: tooManyActions })
        const { timestamp, updateUrls, rejected, devices } = await episodeActions.upload(requesterOf(caller), items)
        noteContact(contacts, request, caller, ...devices)
        return { timestamp, update_urls: updateUrls, ...(rejected.length > 0 && { rejected }) }
      },
      {
        auth: 'self',
        params: UserFile,
        parse: [guarded(gatekeeper, 'self', readText)],
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
