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
    '`failing` if the last fetch of the feed failed, `gone` if its server says that it will not come back, `new` if it has not been fetched yet.',
})
const added = t.String({ description: 'Since when some device has it, UTC; empty if that is not known.' })
const newest_release = t.String({
  description: 'When its newest episode was released, UTC; empty if that is not known.',
})
const isPrivate = t.Boolean({ description: 'Whether it is hidden from users who do not have it.' })
const since = t.String({ description: 'Since when fetching it fails, UTC; empty if it does not.' })

export const listOwnSubscriptions = endpoint(
  'Subscriptions',
  'listOwnSubscriptions',
  'List your podcasts with details',
  {
    description: `Everything that a page of your podcasts shows, in one response. The title of a feed that has not been fetched is what your own list called it, or else its URL. ${REVALIDATED}`,
    query: objectSchema({
      state: t.Optional(
        t.Literal('new', {
          description: 'Only those whose feed has not been fetched yet: a short answer to poll for.',
        }),
      ),
    }),
    response: describedList('What all devices together are subscribed to, each podcast once, longest held first.', {
      ...PodcastModel.properties,
      description: t.String({ description: 'The beginning of a long one.' }),
      devices: t.Array(t.String(), { description: 'IDs of the devices that have it, oldest first.' }),
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

const devices = t.Array(t.String(), { description: 'IDs of the devices that have it, oldest first.' })

export const listOwnPodcasts = endpoint('Subscriptions', 'listOwnPodcasts', 'List your podcasts in short', {
  description:
    'What a card of each podcast shows: a quarter of the bytes of `/api/2/me/subscriptions`. How many episodes are unplayed is at `/api/2/me/unplayed`.',
  response: describedList('What all devices together are subscribed to, each podcast once, longest held first.', {
    url: t.String({ description: 'Feed URL.' }),
    title: t.String({ description: 'What your own list called it, or else its URL, while no title is known.' }),
    author: t.String(),
    language: t.String({ description: 'Like `en` or `pt-br`.' }),
    has_picture: t.Boolean({ description: 'Whether the feed names a picture, which `/artwork` then has.' }),
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
  description: 'Nothing but the devices of each podcast, for pages that list podcasts of other sources.',
  response: describedList('What all devices together are subscribed to, each podcast once, longest held first.', {
    url: t.String({ description: 'Feed URL.' }),
    devices,
  }),
  example: [{ url: FEED, devices: ['ida-pixel', 'ida-desk'] }],
})

export const getOwnPodcast = endpoint('Subscriptions', 'getOwnPodcast', 'Get which of your devices have a podcast', {
  description: 'And the state of its feed. What the feed says is at `/api/2/data/podcast.json`.',
  query: objectSchema({
    url: parameter('The URL of the feed; needed.', FEED),
  }),
  response: describedObject('What the server knows of the podcast beside what its feed says.', {
    url: t.String({ description: 'Feed URL, as the server keeps it.' }),
    subscribed: t.Boolean({ description: 'Whether any device has it.' }),
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
      reason: t.String({ description: 'Why it fails: a stable word; empty if it does not. There may be new ones.' }),
      cause: t.String({ description: 'The same as English text for people.' }),
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
  errors: [
    errorResponse('unknown_podcast', 'The user has never had such a podcast.', 'you have never had this podcast'),
  ],
})

export const refreshOwnPodcast = endpoint('Subscriptions', 'refreshOwnPodcast', 'Fetch a podcast now', {
  description:
    'Fetches the feed of a podcast that one of your devices has, without waiting for its time, and answers when that is done.',
  body: objectSchema({ url: t.String() }),
  bodyExample: { url: FEED },
  response: describedObject('The feed has been fetched.', {
    status: t.Literal('ok'),
    episodes: integer({ description: 'How many episodes the server has.' }),
  }),
  example: { status: 'ok', episodes: 41 },
  errors: [
    'validation_failed',
    errorResponse('unknown_podcast', 'No device of yours has the podcast.', 'no device of yours has this podcast'),
    errorResponse(
      'feed_forbidden',
      'The feed is at an address of a private network, which the server may not connect to.',
      'the feed is at an address of a private network',
    ),
    'outbound_off',
    'feed_invalid',
    'feed_unreachable',
    errorResponse(
      'rate_limited',
      'The feed was fetched in this way within the last minute, or you have asked for more than 10.',
      'too many attempts, try again later',
    ),
  ],
})

const HTTP = 'http://feeds.tidewater.example/harbour.xml'
const LOOKOUT = 'https://feeds.tidewater.example/lookout.xml'
const NEW_LOOKOUT = 'https://lookout.example/feed'

const EXCHANGED =
  'On every device that has it, and in their sync groups, in one step. What is known about the podcast, and what was heard of it, is kept.'

const exchanged = (old: string, now: string) => ({
  response: describedObject(`The devices have the ${now} URL now, and the ${old} one no longer.`, {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: `The devices that had the ${old} URL.` }),
    timestamp: Timestamp,
  }),
  example: { status: 'ok', devices: ['ida-pixel', 'ida-desk'], timestamp: 1_740_909_800 },
})

const exchangeErrors = (message: string, field: string) =>
  [
    'quota_exceeded',
    errorResponse('validation_failed', 'The pair is none of those listed.', message, field),
    errorResponse('unknown_podcast', 'No device has the feed.', 'no device has this feed'),
  ] as const

export const listUpgrades = endpoint('Subscriptions', 'listUpgrades', 'List feeds that are available by https', {
  description: 'Nothing is changed until you ask for it.',
  response: describedList('By title; each feed once, however many devices have it.', {
    http_url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
    https_url: t.String({ description: 'The same feed, known to be there by https.' }),
    title: t.String(),
  }),
  example: [{ http_url: HTTP, https_url: FEED, title: 'Harbour Talk' }],
})

export const applyUpgrade = endpoint('Subscriptions', 'applyUpgrade', 'Replace an http feed by its https one', {
  description: EXCHANGED,
  body: objectSchema({ http_url: t.String(), https_url: t.String() }),
  bodyExample: { http_url: HTTP, https_url: FEED },
  ...exchanged('http', 'https'),
  errors: exchangeErrors('this upgrade is not offered', 'https_url'),
})

export const listMoves = endpoint('Subscriptions', 'listMoves', 'List feeds that have moved permanently', {
  description: 'Nothing is changed until you ask for it. Addresses that differ in https only are upgrades.',
  response: describedList('By title; each feed once, however many devices have it.', {
    url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
    new_url: t.String({ description: 'Where the feed is for good, as it says itself or its server does.' }),
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
