import { t } from 'elysia'
import { FEEDS_PER_REQUEST, MARKS_PER_REQUEST, NAMED_MARKS_PER_REQUEST } from '../../../domain/shared/limits.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, integer, objectSchema, parameter, Timestamp } from '../shared/models.ts'
import { TagModel } from './directory.ts'
import { EPISODE_EXAMPLE, has_picture } from './podcasts.ts'

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'

export const Item = objectSchema({
  podcast: objectSchema({
    url: t.String({ description: 'Feed URL.' }),
    title: t.String({ description: 'The feed URL while no title is known.' }),
    logo_url: t.String({ description: 'URL of the picture, according to the feed.' }),
    artwork: t.String({ description: 'URL of the picture on this server, in size 300.' }),
  }),
  episode: objectSchema({
    title: t.String({ description: 'The media URL while no title is known.' }),
    url: t.String({ description: 'URL of the media file.' }),
    website: t.String({ description: 'Link of the episode. Empty if unknown, like other texts.' }),
    mygpo_link: t.String({ description: 'Page of the episode on this server.' }),
    guid: t.String(),
    released: t.String({ description: 'UTC; `""` if unknown.' }),
    duration: t.Union([integer(), t.Null()], { description: 'Seconds, according to the feed; null if unknown.' }),
    image_url: t.String(),
    has_picture,
  }),
  state: t.Union([t.Literal('new'), t.Literal('in_progress'), t.Literal('played')]),
  position: t.Optional(integer({ description: 'Seconds. Missing if unknown, like the following fields.' })),
  total: t.Optional(integer({ description: 'Length in seconds, as reported by the app.' })),
  device: t.Optional(t.String({ description: 'Device that reported it.' })),
  timestamp: t.Optional(t.String({ description: 'Time of the action: `YYYY-MM-DDTHH:MM:SS` in UTC.' })),
})

const page = (description: string) =>
  describedObject(description, {
    items: t.Array(Item),
    next: t.Union([t.String(), t.Null()], {
      description: 'Value of `before` for the next page; null on the last page.',
    }),
  })

const PAGING = {
  before: parameter('The `next` of the previous page; by default, the first page.', '1740909600.1'),
  per_page: parameter('Items per page: 1 to 100, by default 20.', '20'),
}

export const ITEM: typeof Item.static = {
  podcast: {
    url: HARBOUR,
    title: 'Harbour Talk',
    logo_url: 'https://tidewater.example/harbour.png',
    artwork: `https://pods.example/artwork/300?${new URLSearchParams({ url: HARBOUR })}`,
  },
  episode: {
    title: EPISODE_EXAMPLE.title,
    url: EPISODE_EXAMPLE.url,
    website: EPISODE_EXAMPLE.website,
    mygpo_link: EPISODE_EXAMPLE.mygpo_link,
    guid: EPISODE_EXAMPLE.guid,
    released: EPISODE_EXAMPLE.released,
    duration: EPISODE_EXAMPLE.duration,
    image_url: EPISODE_EXAMPLE.image_url,
    has_picture: false,
  },
  state: 'in_progress',
  position: 61,
  total: 1800,
  device: 'ida-pixel',
  timestamp: '2025-03-02T10:00:00',
}

const badPage = errorResponse(
  'validation_failed',
  '`before` is not the `next` of another page, or `per_page` is not a whole number.',
  'before must be the `next` of another page',
  'before',
)

export const listInProgress = endpoint('Episode actions', 'listInProgress', 'List episodes in progress', {
  description:
    'Episodes that were started but not finished on any device: their latest state is a `play` at a position after the beginning and before the end. An episode stays in the list if you unsubscribe from its podcast.',
  query: objectSchema(PAGING),
  response: page('Most recently played first.'),
  example: { items: [ITEM], next: null },
  errors: [badPage],
})

export const listInbox = endpoint('Episode actions', 'listInbox', 'List the newest episodes of your podcasts', {
  description:
    'Episodes of all podcasts that any of your devices is subscribed to, each podcast once, even if it has several addresses. Episodes without a date are left out. With `unplayed` or `new`, a page may contain fewer episodes than requested, or none: continue until `next` is null.',
  query: objectSchema({
    ...PAGING,
    podcast: parameter('Only episodes of the podcast with this feed URL.', HARBOUR),
    tag: parameter('Only episodes of podcasts with this tag: a `tag` from the list of your tags.', 'society-culture'),
    folder: parameter('Only episodes of podcasts in the folder with this ID.', '1'),
    unplayed: parameter('`true`: only episodes that were not played to the end.', 'true'),
    new: parameter(
      '`true`: only unplayed episodes that were released since you subscribed, and the newest of each podcast.',
      'true',
    ),
  }),
  response: page('Newest first.'),
  example: { items: [ITEM], next: '1740895200.17' },
  errors: [badPage],
})

export const listOwnTags = endpoint('Episode actions', 'listOwnTags', 'List the tags of your podcasts', {
  description: 'For the parameter `tag` of the inbox. `usage` is the number of your podcasts with the tag.',
  response: t.Array(TagModel, { description: 'The 100 most used tags, most used first.' }),
  example: [{ title: 'Society & Culture', tag: 'society-culture', usage: 3 }],
})

export const listUnplayed = endpoint(
  'Episode actions',
  'listUnplayed',
  'Count the unplayed episodes of your podcasts',
  {
    response: describedList('Each podcast once, under the feed URL that the inbox uses.', {
      url: t.String({ description: 'Feed URL.' }),
      unplayed: integer({ description: 'Number of episodes among its newest 100 that were not played to the end.' }),
      new: integer({
        description: 'Number of these that are new: released since you subscribed, or the newest of the podcast.',
      }),
    }),
    example: [{ url: HARBOUR, unplayed: 3, new: 1 }],
  },
)

/** About thirty years. Apps cannot read much larger numbers. */
const seconds = (description: string) => integer({ minimum: 1, maximum: 1_000_000_000, description })

export const markEpisodes = endpoint('Episode actions', 'markEpisodes', 'Mark episodes as played or new', {
  description:
    'Stores ordinary episode actions without a device, which all your apps get: a `play` at the end of the episode, or `new`. `in_progress` restores an episode that was marked by mistake, at its previous `position`. Marks either single episodes, or all episodes in the feeds of your podcasts that match a filter. Marking an episode that is already in this state changes nothing. `undo` restores the state and the position of every episode that a request has marked, unless it was played or marked since.',
  body: objectSchema({
    as: t.Optional(
      t.Union([t.Literal('played'), t.Literal('new'), t.Literal('in_progress')], {
        description: 'Required, except with `undo`.',
      }),
    ),
    episodes: t.Optional(
      describedList(`Up to ${NAMED_MARKS_PER_REQUEST}.`, {
        podcast: t.String({ description: 'Feed URL.' }),
        episode: t.String({ description: 'URL of the media file.' }),
        guid: t.Optional(
          t.String({
            description:
              'Required if several episodes share a media URL, as in a feed that replaces its file every day.',
          }),
        ),
        position: t.Optional(seconds('Seconds; required for `in_progress`, otherwise ignored.')),
        total: t.Optional(seconds('Length of the episode in seconds, if known.')),
      }),
    ),
    podcast: t.Optional(t.String({ description: 'Feed URL; short for `all` with one podcast.' })),
    all: t.Optional(
      describedObject(`Up to ${MARKS_PER_REQUEST} episodes in the feeds of your podcasts.`, {
        podcasts: t.Optional(
          t.Array(t.String(), {
            description: `Feed URLs, up to ${FEEDS_PER_REQUEST}; by default, all your podcasts.`,
          }),
        ),
        tag: t.Optional(t.String({ description: 'Only podcasts with this tag, as in the inbox.' })),
        folder: t.Optional(integer({ minimum: 1, description: 'Only podcasts in the folder with this ID.' })),
        newest: t.Optional(
          describedObject('Only this episode and older ones. Episodes without a date count as the oldest.', {
            podcast: t.String({ description: 'Feed URL.' }),
            episode: t.String({ description: 'URL of the media file.' }),
          }),
        ),
        new: t.Optional(
          t.Boolean({ description: '`true`: only new episodes, as in the inbox; `false`: only the others.' }),
        ),
      }),
    ),
    undo: t.Optional(
      t.String({ maxLength: 1100, description: 'The `undo` of an earlier response, without any other field.' }),
    ),
  }),
  bodyExample: { as: 'played', episodes: [{ podcast: HARBOUR, episode: EPISODE_EXAMPLE.url }] },
  response: describedObject('The episodes are marked.', {
    status: t.Literal('ok'),
    marked: integer({ description: 'Number of episodes whose state changed.' }),
    has_more: t.Boolean({ description: 'Whether there are more episodes; repeating the request marks them.' }),
    undo: t.Union([t.String(), t.Null()], { description: 'Value that undoes the marks; null if nothing was marked.' }),
    timestamp: Timestamp,
  }),
  example: { status: 'ok', marked: 1, has_more: false, undo: 'ssil2p', timestamp: 1740909602 },
  errors: [
    errorResponse(
      'validation_failed',
      'There are too many episodes, a URL is invalid, a position is missing, `undo` is unknown, or the body does not contain exactly one of `episodes`, `podcast`, `all` and `undo`.',
      'one of episodes, podcast and all is required',
      'episodes',
    ),
    errorResponse(
      'unknown_podcast',
      'None of your devices is subscribed to the podcast.',
      'none of your devices is subscribed to this podcast',
    ),
    errorResponse(
      'unknown_episode',
      'None of your podcasts has the episode.',
      'none of your podcasts has this episode',
    ),
  ],
})
