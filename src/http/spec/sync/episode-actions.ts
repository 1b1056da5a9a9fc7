import { type TSchema, t } from 'elysia'
import { readUtf8 } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  integer,
  objectSchema,
  parameter,
  SinceQuery,
  Timestamp,
  UpdateUrls,
} from '../shared/models.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'

export const Action = objectSchema({
  podcast: t.String({ description: 'Feed URL.' }),
  episode: t.String({ description: 'URL of the media file.' }),
  guid: t.Optional(t.String({ description: 'The guid of the episode in its feed.' })),
  device: t.Optional(t.String({ description: 'ID of the device.' })),
  action: t.String({ description: 'download, play, delete, new or flattr' }),
  timestamp: t.String({ description: 'Time of the action: `YYYY-MM-DDTHH:MM:SS` in UTC.' }),
  started: t.Optional(integer({ description: 'Start of playback, in seconds.' })),
  position: t.Optional(integer({ description: 'End of playback, in seconds; only with `play`.' })),
  total: t.Optional(integer({ description: 'Length of the episode, in seconds.' })),
})

/** An action as sent by a client. Unknown values may be omitted. */
export const ACTION_EXAMPLE = {
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

/** Schema for the API description only: items are validated one by one. */
const UploadedActions = t.Array(
  objectSchema({
    ...Action.properties,
    timestamp: t.Optional(t.String({ description: 'Time of the action, UTC; by default, now.' })),
  }),
)

/** Common parts of action uploads. `items` is for the API description only. */
export const actionUpload = (items: TSchema, example: object) => ({
  read: readUtf8,
  body: t.Unsafe<Uint8Array>(t.Any({ description: 'A JSON array of actions.' })),
  bodyFormats: { 'application/json': { schema: items, example: [example] } },
  errors: [
    'quota_exceeded',
    errorResponse(
      'validation_failed',
      'The body is not a list, or all its items are malformed; nothing was stored.',
      'no item is a valid episode action; the first: action must be one of download, play, delete, new, flattr',
    ),
  ] as const,
})

export const listEpisodeActions = endpoint('Episode actions', 'listEpisodeActions', 'Fetch actions', {
  description:
    'Actions of all devices, including the one that sends the request. `since` refers to the time of the upload, not of the action.',
  query: objectSchema({
    since: SinceQuery.properties.since,
    podcast: parameter('Only actions for this feed.', PODCAST),
    device: parameter('Only actions that name this device.', 'ida-pixel'),
    aggregated: parameter('`true`: only the latest action of each episode.', 'true'),
  }),
  response: describedObject('The actions, in chronological order.', {
    actions: t.Array(Action),
    timestamp: Timestamp,
  }),
  example: { actions: [ACTION_EXAMPLE], timestamp: 1740909601 },
})

export const uploadEpisodeActions = endpoint('Episode actions', 'uploadEpisodeActions', 'Upload actions', {
  description:
    'At most 50,000 per request. Malformed items are skipped, and repeated actions are stored once. Actions do not change subscriptions.',
  ...actionUpload(UploadedActions, ACTION_EXAMPLE),
  response: describedObject('The actions are stored.', {
    timestamp: Timestamp,
    update_urls: UpdateUrls,
    rejected: t.Optional(
      describedList('Malformed items, if any; all others were stored.', {
        index: integer({ description: 'Position of the item in the upload, from 0.' }),
        error: t.String(),
        message: t.String(),
      }),
    ),
  }),
  example: { timestamp: 1740909601, update_urls: [] },
})
