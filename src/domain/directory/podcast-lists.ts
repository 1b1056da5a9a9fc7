import { type Clock, nextTurn } from '../../platform/clock.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { createUrlRewriter } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { slices } from '../shared/lists.ts'
import type { ListedFeed, PodcastObject } from '../shared/podcast.ts'
import { slugOf } from '../shared/text.ts'
import type { OwnedPodcastList, PodcastListStore } from './ports/podcast-lists.ts'

const TITLE_MAX = 300

/** Feeds normalized before yielding to other requests, which takes a few milliseconds. */
const FEEDS_AT_ONCE = 1000

export type PodcastLists = ReturnType<typeof createPodcastLists>

/** Public lists of podcasts (docs/protocol.md#podcast-lists). */
export function createPodcastLists(store: PodcastListStore, clock: Clock) {
  return {
    list: (username: string): Promise<OwnedPodcastList[]> => store.list(username),

    /** Throws `not_found` if the user or the list does not exist. */
    async read(
      username: string,
      name: string,
      reader: UserId | undefined,
    ): Promise<{ readonly title: string; readonly podcasts: readonly PodcastObject[] }> {
      const list = await store.read(username, slugOf(name), reader)
      if (!list) throw new DomainError('not_found', 'no such podcast list')
      return list
    },

    /** Returns the name of the new list. Throws `validation_failed`, `list_exists`, `quota_exceeded`. */
    async create(
      userId: UserId,
      rawTitle: string | undefined,
      pieces: Iterable<readonly ListedFeed[]>,
    ): Promise<string> {
      const urls = await urlsOf(pieces)
      const title = (rawTitle ?? '').trim().toWellFormed()
      const name = slugOf(title)
      if (name === '') throw invalid('title', 'title must contain a letter or a digit')
      if (title.length > TITLE_MAX) throw invalid('title', `title must have at most ${TITLE_MAX} characters`)
      await store.create(userId, { name, title, urls }, clock.seconds())
      return name
    },

    replace: async (userId: UserId, name: string, pieces: Iterable<readonly ListedFeed[]>): Promise<void> =>
      store.replace(userId, slugOf(name), await urlsOf(pieces)),

    /** Throws `not_found`. */
    remove: (userId: UserId, name: string): Promise<void> => store.remove(userId, slugOf(name)),
  }
}

async function urlsOf(pieces: Iterable<readonly ListedFeed[]>): Promise<string[]> {
  const rewriter = createUrlRewriter()
  const urls = new Set<string>()
  for (const feeds of pieces) {
    for (const batch of slices(feeds, FEEDS_AT_ONCE)) {
      if (urls.size > 0) await nextTurn()
      for (const { url: raw } of batch) {
        const url = rewriter.rewrite(raw)
        if (url !== undefined) urls.add(url)
      }
    }
  }
  return [...urls]
}
