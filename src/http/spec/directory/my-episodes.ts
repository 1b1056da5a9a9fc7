import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { describedList, describedObject, objectSchema, parameter, SinceQuery, Timestamp } from '../shared/models.ts'
import { PODCAST_EXAMPLE, PodcastModel } from '../shared/podcast.ts'
import { ACTION_EXAMPLE, Action } from '../sync/episode-actions.ts'
import { EPISODE_EXAMPLE, EpisodeModel, has_picture } from './podcasts.ts'

export const listFavorites = endpoint('Settings', 'listFavorites', 'List favorite episodes', {
  description:
    'Episodes whose setting `is_favorite` is `true`. Of one that the server does not know, only the addresses are told.',
  response: describedList('The newest favorite first.', { ...EpisodeModel.properties, has_picture }),
  example: [{ ...EPISODE_EXAMPLE, has_picture: false }],
})

export const getDeviceUpdates = endpoint('Subscriptions', 'getDeviceUpdates', 'Fetch changes and new episodes', {
  description: 'Subscriptions and new episodes in one request, as Clementine and Amarok ask for them.',
  query: objectSchema({
    since: SinceQuery.properties.since,
    include_actions: parameter('`true`: with the latest action on each episode.', 'true'),
  }),
  response: describedObject('What the device has missed.', {
    add: t.Array(PodcastModel, { description: 'Podcasts subscribed to since then.' }),
    rem: t.Array(t.String(), { description: 'Feed URLs no longer subscribed to. Always empty if `since` is 0.' }),
    remove: t.Array(t.String(), { description: 'The same again.' }),
    updates: describedList('Of each podcast, the five newest episodes at most that were released since then.', {
      ...EpisodeModel.properties,
      status: t.String({ description: 'new, play, download or delete: the latest action of the user.' }),
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
