import { t } from 'elysia'
import { failureMessage } from '../../../domain/feeds/status.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  integer,
  objectSchema,
  parameter,
  REVALIDATED,
  Timestamp,
} from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel } from '../shared/podcast.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'

const state = t.Union([t.Literal('ok'), t.Literal('failing'), t.Literal('gone'), t.Literal('new')], {
  description:
    '`failing` if the last fetch of the feed failed, `gone` if its server says that it is gone for good, `new` if it has not been fetched yet.',
})
const added = t.String({ description: 'Start of the subscription on any device, UTC; empty if unknown.' })
const newest_release = t.String({
  description: 'Release time of the newest episode, UTC; empty if unknown.',
})
const isPrivate = t.Boolean({ description: 'Whether it is hidden from users who are not subscribed to it.' })
const since = t.String({ description: 'Start of the current failures, UTC; empty if the feed works.' })

export const listOwnSubscriptions = endpoint(
  'Subscriptions',
  'listOwnSubscriptions',
  'List your podcasts with details',
  {
    description: `Everything for a page of your podcasts, in one response. Until a feed has been fetched, its title is the one in your own list, or else its URL. ${REVALIDATED}`,
    query: objectSchema({
      state: t.Optional(
        t.Literal('new', {
          description: 'Only podcasts whose feed has not been fetched yet: a short response for polling.',
        }),
      ),
    }),
    response: describedList('Podcasts that any device is subscribed to, each once, oldest subscription first.', {
      ...PodcastModel.properties,
      description: t.String({ description: 'Shortened if it is long.' }),
      devices: t.Array(t.String(), { description: 'IDs of the subscribed devices, oldest first.' }),
      added,
      newest_release,
      private: isPrivate,
      health: objectSchema({ state, since }),
    }),
    example: [
      {
        ...PODCAST_EXAMPLE,
        devices: ['ida-pixel', 'ida-desk'],
        added: '2025-03-01T18:20:00',
        newest_release: '2025-03-02T06:00:00',
        private: false,
        health: { state: 'ok', since: '' },
      },
    ],
  },
)

const devices = t.Array(t.String(), { description: 'IDs of the subscribed devices, oldest first.' })

export const listOwnPodcasts = endpoint('Subscriptions', 'listOwnPodcasts', 'List your podcasts briefly', {
  description:
    'The data for a card of each podcast, in a quarter of the bytes of `/api/2/me/subscriptions`. For numbers of unplayed episodes, see `/api/2/me/unplayed`.',
  response: describedList('Podcasts that any device is subscribed to, each once, oldest subscription first.', {
    url: t.String({ description: 'Feed URL.' }),
    title: t.String({ description: 'While no title is known, the one in your own list, or else the feed URL.' }),
    author: t.String(),
    language: t.String({ description: 'Language tag, such as `en` or `pt-br`.' }),
    has_picture: t.Boolean({ description: 'Whether the feed names a picture, which `/artwork` serves.' }),
    devices,
    added,
    newest_release,
    private: isPrivate,
    health: objectSchema({ state, since }),
  }),
  example: [
    {
      url: FEED,
      title: PODCAST_EXAMPLE.title,
      author: PODCAST_EXAMPLE.author,
      language: PODCAST_EXAMPLE.language,
      has_picture: true,
      devices: ['ida-pixel', 'ida-desk'],
      added: '2025-03-01T18:20:00',
      newest_release: '2025-03-02T06:00:00',
      private: false,
      health: { state: 'ok', since: '' },
    },
  ],
})

export const listHolders = endpoint('Subscriptions', 'listHolders', 'List the devices of each podcast', {
  description: 'Only the devices of each podcast, for pages that list podcasts from other sources.',
  response: describedList('Podcasts that any device is subscribed to, each once, oldest subscription first.', {
    url: t.String({ description: 'Feed URL.' }),
    devices,
  }),
  example: [{ url: FEED, devices: ['ida-pixel', 'ida-desk'] }],
})

export const getOwnPodcast = endpoint('Subscriptions', 'getOwnPodcast', 'Get the devices subscribed to a podcast', {
  description: 'Includes the state of the feed. The contents of the feed are at `/api/2/data/podcast.json`.',
  query: objectSchema({
    url: parameter('Feed URL; required.', FEED),
  }),
  response: describedObject('Your subscriptions to the podcast, and the state of its feed.', {
    url: t.String({ description: 'Feed URL, as stored by the server.' }),
    subscribed: t.Boolean({ description: 'Whether any device is subscribed to it.' }),
    devices: describedList('All devices, oldest first.', {
      id: t.String(),
      caption: t.String(),
      type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
      subscribed: t.Boolean(),
    }),
    added,
    newest_release,
    private: isPrivate,
    health: objectSchema({
      state,
      since,
      last_checked: t.String({ description: 'UTC; empty if never.' }),
      last_success: t.String({ description: 'UTC; empty if never.' }),
      reason: t.String({ description: 'Stable error code; empty if the feed works. New ones may be added.' }),
      cause: t.String({ description: 'The reason as English text for people.' }),
    }),
  }),
  example: {
    url: FEED,
    subscribed: true,
    devices: [
      { id: 'ida-pixel', caption: 'Ida’s phone', type: 'mobile', subscribed: true },
      { id: 'ida-desk', caption: 'ida-desk', type: 'other', subscribed: false },
    ],
    added: '2025-03-01T18:20:00',
    newest_release: '2025-02-23T06:00:00',
    private: false,
    health: {
      state: 'failing',
      since: '2025-03-02T08:00:00',
      last_checked: '2025-03-02T10:00:00',
      last_success: '2025-03-02T06:00:00',
      reason: 'timeout',
      cause: failureMessage('timeout'),
    },
  },
  errors: [errorResponse('unknown_podcast', 'The user has never had this podcast.', 'you have never had this podcast')],
})

export const refreshOwnPodcast = endpoint('Subscriptions', 'refreshOwnPodcast', 'Fetch a podcast now', {
  description: 'Fetches the feed of one of your podcasts ahead of its schedule, and responds when that is done.',
  body: objectSchema({ url: t.String() }),
  bodyExample: { url: FEED },
  response: describedObject('The feed has been fetched.', {
    status: t.Literal('ok'),
    episodes: integer({ description: 'Number of episodes on the server.' }),
  }),
  example: { status: 'ok', episodes: 41 },
  errors: [
    'validation_failed',
    errorResponse('unknown_podcast', 'None of your devices has the podcast.', 'none of your devices has this podcast'),
    errorResponse(
      'feed_forbidden',
      'The feed is at an address in a private network, to which the server may not connect.',
      'the feed is at an address of a private network',
    ),
    'outbound_off',
    'feed_invalid',
    'feed_unreachable',
    errorResponse(
      'rate_limited',
      'Within the last minute, the feed was fetched in this way, or you have requested more than 10 feeds.',
      'too many attempts, try again later',
    ),
  ],
})

const HTTP = 'http://feeds.tidewater.example/harbour.xml'
const LOOKOUT = 'https://feeds.tidewater.example/lookout.xml'
const NEW_LOOKOUT = 'https://lookout.example/feed'

const EXCHANGED =
  'Replaces the address on every device that has it, and in their sync groups, in one step. The data and the listening history of the podcast are kept.'

const exchanged = (old: string, now: string) => ({
  response: describedObject(`The devices now have the ${now} URL instead of the ${old} one.`, {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: `IDs of the devices that had the ${old} URL.` }),
    timestamp: Timestamp,
  }),
  example: { status: 'ok', devices: ['ida-pixel', 'ida-desk'], timestamp: 1_740_909_800 },
})

const exchangeErrors = (message: string, field: string) =>
  [
    'quota_exceeded',
    errorResponse('validation_failed', 'The pair is not in the list.', message, field),
    errorResponse('unknown_podcast', 'No device has the feed.', 'no device is subscribed to this feed'),
  ] as const

export const listUpgrades = endpoint('Subscriptions', 'listUpgrades', 'List feeds that are available by https', {
  description: 'Nothing changes until you apply an upgrade.',
  response: describedList('Sorted by title; a feed on several devices is listed once.', {
    http_url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
    https_url: t.String({ description: 'The https address of the feed, known to work.' }),
    title: t.String(),
  }),
  example: [{ http_url: HTTP, https_url: FEED, title: 'Harbour Talk' }],
})

export const applyUpgrade = endpoint('Subscriptions', 'applyUpgrade', 'Replace an http feed with its https address', {
  description: EXCHANGED,
  body: objectSchema({ http_url: t.String(), https_url: t.String() }),
  bodyExample: { http_url: HTTP, https_url: FEED },
  ...exchanged('http', 'https'),
  errors: exchangeErrors('this upgrade is not offered', 'https_url'),
})

export const listMoves = endpoint('Subscriptions', 'listMoves', 'List feeds that have moved permanently', {
  description: 'Nothing changes until you follow a move. Addresses that differ only in https are upgrades.',
  response: describedList('Sorted by title; a feed on several devices is listed once.', {
    url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
    new_url: t.String({ description: 'New permanent address, according to the feed or its server.' }),
    title: t.String(),
  }),
  example: [{ url: LOOKOUT, new_url: NEW_LOOKOUT, title: 'The Lookout' }],
})

export const applyMove = endpoint('Subscriptions', 'applyMove', 'Follow a feed to its new address', {
  description: EXCHANGED,
  body: objectSchema({ url: t.String(), new_url: t.String() }),
  bodyExample: { url: LOOKOUT, new_url: NEW_LOOKOUT },
  ...exchanged('old', 'new'),
  errors: exchangeErrors('this address is not offered', 'new_url'),
})
