import { t } from 'elysia'
import { PRIVATE_FORMATS, splitSuffix } from '../../../formats/negotiate.ts'
import { type BodyReader, readAnyText, readFeedChange, readText } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedObject,
  Empty,
  objectSchema,
  optional,
  optionalList,
  PrivateListQuery,
  REVALIDATED,
  SinceQuery,
  Timestamp,
  UpdateUrls,
} from '../shared/models.ts'
import { DEVICE_LIST_EXAMPLES, PodcastModel, UPLOAD_EXAMPLES, USER_LIST_EXAMPLES } from '../shared/podcast.ts'

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const TYPED = 'HTTPS://Feeds.Tidewater.example/harbour.xml'

/** The two lists of an upload of changes, also used by the Nextcloud API. */
export const UPLOADED_CHANGES = {
  add: optionalList(t.String(), 'Feed URLs.'),
  remove: optionalList(t.String(), 'Feed URLs.'),
}

export const SubscriptionChanges = describedObject('The changes; no URL is in both lists.', {
  add: t.Array(t.String(), { description: 'Feed URLs subscribed to since then.' }),
  remove: t.Array(t.String(), { description: 'Feed URLs no longer subscribed to. Always empty if `since` is 0.' }),
  timestamp: Timestamp,
})

export const getSubscriptionChanges = endpoint('Subscriptions', 'getSubscriptionChanges', 'Fetch changes', {
  description:
    'Changes since the last fetch. For a device that does not exist, the lists are empty, and no device is created.',
  query: SinceQuery,
  response: SubscriptionChanges,
  example: { add: [HARBOUR], remove: [], timestamp: 1740909601 },
})

export const uploadSubscriptionChanges = endpoint('Subscriptions', 'uploadSubscriptionChanges', 'Upload changes', {
  description:
    'Applies to the device and its whole sync group. Creates the device if it does not exist. At most 5,000 feeds per request.',
  read: readFeedChange,
  body: objectSchema({
    ...UPLOADED_CHANGES,
    titles: optional(t.Object({}, { additionalProperties: t.String() }), {
      description:
        'The user’s names of podcasts, by feed URL. Shown to this user only, until the feed provides a title; names of feeds that the user is not subscribed to are ignored.',
    }),
  }),
  bodyExample: { add: [TYPED], remove: ['https://old.example/gone.rss'], titles: { [TYPED]: 'Harbour Stories' } },
  response: describedObject('The changes are stored.', { timestamp: Timestamp, update_urls: UpdateUrls }),
  example: { timestamp: 1740909601, update_urls: [[TYPED, HARBOUR]] },
  errors: [
    'quota_exceeded',
    errorResponse(
      'validation_failed',
      'The body does not match its schema, or a URL is in both lists; nothing was stored.',
      'the same URL must not be in add and remove',
    ),
  ],
})

export const listUserSubscriptions = endpoint(
  'Subscriptions',
  'listUserSubscriptions',
  'Get the subscriptions of a user',
  {
    description: `Subscriptions of all devices, each podcast once. ${REVALIDATED}`,
    query: PrivateListQuery,
    suffixes: PRIVATE_FORMATS,
    response: t.Array(PodcastModel, { description: 'The list, in the format of the suffix.' }),
    formats: USER_LIST_EXAMPLES,
  },
)

export const listDeviceSubscriptions = endpoint(
  'Subscriptions',
  'listDeviceSubscriptions',
  'Get the subscriptions of a device',
  {
    description: `In JSON, the list contains bare feed URLs. ${REVALIDATED}`,
    query: PrivateListQuery,
    suffixes: PRIVATE_FORMATS,
    response: t.Array(t.String(), { description: 'The list, in the format of the suffix.' }),
    formats: DEVICE_LIST_EXAMPLES,
    errors: ['unknown_device'],
  },
)

/** JSON and plain text are UTF-8; XML declares its encoding. */
const readList: BodyReader<string> = (request, room, { device = '' }) =>
  splitSuffix(device).suffix === 'opml' ? readAnyText(request, room) : readText(request, room)

export const replaceSubscriptions = endpoint(
  'Subscriptions',
  'replaceSubscriptions',
  'Replace the subscriptions of a device',
  {
    description:
      'Replaces the list of the device and of its whole sync group. Creates the device if it does not exist. Anything that is not a usable feed URL is skipped. Titles in OPML and in JSON objects are shown to this user only, until the feeds provide theirs. At most 5,000 feeds per request.',
    suffixes: ['json', 'txt', 'opml'],
    read: readList,
    body: t.String({ description: 'The list in the format of the suffix: json, txt or opml.' }),
    bodyFormats: UPLOAD_EXAMPLES,
    response: Empty,
    errors: [
      'quota_exceeded',
      errorResponse(
        'invalid_json',
        'The body is not in the format of the suffix; nothing was changed.',
        'the body is not valid JSON',
      ),
    ],
  },
)

export const postSubscriptions = {
  ...replaceSubscriptions,
  id: 'postSubscriptions',
  summary: 'Replace the subscriptions of a device with `POST`',
}
