import { t } from 'elysia'
import { readFeedChange } from '../../body.ts'
import { type EndpointSpec, endpoint } from '../../endpoint.ts'
import { describedObject, integer, objectSchema, SinceQuery, Timestamp } from '../shared/models.ts'
import { actionUpload } from './episode-actions.ts'
import { SubscriptionChanges, UPLOADED_CHANGES } from './subscriptions.ts'

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'

const Stored = { timestamp: Timestamp }

export const getChanges = endpoint('Nextcloud apps', 'getNextcloudSubscriptions', 'Fetch changes of subscriptions', {
  description: 'Changes on the device `gpoddersync` since the last fetch; empty if the device does not exist.',
  query: SinceQuery,
  response: SubscriptionChanges,
  example: { add: [HARBOUR], remove: [], timestamp: 1740909601 },
})

export const uploadChanges = endpoint(
  'Nextcloud apps',
  'uploadNextcloudSubscriptions',
  'Upload changes of subscriptions',
  {
    description:
      'Applies to the device `gpoddersync`, which is created if it does not exist, and to its whole sync group. A podcast in both lists is removed. At most 5,000 feeds per request.',
    read: readFeedChange,
    body: objectSchema(UPLOADED_CHANGES),
    bodyExample: { add: [HARBOUR], remove: ['https://old.example/gone.rss'] },
    response: describedObject('The changes are stored.', Stored),
    example: { timestamp: 1740909601 },
    errors: ['quota_exceeded'],
  },
)

const Action = objectSchema({
  podcast: t.String({ description: 'Feed URL.' }),
  episode: t.String({ description: 'URL of the media file.' }),
  guid: t.Union([t.String(), t.Null()], { description: 'The guid of the episode in its feed.' }),
  action: t.String({ description: '`PLAY` or `NEW`' }),
  timestamp: t.String({ description: 'Time of the action: `YYYY-MM-DDTHH:MM:SS` in UTC.' }),
  started: integer({ description: 'Start of playback, in seconds; -1 if unknown.' }),
  position: integer({ description: 'End of playback, in seconds; -1 if unknown.' }),
  total: integer({ description: 'Length of the episode, in seconds; -1 if unknown.' }),
})

const ACTION = {
  podcast: HARBOUR,
  episode: 'https://cdn.tidewater.example/fog.mp3',
  guid: 'fog-7',
  action: 'PLAY',
  timestamp: '2025-03-02T10:00:00',
  started: 0,
  position: 61,
  total: 1800,
}

export const listActions = endpoint('Nextcloud apps', 'listNextcloudActions', 'Fetch episode actions', {
  description:
    'The latest listening position of each episode with such an upload since then, from any device: one action per episode, `PLAY` or `NEW`.',
  query: SinceQuery,
  response: describedObject('The actions, in chronological order.', {
    actions: t.Array(Action),
    timestamp: Timestamp,
  }),
  example: { actions: [ACTION], timestamp: 1740909601 },
})

/** Schema for the API description only: items are validated one by one. */
const UploadedActions = t.Array(
  objectSchema({
    podcast: Action.properties.podcast,
    episode: Action.properties.episode,
    guid: t.Optional(Action.properties.guid),
    action: t.String({ description: 'download, play, delete, new or flattr, in any case' }),
    timestamp: t.Optional(t.String({ description: 'Time of the action, UTC; by default, now.' })),
    started: t.Optional(Action.properties.started),
    position: t.Optional(Action.properties.position),
    total: t.Optional(Action.properties.total),
  }),
)

export const uploadActions = endpoint('Nextcloud apps', 'uploadNextcloudActions', 'Upload episode actions', {
  description:
    'At most 50,000 per request, stored for the device `gpoddersync`, which is created if it does not exist. Malformed items are skipped, and repeated actions are stored once.',
  ...actionUpload(UploadedActions, ACTION),
  response: describedObject('The actions are stored.', Stored),
  example: { timestamp: 1740909601 },
})

/** Endpoints at paths without `index.php`. */
export const SHORT = {
  getChanges: short(getChanges),
  uploadChanges: short(uploadChanges),
  listActions: short(listActions),
  uploadActions: short(uploadActions),
}

function short<S extends EndpointSpec>(spec: S): S {
  return { ...spec, id: `${spec.id}Short`, summary: `${spec.summary}, without index.php` }
}
