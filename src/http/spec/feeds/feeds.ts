import { t } from 'elysia'
import { adminEndpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  integer,
  objectSchema,
  pageOf,
  pageQueryWith,
  parameter,
} from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel } from '../shared/podcast.ts'

const Health = describedObject('The state of feed refresh.', {
  running: t.Boolean({ description: 'Whether a refresh of all feeds is running.' }),
  done: integer({ description: 'Number of feeds completed in that refresh, or in the last one.' }),
  failed: integer({ description: 'Number of those that could not be fetched.' }),
  total: integer({ description: 'Number of feeds with subscribers.' }),
  failing_total: integer(),
  failing: describedList('The 100 feeds that have been failing longest.', {
    url: t.String({ description: 'For a private feed only its server, as `https://feeds.tidewater.example/…`.' }),
    private: t.Boolean({ description: 'Whether its URL may be a secret of its subscribers.' }),
    reason: t.String({ description: 'Stable error code. New ones may be added.' }),
    cause: t.String({ description: 'English text for people.' }),
    failures: integer({ description: 'Number of consecutive failures.' }),
    since: t.String({ description: 'UTC.' }),
    next_check: t.String({ description: 'UTC.' }),
  }),
})

const Started = describedObject('The feeds are being refreshed.', {
  status: t.Union([t.Literal('started'), t.Literal('running')], {
    description: '`running` if a refresh was already running.',
  }),
  feeds: integer({ description: 'Number of feeds with subscribers.' }),
})

const SingleQuery = objectSchema({
  url: parameter('URL of the feed to refresh.', 'https://feeds.tidewater.example/harbour.xml'),
})

const RefreshedPodcast = describedObject('The podcast after the refresh.', {
  status: t.Literal('ok'),
  podcast: PodcastModel,
  episodes: integer({ description: 'Number of episodes on the server.' }),
})

const FeedItem = objectSchema({
  id: integer(),
  url: t.String({ description: 'For a private feed only its server, as `https://feeds.tidewater.example/…`.' }),
  title: t.String({ description: 'Empty if unknown, and for a private feed.' }),
  private: t.Boolean({ description: 'Whether its URL may be a secret of its subscribers.' }),
  subscribers: integer(),
  state: t.Union([t.Literal('ok'), t.Literal('failing'), t.Literal('gone'), t.Literal('new')], {
    description: '`gone` if its server says that it is gone for good, `new` if it has not been fetched yet.',
  }),
  reason: t.String({
    description: 'Stable error code of the last fetch; empty if it succeeded. New ones may be added.',
  }),
  cause: t.String({ description: 'The reason as English text for people.' }),
  failures: integer({ description: 'Number of consecutive failures.' }),
  since: t.String({ description: 'Start of the failures, UTC; empty if the feed works.' }),
  last_checked: t.String({ description: 'UTC; empty if never.' }),
  last_success: t.String({ description: 'UTC; empty if never.' }),
  next_check: t.String({ description: 'UTC; empty if it has not been fetched yet.' }),
  moved_to: t.String({
    description: 'New permanent address according to the feed; empty if it has not moved. Shortened like `url`.',
  }),
})

const FeedPage = pageOf(
  'Feeds with subscribers: longest failing first, then new ones, then those with the most subscribers.',
  {
    counts: describedObject('Number of feeds in each state, regardless of the parameter `state`.', {
      ok: integer(),
      failing: integer(),
      gone: integer(),
      new: integer(),
    }),
    feeds: t.Array(FeedItem),
  },
)

const FeedListQuery = pageQueryWith({
  state: parameter('One of the states; by default, all.', 'failing'),
  q: parameter('Part of the URL or the title; for private feeds, only of the visible part of the URL.', 'tidewater'),
})

const RefreshedFeed = describedObject('The feed after the refresh.', {
  status: t.Literal('ok'),
  feed: FeedItem,
  episodes: integer({ description: 'Number of episodes on the server.' }),
})

const failing = {
  id: 7,
  url: 'https://feeds.tidewater.example/gone.xml',
  title: 'Harbour Talk',
  private: false,
  subscribers: 2,
  state: 'failing',
  reason: 'not_found',
  cause: 'the feed’s server answers 404',
  failures: 3,
  since: '2025-03-02T10:00:00',
  last_checked: '2025-03-02T12:00:00',
  last_success: '2025-03-02T09:00:00',
  next_check: '2025-03-02T16:00:00',
  moved_to: '',
}
const healthy = { ...failing, state: 'ok', reason: '', cause: '', failures: 0, since: '' }

export const getFeedsStatus = adminEndpoint('getFeedsStatus', 'Get feed refresh status', {
  response: Health,
  example: {
    running: true,
    done: 40,
    failed: 1,
    total: 120,
    failing_total: 1,
    failing: [
      {
        url: 'https://feeds.tidewater.example/gone.xml',
        private: false,
        reason: 'not_found',
        cause: 'the feed’s server answers 404',
        failures: 3,
        since: '2025-03-02T10:00:00',
        next_check: '2025-03-02T14:00:00',
      },
    ],
  },
})

export const refreshFeeds = adminEndpoint('refreshFeeds', 'Refresh all feeds', {
  description: 'Responds immediately. Feeds without subscribers are not refreshed.',
  response: Started,
  example: { status: 'started', feeds: 120 },
  errors: ['outbound_off'],
})

export const refreshFeed = adminEndpoint('refreshFeed', 'Refresh one feed', {
  description:
    'Responds when done. Feeds that are private to other users can only be refreshed by their number: `/api/admin/feeds/{id}/update`.',
  query: SingleQuery,
  response: RefreshedPodcast,
  example: { status: 'ok', podcast: PODCAST_EXAMPLE, episodes: 41 },
  errors: [
    errorResponse(
      'unknown_podcast',
      'The server does not know this feed, or it is private to other users.',
      'the server knows no such podcast',
    ),
    'outbound_off',
    'feed_invalid',
    'feed_unreachable',
  ],
})

export const listFeeds = adminEndpoint('listFeeds', 'List the feeds and their health', {
  query: FeedListQuery,
  response: FeedPage,
  example: {
    page: 0,
    per_page: 20,
    total: 1,
    total_pages: 1,
    counts: { ok: 118, failing: 1, gone: 0, new: 1 },
    feeds: [failing],
  },
})

export const refreshFeedById = adminEndpoint('refreshFeedById', 'Refresh one feed by its number', {
  description: 'Responds when done. Also works for private feeds, whose URL only their subscribers know.',
  response: RefreshedFeed,
  example: { status: 'ok', feed: healthy, episodes: 41 },
  errors: [
    errorResponse('unknown_podcast', 'The feed has no subscribers.', 'nobody is subscribed to such a feed'),
    'outbound_off',
    'feed_invalid',
    'feed_unreachable',
  ],
})
