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
    logo_url: t.String({ description: 'Where the feed says that its picture is.' }),
    artwork: t.String({ description: 'The same picture from this server, 300 pixels a side.' }),
  }),
  episode: objectSchema({
    title: t.String({ description: 'The media URL while no title is known.' }),
    url: t.String({ description: 'URL of the media file.' }),
    website: t.String({ description: 'The link of the episode; empty if it has none, as other text.' }),
    mygpo_link: t.String({ description: 'Its page on this server.' }),
    guid: t.String(),
    released: t.String({ description: 'UTC; `""` if unknown.' }),
    duration: t.Union([integer(), t.Null()], { description: 'Seconds, as the feed says; null if unknown.' }),
    image_url: t.String(),
    has_picture,
  }),
  state: t.Union([t.Literal('new'), t.Literal('in_progress'), t.Literal('played')]),
  position: t.Optional(integer({ description: 'Seconds; left out if unknown, as what follows.' })),
  total: t.Optional(integer({ description: 'Seconds, as the app has told.' })),
  device: t.Optional(t.String({ description: 'Which device told it.' })),
  timestamp: t.Optional(t.String({ description: 'When that happened: `YYYY-MM-DDTHH:MM:SS` in UTC.' })),
})

const page = (description: string) =>
  describedObject(description, {
    items: t.Array(Item),
    next: t.Union([t.String(), t.Null()], { description: '`before` for the next page; null after the last one.' }),
  })

const PAGING = {
  before: parameter('The `next` of the page before; the first page unless given.', '1740909600.1'),
  per_page: parameter('How many on a page: 1 to 100, 20 unless given.', '20'),
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
  '`before` is no `next` of another page, or `per_page` no whole number.',
  'before must be the `next` of another page',
  'before',
)

export const listInProgress = endpoint('Episode actions', 'listInProgress', 'List episodes that were begun', {
  description:
    'Episodes that were begun and not finished, over all devices: their latest state is a `play` at a position after the beginning and before the end. An episode stays in the list when you no longer subscribe to its podcast.',
  query: objectSchema(PAGING),
  response: page('Last heard first.'),
  example: { items: [ITEM], next: null },
  errors: [badPage],
})

export const listInbox = endpoint('Episode actions', 'listInbox', 'List the newest episodes of your podcasts', {
  description:
    'Episodes of all podcasts that any of your devices is subscribed to, each podcast once, even if it has several addresses. Episodes without a date are left out. With `unplayed` or `new`, a page may hold fewer episodes than you ask for, or none: go on while `next` is not null.',
  query: objectSchema({
    ...PAGING,
    podcast: parameter('Only episodes of the podcast with this feed URL.', HARBOUR),
    tag: parameter(
      'Only episodes of podcasts with this tag, by its `tag` in the list of your tags.',
      'society-culture',
    ),
    folder: parameter('Only episodes of podcasts in the folder with this ID.', '1'),
    unplayed: parameter('`true`: without what was played to its end.', 'true'),
    new: parameter(
      '`true`: only unplayed episodes that were released since you subscribed, and the newest of each podcast.',
      'true',
    ),
  }),
  response: page('The newest first.'),
  example: { items: [ITEM], next: '1740895200.17' },
  errors: [badPage],
})

export const listOwnTags = endpoint('Episode actions', 'listOwnTags', 'List the tags of your podcasts', {
  description: 'For `tag` of the inbox. `usage` is how many of your podcasts carry it.',
  response: t.Array(TagModel, { description: 'The 100 most used, most used first.' }),
  example: [{ title: 'Society & Culture', tag: 'society-culture', usage: 3 }],
})

export const listUnplayed = endpoint(
  'Episode actions',
  'listUnplayed',
  'Count the unplayed episodes of your podcasts',
  {
    response: describedList('Each podcast once, by the feed URL that the inbox tells.', {
      url: t.String({ description: 'Feed URL.' }),
      unplayed: integer({ description: 'How many of its newest 100 episodes were not played to the end.' }),
      new: integer({ description: 'How many of these are new: released since you subscribed, or its newest.' }),
    }),
    example: [{ url: HARBOUR, unplayed: 3, new: 1 }],
  },
)

/** About thirty years. Apps cannot read much larger numbers. */
const seconds = (description: string) => integer({ minimum: 1, maximum: 1_000_000_000, description })

export const markEpisodes = endpoint('Episode actions', 'markEpisodes', 'Mark episodes as played or new', {
  description:
    'Stores ordinary episode actions without a device, which all your apps get: a `play` at the end of the episode, or `new`; `in_progress` brings back what was marked by mistake, at the `position` that it had. Either single episodes are marked, or all that a filter finds in the feeds of your podcasts. Marking an episode that is in this state already changes nothing. `undo` restores the state and the position of every episode that a request has marked, unless it was heard or marked since.',
  body: objectSchema({
    as: t.Optional(
      t.Union([t.Literal('played'), t.Literal('new'), t.Literal('in_progress')], {
        description: 'Needed unless `undo` is given.',
      }),
    ),
    episodes: t.Optional(
      describedList(`Up to ${NAMED_MARKS_PER_REQUEST}.`, {
        podcast: t.String({ description: 'Feed URL.' }),
        episode: t.String({ description: 'URL of the media file.' }),
        guid: t.Optional(
          t.String({
            description: 'Needed if one media URL is several episodes, as in a feed that replaces its file every day.',
          }),
        ),
        position: t.Optional(seconds('Seconds; needed for `in_progress`, ignored otherwise.')),
        total: t.Optional(seconds('Seconds; the length of the episode, if known.')),
      }),
    ),
    podcast: t.Optional(t.String({ description: 'Feed URL; the same as `all` with one podcast.' })),
    all: t.Optional(
      describedObject(`Up to ${MARKS_PER_REQUEST} episodes in the feeds of your podcasts.`, {
        podcasts: t.Optional(
          t.Array(t.String(), {
            description: `Feed URLs, up to ${FEEDS_PER_REQUEST}; all of your podcasts unless given.`,
          }),
        ),
        tag: t.Optional(t.String({ description: 'Only podcasts with this tag, as in the inbox.' })),
        folder: t.Optional(integer({ minimum: 1, description: 'Only podcasts in the folder with this ID.' })),
        newest: t.Optional(
          describedObject('Only this episode and what is older. Episodes without a date are the oldest.', {
            podcast: t.String({ description: 'Feed URL.' }),
            episode: t.String({ description: 'URL of the media file.' }),
          }),
        ),
        new: t.Optional(
          t.Boolean({ description: '`true`: only new episodes, as in the inbox; `false`: only those that are not.' }),
        ),
      }),
    ),
    undo: t.Optional(
      t.String({ maxLength: 1100, description: 'The `undo` of an earlier response, and nothing else.' }),
    ),
  }),
  bodyExample: { as: 'played', episodes: [{ podcast: HARBOUR, episode: EPISODE_EXAMPLE.url }] },
  response: describedObject('The episodes are marked.', {
    status: t.Literal('ok'),
    marked: integer({ description: 'How many were not so before.' }),
    has_more: t.Boolean({ description: 'Whether there are more episodes, which the same request marks.' }),
    undo: t.Union([t.String(), t.Null()], { description: 'Undoes the marks; null if nothing was marked.' }),
    timestamp: Timestamp,
  }),
  example: { status: 'ok', marked: 1, has_more: false, undo: 'ssil2p', timestamp: 1740909602 },
  errors: [
    errorResponse(
      'validation_failed',
      'There are too many episodes, an address is no URL, a position is missing, `undo` is unknown, or not exactly one of `episodes`, `podcast`, `all` and `undo` is given.',
      'one of episodes, podcast and all is needed',
      'episodes',
    ),
    errorResponse(
      'unknown_podcast',
      'No device of yours is subscribed to the podcast.',
      'none of your devices is subscribed to this podcast',
    ),
    errorResponse('unknown_episode', 'No podcast of yours has the episode.', 'none of your podcasts has this episode'),
  ],
})
