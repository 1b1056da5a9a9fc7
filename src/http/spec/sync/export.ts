import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { describedList, describedObject, integer, objectSchema } from '../shared/models.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'

const EXAMPLE = {
  format: 'podstep account' as const,
  version: 1,
  exported: '2025-03-02T10:00:00',
  account: {
    username: 'ida',
    email: 'ida@pods.example',
    is_admin: false,
    created: '2025-03-01T18:20:00',
    identities: [{ issuer: 'https://id.home.example', subject: '24400320', linked: '2025-03-01T18:30:00' }],
    app_passwords: [
      {
        name: 'AntennaPod on my phone',
        scope: 'sync',
        created: '2025-03-01T18:20:00',
        last_used: '2025-03-02T09:58:00',
        client: 'AntennaPod',
      },
    ],
    webhook: { site: 'https://ntfy.example', format: 'ntfy', events: ['new_episode', 'feed_failing'] },
  },
  devices: [
    {
      id: 'ida-pixel',
      caption: 'Ida’s phone',
      type: 'mobile',
      last_contact: '2025-03-02T09:58:00',
      subscriptions: [{ url: FEED, added: '2025-03-01T18:21:00' }],
      unsubscribed: [{ url: 'https://old.example/gone.rss', removed: '2025-03-02T08:00:00' }],
      replaced_addresses: ['http://feeds.tidewater.example/harbour.xml'],
    },
  ],
  sync_groups: [['ida-pixel', 'ida-desk']],
  settings: [{ scope: 'podcast', podcast: FEED, settings: { speed: 1.5 } }],
  favorites: [{ podcast: FEED, episode: 'https://cdn.tidewater.example/fog.mp3', added: '2025-03-02T09:59:00' }],
  folders: [{ name: 'On the way to work', podcasts: [FEED] }],
  queue: [{ podcast: FEED, episode: 'https://cdn.tidewater.example/fog.mp3' }],
  podcast_lists: [{ name: 'sea-stuff', title: 'Sea stuff', podcasts: [FEED] }],
  chapters: [
    {
      ...{ podcast: FEED, episode: 'https://cdn.tidewater.example/fog.mp3' },
      ...{ start: 10, end: 20, label: 'the good bit', advertisement: false },
    },
  ],
  titles: [{ podcast: 'https://lost.example/feed.xml', title: 'Lost Tapes' }],
  episode_actions: [
    {
      podcast: FEED,
      episode: 'https://cdn.tidewater.example/fog.mp3',
      device: 'ida-pixel',
      action: 'play',
      timestamp: '2025-03-02T09:58:00',
      started: 0,
      position: 61,
      total: 1800,
    },
  ],
}

const Everything = describedObject('Everything except passwords and sessions, to save as a file.', {
  format: t.Literal('podstep account'),
  version: integer({ description: 'Version of the format.' }),
  exported: t.String({ description: 'UTC, like all times.' }),
  account: objectSchema({
    username: t.String(),
    email: t.String({ description: 'Empty if not set.' }),
    is_admin: t.Boolean(),
    created: t.String(),
    identities: t.Array(objectSchema({ issuer: t.String(), subject: t.String(), linked: t.String() })),
    app_passwords: t.Array(
      objectSchema({
        name: t.String(),
        scope: t.String(),
        created: t.String(),
        last_used: t.String({ description: 'Empty if never used.' }),
        client: t.String({ description: 'Empty if unknown.' }),
      }),
    ),
    webhook: t.Optional(
      describedObject('Without its secrets, which may include the full address.', {
        site: t.String(),
        format: t.String(),
        events: t.Array(t.String()),
      }),
    ),
  }),
  devices: t.Array(
    objectSchema({
      id: t.String(),
      caption: t.String(),
      type: t.String(),
      last_contact: t.String({ description: 'Empty if unknown, like all times.' }),
      subscriptions: t.Array(objectSchema({ url: t.String(), added: t.String() })),
      unsubscribed: describedList('Former subscriptions of the device.', { url: t.String(), removed: t.String() }),
      replaced_addresses: t.Array(t.String(), {
        description: 'Earlier addresses of podcasts that the device has replaced with others.',
      }),
    }),
  ),
  sync_groups: t.Array(t.Array(t.String()), { description: 'IDs of devices that share their subscriptions.' }),
  settings: t.Array(
    describedObject('All settings of the account, a device, a podcast or an episode.', {
      scope: t.String({ description: 'account, device, podcast or episode' }),
      device: t.Optional(t.String()),
      podcast: t.Optional(t.String()),
      episode: t.Optional(t.String()),
      settings: objectSchema({}),
    }),
  ),
  favorites: describedList('Favorite episodes, newest first.', {
    podcast: t.String(),
    episode: t.String(),
    added: t.String(),
  }),
  folders: describedList('Folders into which the user sorts podcasts.', {
    name: t.String(),
    podcasts: t.Array(t.String()),
  }),
  queue: describedList('Episodes in the queue, the next one first.', {
    podcast: t.String(),
    episode: t.String(),
  }),
  podcast_lists: describedList('Public podcast lists.', {
    name: t.String(),
    title: t.String(),
    podcasts: t.Array(t.String()),
  }),
  chapters: describedList('Parts of episodes that the user has marked.', {
    podcast: t.String(),
    episode: t.String(),
    start: integer(),
    end: integer(),
    label: t.String(),
    advertisement: t.Boolean(),
  }),
  titles: describedList('The user’s names of podcasts whose feeds have not provided a title.', {
    podcast: t.String(),
    title: t.String(),
  }),
  episode_actions: t.Array(
    describedObject('Episode action as in `/api/2/episodes`.', {
      podcast: t.String(),
      episode: t.String(),
      action: t.String(),
      timestamp: t.String(),
    }),
  ),
})

export const exportAccount = endpoint('Accounts', 'exportAccount', 'Export everything in your account', {
  description:
    'The response is streamed, and may have any size. It may or may not include changes made during the export.',
  response: Everything,
  example: EXAMPLE,
})
