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
  end: integer({ description: 'Whole seconds, not before `start`.' }),
})

const Chapter = objectSchema({ ...Times.properties, label: t.String(), advertisement: t.Boolean() })

const EXAMPLE = { start: 10, end: 20, label: 'the good bit', advertisement: false }

export const listChapters = endpoint('Episode actions', 'listChapters', 'Get the chapters of an episode', {
  description: 'Parts of the episode that the user has marked.',
  query: objectSchema({
    podcast: parameter('Feed URL; required.', PODCAST),
    episode: parameter('URL of the media file; required.', EPISODE),
    since: SinceQuery.properties.since,
  }),
  response: describedObject('Chapters added or changed since then; empty for an unknown episode.', {
    chapters: t.Array(Chapter, { description: 'Sorted by `start`, then `end`.' }),
    timestamp: Timestamp,
  }),
  example: { chapters: [EXAMPLE], timestamp: 1740909601 },
})

export const changeChapters = endpoint('Episode actions', 'changeChapters', 'Change the chapters of an episode', {
  description:
    'Applies all of `chapters_remove`, then all of `chapters_add`. `start` and `end` identify a chapter: adding it again changes its other fields. At most 500 per episode.',
  body: objectSchema({
    podcast: t.String({ description: 'Feed URL.' }),
    episode: t.String({ description: 'URL of the media file.' }),
    device: optionalText('Device that sends the request; created if it does not exist.'),
    chapters_add: optionalList(
      objectSchema({
        ...Times.properties,
        label: optionalText('At most 500 characters.'),
        advertisement: optional(t.Boolean()),
      }),
      'Chapters to add or change.',
    ),
    chapters_remove: optionalList(Times, 'Chapters to remove; unknown ones are ignored.'),
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
      'The episode would have more than 500 chapters, or the account too many chapters or devices; nothing was changed.',
      'an account may have 500 chapters in an episode; nothing was changed: remove some first',
    ),
  ],
})
