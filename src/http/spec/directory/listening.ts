import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  integer,
  objectSchema,
  PageQuery,
  pageOf,
  parameter,
} from '../shared/models.ts'
import { has_picture } from './podcasts.ts'

const RangeQuery = objectSchema({
  from: parameter('First day, `YYYY-MM-DD`; by default, 29 days before the last one.', '2025-02-24'),
  to: parameter('Last day; by default, today. At most 400 days in all.', '2025-03-02'),
  offset: parameter("Minutes by which the user's clock is ahead of UTC, which defines the days; by default 0.", '60'),
})

const minutes = integer({ description: 'Whole minutes, rounded.' })

const HeardPodcast = objectSchema({
  url: t.String({ description: 'Feed URL.' }),
  title: t.String({ description: 'The feed URL while no title is known.' }),
  logo_url: t.String(),
  minutes,
  episodes: integer({ description: 'Number of distinct episodes.' }),
})

const Report = describedObject('Listening in the range.', {
  from: t.String({ description: 'First day of the range.' }),
  to: t.String({ description: 'Last day of the range.' }),
  minutes,
  episodes: integer({ description: 'Number of distinct episodes.' }),
  days: describedList('Days with at least one minute, in order.', { date: t.String(), minutes }),
  weekdays: t.Array(integer(), { minItems: 7, maxItems: 7, description: 'Minutes by weekday, Monday first.' }),
  podcasts: t.Array(HeardPodcast, { description: 'The 20 podcasts with the most minutes, at least one each.' }),
})

const seconds = (description: string) => t.Optional(integer({ description }))

const Event = objectSchema({
  podcast: t.String({ description: 'Feed URL.' }),
  podcast_title: t.String({ description: 'The feed URL while no title is known.' }),
  episode: t.String({ description: 'URL of the media file.' }),
  episode_title: t.String({ description: 'The media URL while no title is known.' }),
  has_picture,
  timestamp: t.String({ description: 'Time of the action: `YYYY-MM-DDTHH:MM:SS` in UTC.' }),
  device: t.Optional(t.String({ description: 'ID of the device.' })),
  started: seconds('Start of playback, in seconds.'),
  position: seconds('End of playback, in seconds.'),
  total: seconds('Length of the episode, in seconds.'),
})

const History = pageOf('A page of the listening history.', {
  events: t.Array(Event, { description: 'Newest first. Unknown fields are missing.' }),
})

const HARBOUR = { url: 'https://feeds.tidewater.example/harbour.xml', title: 'Harbour Talk' }

const REPORT: typeof Report.static = {
  from: '2025-02-24',
  to: '2025-03-02',
  minutes: 95,
  episodes: 3,
  days: [
    { date: '2025-02-26', minutes: 30 },
    { date: '2025-03-02', minutes: 65 },
  ],
  weekdays: [0, 0, 30, 0, 0, 0, 65],
  podcasts: [{ ...HARBOUR, logo_url: 'https://tidewater.example/harbour.png', minutes: 95, episodes: 3 }],
}

const EVENT: typeof Event.static = {
  podcast: HARBOUR.url,
  podcast_title: HARBOUR.title,
  episode: 'https://cdn.tidewater.example/fog.mp3',
  episode_title: 'Fog',
  has_picture: false,
  timestamp: '2025-03-02T10:00:00',
  device: 'ida-pixel',
  started: 0,
  position: 61,
  total: 1800,
}

export const getListening = endpoint('Episode actions', 'getListening', 'Get listening statistics', {
  description:
    'Calculated from `play` actions with `started` and `position`. A part of an episode counts once a day, however often it is reported; impossible values are ignored.',
  query: RangeQuery,
  response: Report,
  example: REPORT,
  errors: [
    errorResponse(
      'validation_failed',
      'A date or the offset is invalid, or the range is too long or ends before it begins.',
      'from must be a date like 2025-03-02',
      'from',
    ),
  ],
})

export const getHistory = endpoint('Episode actions', 'getHistory', 'Get the listening history', {
  description: 'The newest 10,000 `play` actions of the account, with titles if known.',
  query: PageQuery,
  response: History,
  example: { page: 0, per_page: 20, total: 41, total_pages: 3, events: [EVENT] },
  errors: [
    errorResponse('validation_failed', 'A parameter is not a whole number.', 'page must be a whole number', 'page'),
  ],
})
