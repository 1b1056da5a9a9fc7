import { Elysia, t } from 'elysia'
import type { Listening, ListeningReport } from '../../../domain/directory/listening.ts'
import type { PlayEvent } from '../../../domain/directory/ports.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import { pageEnvelope, parsePaging } from '../../requests/paging.ts'
import { PageQuery, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const date = (description: string, example: string) => t.Optional(t.String({ description, examples: [example] }))

const RangeQuery = objectSchema({
  from: date('The first day, `YYYY-MM-DD`; 29 days before the last one unless given.', '2025-02-24'),
  to: date('The last day; today unless given. 400 days at the most.', '2025-03-02'),
  offset: date("Minutes by which the person's clock is ahead of UTC: what a day is; 0 unless given.", '60'),
})

const minutes = t.Integer({ description: 'Whole minutes, rounded.' })

const HeardPodcast = objectSchema({
  url: t.String({ description: 'Feed URL.' }),
  title: t.String({ description: 'The feed URL while no title is known.' }),
  logo_url: t.String(),
  minutes,
  episodes: t.Integer({ description: 'Different ones.' }),
})

const Report = objectSchema(
  {
    from: t.String({ description: 'The first day of the range.' }),
    to: t.String({ description: 'The last one.' }),
    minutes,
    episodes: t.Integer({ description: 'Different ones.' }),
    days: t.Array(objectSchema({ date: t.String(), minutes }), {
      description: 'Days with a minute or more, in order.',
    }),
    weekdays: t.Array(t.Integer(), { minItems: 7, maxItems: 7, description: 'Minutes by weekday, Monday first.' }),
    podcasts: t.Array(HeardPodcast, { description: 'The 20 heard the longest, if for a minute or more.' }),
  },
  { description: 'What was heard in the range.' },
)

const seconds = (description: string) => t.Optional(t.Integer({ description }))

const Event = objectSchema({
  podcast: t.String({ description: 'Feed URL.' }),
  podcast_title: t.String({ description: 'The feed URL while no title is known.' }),
  episode: t.String({ description: 'URL of the media file.' }),
  episode_title: t.String({ description: 'The media URL while no title is known.' }),
  timestamp: t.String({ description: 'When it happened: `YYYY-MM-DDTHH:MM:SS` in UTC.' }),
  device: t.Optional(t.String({ description: 'Where it happened.' })),
  started: seconds('Where playing began, in seconds.'),
  position: seconds('Where it stopped.'),
  total: seconds('The length of the episode.'),
})

const History = objectSchema(
  {
    page: t.Integer(),
    per_page: t.Integer(),
    total: t.Integer(),
    total_pages: t.Integer(),
    events: t.Array(Event, { description: 'Newest first; what is not known is left out.' }),
  },
  { description: 'One page of what was played.' },
)

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
  timestamp: '2025-03-02T10:00:00',
  device: 'ida-pixel',
  started: 0,
  position: 61,
  total: 1800,
}

/** What somebody heard, out of the own episode actions. Ours: the protocol has no such thing. */
export function listeningRoutes(listening: Listening, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/me/listening',
      async ({ principal: { user }, query }) => toReportJson(await listening.report(user.id, query)),
      {
        auth: 'user',
        query: RangeQuery,
        response: { 200: Report, ...protectedErrors },
        detail: operation('Episode actions', '/api/2/me/listening', 'getListening', 'Add up what was heard', {
          description:
            'From `play` actions that say where playing `started` and at what `position` it stopped. A stretch of an episode counts once a day, however often it is reported; what cannot be true does not count.',
          'x-response': json(REPORT),
          'x-refusals': {
            400: {
              description: 'A date is none, the range is too long or ends before it begins, or the offset is none.',
              error: 'validation_failed',
              message: 'from must be a date like 2025-03-02',
              field: 'from',
            },
          },
        }),
      },
    )
    .get(
      '/api/2/me/history',
      async ({ principal: { user }, query }) => {
        const paging = parsePaging(query)
        const { total, events } = await listening.history(user.id, paging)
        return { ...pageEnvelope(paging, total), events: events.map(toEventJson) }
      },
      {
        auth: 'user',
        query: PageQuery,
        response: { 200: History, ...protectedErrors },
        detail: operation('Episode actions', '/api/2/me/history', 'getHistory', 'List what was played', {
          description: 'The `play` actions of the account, the newest 10,000 of them, with the titles that are known.',
          'x-response': json({ page: 0, per_page: 20, total: 41, total_pages: 3, events: [EVENT] }),
          'x-refusals': {
            400: {
              description: 'A parameter is no whole number.',
              error: 'validation_failed',
              message: 'page must be a whole number',
              field: 'page',
            },
          },
        }),
      },
    )
}

function toReportJson({ range, days, weekdays, podcasts, ...sums }: ListeningReport): typeof Report.static {
  return {
    from: dateOf(range.from),
    to: dateOf(range.to),
    minutes: minutesOf(sums.seconds),
    episodes: sums.episodes,
    days: days
      .map(({ day, seconds }) => ({ date: dateOf(day), minutes: minutesOf(seconds) }))
      .filter(({ minutes }) => minutes > 0),
    weekdays: weekdays.map(minutesOf),
    podcasts: podcasts
      .map(({ url, title, logoUrl, seconds, episodes }) => ({
        ...{ url, title, logo_url: logoUrl },
        ...{ minutes: minutesOf(seconds), episodes },
      }))
      .filter(({ minutes }) => minutes > 0),
  }
}

/** Keys of what is not known are left out, as in the lists that apps get (docs/protocol.md#D43). */
function toEventJson(event: PlayEvent): typeof Event.static {
  const { podcast, podcastTitle, episode, episodeTitle, at, device, started, position, total } = event
  return {
    ...{ podcast, podcast_title: podcastTitle, episode, episode_title: episodeTitle },
    timestamp: formatTimestamp(at),
    ...(device !== undefined && { device }),
    ...(started !== undefined && { started }),
    ...(position !== undefined && { position }),
    ...(total !== undefined && { total }),
  }
}

function minutesOf(seconds: number): number {
  return Math.round(seconds / 60)
}

/** `YYYY-MM-DD` of a day counted since 1970. */
function dateOf(day: number): string {
  return formatTimestamp(day * 86_400).slice(0, 10)
}
