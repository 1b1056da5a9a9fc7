import type { Signal } from '@preact/signals'
import type { Playable } from '../playback/playable.ts'

/** Returns the item after an episode; the first other one if the episode is last or not in the queue. */
export function nextInQueue<Q extends { readonly episode: { readonly url: string } }>(
  items: readonly Q[],
  url: string,
): Q | undefined {
  const index = items.findIndex(({ episode }) => episode.url === url)
  return items[index + 1] ?? items.find(({ episode }) => episode.url !== url)
}

interface FindNextParts {
  /** Returns the next episode of the queue. Never rejects. */
  readonly findQueued: (after: Playable) => Promise<Playable | undefined>
  /** Returns whether to play the rest of a list. Never rejects. */
  readonly keepsPlaying: () => Promise<boolean>
  /** Returns the media URLs of a podcast's played episodes. Rejects if the server is unreachable. */
  readonly findPlayed: (podcast: string) => Promise<ReadonlySet<string>>
  readonly list: Signal<readonly Playable[]>
}

/** Returns a function that finds the next episode: that of the queue, else the next unplayed one of the list. */
export function createFindNext({ findQueued, keepsPlaying, findPlayed, list }: FindNextParts) {
  return async (current: Playable): Promise<Playable | undefined> => {
    const before = list.peek()
    const queued = await findQueued(current)
    if (queued || !(await keepsPlaying())) return queued
    const played = new Map<string, ReadonlySet<string>>()
    for (const [index, each] of before.entries()) {
      const playedUrls = played.get(each.podcast) ?? (await findPlayed(each.podcast).catch(() => new Set<string>()))
      played.set(each.podcast, playedUrls)
      if (each.url === current.url || playedUrls.has(each.url)) continue
      // The user has started another list during the requests.
      if (list.peek() !== before) return undefined
      list.value = before.slice(index + 1)
      return each
    }
    return undefined
  }
}
