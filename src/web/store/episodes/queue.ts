import { call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { ownName } from '../session.ts'
import type { ListedEpisode } from './lists.ts'

/** An episode as the queue names it. */
export interface Queueable {
  /** The feed URL. */
  readonly podcast: string
  /** The media URL. */
  readonly url: string
}

type Items = readonly ListedEpisode[]

const resource = createResource<Items>(async () => (await call('getQueue')).items)

/** The queue in order; undefined until it is loaded. */
export const queue = resource.value

/** Changes that the server has not answered yet. */
let pending = 0
/** Resolves when the changes that were asked for so far have been answered. */
let settled: Promise<unknown> = Promise.resolve()
/** Whether an order waits to be sent. It is sent as it is by then. */
let isOrderWaiting = false

/** The queue, which is loaded unless it is recent. Rejects with `ApiError`. */
export function ensureQueue(): Promise<Items> {
  return resource.get()
}

/** Loads the queue again, unless the answer to a change is about to tell more. Rejects with `ApiError`. */
export async function loadQueue(): Promise<void> {
  if (pending === 0) await resource.load()
}

/** Puts episodes before or behind all others; those in the queue move. Rejects with `ApiError`. */
export function addToQueue(episodes: readonly Queueable[], at: 'next' | 'last'): Promise<void> {
  const body = { at, episodes: episodes.map(({ podcast, url: episode }) => ({ podcast, episode })) }
  return change(queue.peek(), () => call('addToQueue', { body }))
}

/** Rejects with `ApiError`. */
export function removeFromQueue({ podcast, url: episode }: Queueable): Promise<void> {
  return change(without(episode), () => call('removeFromQueue', { query: { podcast, episode } }))
}

/** Rejects with `ApiError`. */
export function clearQueue(): Promise<void> {
  return change([], () => call('removeFromQueue'))
}

/** Makes this the queue, as it was before a change. Rejects with `ApiError`. */
export function restoreQueue(items: Items): Promise<void> {
  return change(items, () => replace(items))
}

/** Moves an episode to an index. Of several moves in a row only the last order is sent. Rejects with `ApiError`. */
export async function moveInQueue(url: string, to: number): Promise<void> {
  const { value: items = [] } = queue
  const from = items.findIndex(({ episode }) => episode.url === url)
  if (from === -1 || from === to) return
  const moved = moveItem(items, from, to)
  if (isOrderWaiting) {
    resource.set(moved)
    return
  }
  isOrderWaiting = true
  await change(moved, () => {
    isOrderWaiting = false
    return replace(queue.peek() ?? moved)
  })
}

/** An episode was played to its end, which the server learns with the next report. */
export function leaveQueue(url: string): void {
  const rest = without(url)
  if (rest && rest.length !== queue.peek()?.length) resource.set(rest)
}

/** The list with one item at another index. */
export function moveItem<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const rest = items.toSpliced(from, 1)
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1))
}

function without(url: string): Items | undefined {
  return queue.peek()?.filter(({ episode }) => episode.url !== url)
}

function replace(items: Items) {
  const episodes = items.map(({ podcast, episode }) => ({ podcast: podcast.url, episode: episode.url }))
  return call('replaceQueue', { body: { episodes } })
}

/** Shows a change at once, and sends it after those before it. If that fails, the queue is loaded again. */
async function change(shown: Items | undefined, request: () => Promise<{ readonly items: Items }>): Promise<void> {
  const owner = ownName()
  if (shown) resource.set(shown)
  pending++
  const answer = settled.then(() => {
    if (owner !== ownName()) throw new Error('another user has signed in')
    return request()
  })
  settled = answer.catch(() => undefined)
  try {
    const { items } = await answer
    // Later changes are shown already, and their answers know of this one.
    if (pending === 1 && owner === ownName()) resource.set(items)
  } catch (error) {
    isOrderWaiting = false
    if (pending === 1) void resource.load().catch(() => undefined)
    throw error
  } finally {
    pending--
  }
}
