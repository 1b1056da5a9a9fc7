import type { Signal } from '@preact/signals'
import type { Playable } from '../playback/playable.ts'

/** The one after an episode in the queue; the first other one if that is the last there, or not in the queue. */
export function nextInQueue<Q extends { readonly episode: { readonly url: string } }>(
  items: readonly Q[],
  url: string,
): Q | undefined {
  const index = items.findIndex(({ episode }) => episode.url === url)
  return items[index + 1] ?? items.find(({ episode }) => episode.url !== url)
}

interface FindNextParts {
  /** The next of the queue. Never rejects. */
  readonly findQueued: (after: Playable) => Promise<Playable | undefined>
  /** Whether the user wants to hear the rest of a list. Never rejects. */
  readonly keepsPlaying: () => Promise<boolean>
  /** The media URLs of what any device has played to the end of a podcast. Rejects if the server cannot be asked. */
  readonly findPlayed: (podcast: string) => Promise<ReadonlySet<string>>
  readonly list: Signal<readonly Playable[]>
}

/** Finds the episode to play next: the next of the queue, else the next of the list that was not played meanwhile. */
export function createFindNext({ findQueued, keepsPlaying, findPlayed, list }: FindNextParts) {
  return async (current: Playable): Promise<Playable | undefined> => {
    const before = list.peek()
    const queued = await findQueued(current)
    if (queued || !(await keepsPlaying())) return queued
    const played = new Map<string, ReadonlySet<string>>()
    for (const [index, each] of before.entries()) {
      const known = played.get(each.podcast) ?? (await findPlayed(each.podcast).catch(() => new Set<string>()))
      played.set(each.podcast, known)
      if (each.url === current.url || known.has(each.url)) continue
      // Meanwhile the user may have started something else.
      if (list.peek() !== before) return undefined
      list.value = before.slice(index + 1)
      return each
    }
    return undefined
  }
}
