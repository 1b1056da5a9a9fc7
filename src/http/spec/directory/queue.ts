import { t } from 'elysia'
import { QUEUE_MAX } from '../../../domain/shared/limits.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, objectSchema, parameter } from '../shared/models.ts'
import { ITEM, Item } from './inbox.ts'

/** Queue of a user (docs/protocol.md#queue). */

const Queue = describedObject('The queue, what plays next first.', { items: t.Array(Item) })
const example = { items: [ITEM] }

const NAMED = { podcast: ITEM.podcast.url, episode: ITEM.episode.url }

const Episodes = t.Array(
  objectSchema({
    podcast: t.String({ description: 'Feed URL.' }),
    episode: t.String({ description: 'URL of the media file.' }),
    guid: t.Optional(t.Union([t.String(), t.Null()], { description: 'Not needed, and not kept.' })),
  }),
  { maxItems: QUEUE_MAX, description: 'In order. The server need not know them.' },
)

const full = errorResponse(
  'quota_exceeded',
  `The queue would hold more than ${QUEUE_MAX} episodes. Nothing was changed.`,
  `an account may have ${QUEUE_MAX} episodes in the queue; nothing was changed: remove some first`,
)
const badUrl = errorResponse('validation_failed', 'A URL is none.', 'episodes[0].episode must be a URL', 'episodes')

export const getQueue = endpoint('Queue', 'getQueue', 'Get the queue', {
  description:
    'What the user wants to hear next, over all devices. An episode leaves the queue when any app tells that it was heard to its end, and when it is marked as played.',
  response: Queue,
  example,
})

export const replaceQueue = endpoint('Queue', 'replaceQueue', 'Replace the queue', {
  description: 'For another order, and to undo a change with the list of before. The last request wins.',
  body: objectSchema({ episodes: Episodes }),
  bodyExample: { episodes: [NAMED] },
  response: Queue,
  example,
  errors: [badUrl, full],
})

export const addToQueue = endpoint('Queue', 'addToQueue', 'Add episodes to the queue', {
  description: 'Episodes that are in the queue already move.',
  body: objectSchema({
    at: t.Union([t.Literal('next'), t.Literal('last')], { description: 'Before all others, or behind them.' }),
    episodes: Episodes,
  }),
  bodyExample: { at: 'next', episodes: [NAMED] },
  response: Queue,
  example,
  errors: [badUrl, full],
})

export const removeFromQueue = endpoint('Queue', 'removeFromQueue', 'Remove an episode from the queue, or all', {
  description: 'Without `podcast` and `episode` the queue is empty afterwards. What is not in the queue is no error.',
  query: objectSchema({
    podcast: parameter('The feed URL of the episode.', NAMED.podcast),
    episode: parameter('The URL of its media file.', NAMED.episode),
  }),
  response: Queue,
  example: { items: [] },
  errors: [
    errorResponse(
      'validation_failed',
      'A URL is none, or one of the two is missing.',
      'podcast and episode are needed together',
      'podcast',
    ),
  ],
})
