import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedObject,
  integer,
  objectSchema,
  optional,
  optionalList,
  optionalText,
  parameter,
  SinceQuery,
  Timestamp,
  UpdateUrls,
} from '../shared/models.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'

const Times = objectSchema({
  start: integer({ description: 'Whole seconds from the beginning of the episode.' }),
  end: integer({ description: 'The same, not before `start`.' }),
})

const Chapter = objectSchema({ ...Times.properties, label: t.String(), advertisement: t.Boolean() })

const EXAMPLE = { start: 10, end: 20, label: 'the good bit', advertisement: false }

export const listChapters = endpoint('Episode actions', 'listChapters', 'Get the chapters of an episode', {
  description: 'Parts of the episode that the user has marked.',
  query: objectSchema({
    podcast: parameter('The URL of the feed; needed.', PODCAST),
    episode: parameter('The URL of the media file; needed.', EPISODE),
    since: SinceQuery.properties.since,
  }),
  response: describedObject('Those that were added or changed since then; none for an unknown episode.', {
    chapters: t.Array(Chapter, { description: 'By `start`, then `end`.' }),
    timestamp: Timestamp,
  }),
  example: { chapters: [EXAMPLE], timestamp: 1740909601 },
})

export const changeChapters = endpoint('Episode actions', 'changeChapters', 'Change the chapters of an episode', {
  description:
    'First all of `chapters_remove`, then all of `chapters_add`. A chapter is known by `start` and `end`: adding it again changes the rest of it. At most 500 in an episode.',
  body: objectSchema({
    podcast: t.String({ description: 'The URL of the feed.' }),
    episode: t.String({ description: 'The URL of the media file.' }),
    device: optionalText('The device that asks; it is created if it does not exist.'),
    chapters_add: optionalList(
      objectSchema({
        ...Times.properties,
        label: optionalText('At most 500 characters.'),
        advertisement: optional(t.Boolean()),
      }),
      'Chapters to add or change.',
    ),
    chapters_remove: optionalList(Times, 'Those that are not there do no harm.'),
  }),
  bodyExample: {
    ...{ podcast: PODCAST, episode: EPISODE, device: 'ida-pixel' },
    ...{ chapters_add: [EXAMPLE], chapters_remove: [{ start: 30, end: 45 }] },
  },
  response: describedObject('The changes are stored.', { update_urls: UpdateUrls, timestamp: Timestamp }),
  example: { update_urls: [], timestamp: 1740909601 },
  errors: [
    errorResponse(
      'quota_exceeded',
      'The episode would have more than 500 chapters, or the account too many of them or of devices; nothing was changed.',
      'an account may have 500 chapters in an episode; nothing was changed: remove some first',
    ),
  ],
})
