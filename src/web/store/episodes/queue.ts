import { call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { ownName } from '../session.ts'
import type { ListedEpisode } from './lists.ts'

export interface Queueable {
  /** Feed URL. */
  readonly podcast: string
  /** Media URL. */
  readonly url: string
}

type Items = readonly ListedEpisode[]

const resource = createResource<Items>(async () => (await call('getQueue')).items)

/** The queue in order; undefined until loaded. */
export const queue = resource.value

/** Number of changes in flight or waiting. */
let pending = 0
/** Resolves when all changes so far have been answered. */
let settled: Promise<unknown> = Promise.resolve()
/** Whether a new order waits to be sent. Later moves join it. */
let isOrderWaiting = false

/** Returns the queue, loaded again unless it is recent. Rejects with `ApiError`. */
export function ensureQueue(): Promise<Items> {
  return resource.get()
}

/** Reloads the queue, unless a pending change is about to return it. Rejects with `ApiError`. */
export async function loadQueue(): Promise<void> {
  if (pending === 0) await resource.load()
}

/** Adds episodes at the start or end, or moves them there. Rejects with `ApiError`. */
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

/** Restores an earlier queue to undo a change. Rejects with `ApiError`. */
export function restoreQueue(items: Items): Promise<void> {
  return change(items, () => replace(items))
}

/** Moves an episode to an index. After several moves in a row only the last order is sent. Rejects with `ApiError`. */
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

/** Removes a finished episode from the local queue. The server removes it on the next report. */
export function leaveQueue(url: string): void {
  const rest = without(url)
  if (rest && rest.length !== queue.peek()?.length) resource.set(rest)
}

/** Returns the list with one item moved. */
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

/** Shows a change at once and sends it after earlier ones. Reloads the queue if that fails. */
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
    // Later changes are on display already, and their answers will include this one.
    if (pending === 1 && owner === ownName()) resource.set(items)
  } catch (error) {
    isOrderWaiting = false
    if (pending === 1) void resource.load().catch(() => undefined)
    throw error
  } finally {
    pending--
  }
}
