import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { describedList, describedObject, objectSchema, parameter, SinceQuery, Timestamp } from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel } from '../shared/podcast.ts'
import { ACTION_EXAMPLE, Action } from '../sync/episode-actions.ts'
import { EPISODE_EXAMPLE, EpisodeModel, has_picture } from './podcasts.ts'

export const listFavorites = endpoint('Settings', 'listFavorites', 'List favorite episodes', {
  description:
    'Episodes whose setting `is_favorite` is `true`. For an episode that the server does not know, only the addresses are returned.',
  response: describedList('Newest favorite first.', { ...EpisodeModel.properties, has_picture }),
  example: [{ ...EPISODE_EXAMPLE, has_picture: false }],
})

export const getDeviceUpdates = endpoint('Subscriptions', 'getDeviceUpdates', 'Fetch changes and new episodes', {
  description: 'Subscriptions and new episodes in one request, for Clementine and Amarok.',
  query: objectSchema({
    since: SinceQuery.properties.since,
    include_actions: parameter('`true`: include the latest action for each episode.', 'true'),
  }),
  response: describedObject('Changes since `since`.', {
    add: t.Array(PodcastModel, { description: 'Podcasts subscribed to since then.' }),
    rem: t.Array(t.String(), { description: 'Feed URLs no longer subscribed to. Always empty if `since` is 0.' }),
    remove: t.Array(t.String(), { description: 'Same as `rem`.' }),
    updates: describedList('At most the five newest episodes of each podcast that were released since then.', {
      ...EpisodeModel.properties,
      status: t.String({ description: 'Latest action of the user: new, play, download or delete.' }),
      action: t.Optional(Action),
    }),
    timestamp: Timestamp,
  }),
  example: {
    add: [PODCAST_EXAMPLE],
    rem: ['https://old.example/gone.rss'],
    remove: ['https://old.example/gone.rss'],
    updates: [{ ...EPISODE_EXAMPLE, status: 'play', action: ACTION_EXAMPLE }],
    timestamp: 1740909601,
  },
  errors: ['unknown_device'],
})
