import { t } from 'elysia'
import { QUEUE_MAX } from '../../../domain/shared/limits.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, objectSchema, parameter } from '../shared/models.ts'
import { ITEM, Item } from './inbox.ts'

/** Queue of a user (docs/protocol.md#queue). */

const Queue = describedObject('The queue, next episode first.', { items: t.Array(Item) })
const example = { items: [ITEM] }

const NAMED = { podcast: ITEM.podcast.url, episode: ITEM.episode.url }

const Episodes = t.Array(
  objectSchema({
    podcast: t.String({ description: 'Feed URL.' }),
    episode: t.String({ description: 'URL of the media file.' }),
    guid: t.Optional(t.Union([t.String(), t.Null()], { description: 'Optional and not stored.' })),
  }),
  { maxItems: QUEUE_MAX, description: 'In playing order; they may be unknown to the server.' },
)

const full = errorResponse(
  'quota_exceeded',
  `The queue would hold more than ${QUEUE_MAX} episodes. Nothing was changed.`,
  `an account may have ${QUEUE_MAX} episodes in the queue; nothing was changed: remove some first`,
)
const badUrl = errorResponse('validation_failed', 'A URL is invalid.', 'episodes[0].episode must be a URL', 'episodes')

export const getQueue = endpoint('Queue', 'getQueue', 'Get the queue', {
  description:
    'Episodes to play next, on any device. An episode leaves the queue when an app reports that it was played to the end, and when it is marked as played.',
  response: Queue,
  example,
})

export const replaceQueue = endpoint('Queue', 'replaceQueue', 'Replace the queue', {
  description: 'Changes the order, or undoes a change by sending the previous list. The last request wins.',
  body: objectSchema({ episodes: Episodes }),
  bodyExample: { episodes: [NAMED] },
  response: Queue,
  example,
  errors: [badUrl, full],
})

export const addToQueue = endpoint('Queue', 'addToQueue', 'Add episodes to the queue', {
  description: 'Episodes that are already in the queue are moved.',
  body: objectSchema({
    at: t.Union([t.Literal('next'), t.Literal('last')], { description: 'Before or after all other episodes.' }),
    episodes: Episodes,
  }),
  bodyExample: { at: 'next', episodes: [NAMED] },
  response: Queue,
  example,
  errors: [badUrl, full],
})

export const removeFromQueue = endpoint('Queue', 'removeFromQueue', 'Remove one or all episodes from the queue', {
  description:
    'Empties the queue without `podcast` and `episode`. Removing an episode that is not in the queue succeeds.',
  query: objectSchema({
    podcast: parameter('Feed URL of the episode.', NAMED.podcast),
    episode: parameter('URL of its media file.', NAMED.episode),
  }),
  response: Queue,
  example: { items: [] },
  errors: [
    errorResponse(
      'validation_failed',
      'A URL is invalid, or only one of the two is present.',
      'podcast and episode are required together',
      'podcast',
    ),
  ],
})
