import type { FeedCounts, FeedHealth, FeedHealthStore, FeedQuery } from './admin-ports.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { DomainError } from './errors.ts'
import type { Feeds } from './feeds.ts'
import type { PodcastId } from './ids.ts'
import { isSecretUrl } from './secret-url.ts'

/** The feeds as administrators see them, who are not among those who may hear with a subscriber's secret (protocol.md D56). */
export interface FeedHealthReport {
  /** `page` counts from 0. */
  list(
    query: FeedQuery,
    page: number,
    perPage: number,
  ): Promise<{ readonly total: number; readonly counts: FeedCounts; readonly feeds: FeedHealth[] }>
  /** Throws `unknown_podcast`, `feed_forbidden`, `feed_unreachable`, `feed_invalid`, `internal`, `unavailable`. */
  refresh(id: PodcastId): Promise<{ readonly feed: FeedHealth; readonly episodes: number }>
}

const TEXT_MAX = 200

export function createFeedHealth(store: FeedHealthStore, feeds: Feeds, keeper: DirectoryKeeper): FeedHealthReport {
  async function wanted(id: PodcastId): Promise<FeedHealth> {
    const feed = await store.get(id)
    if (!feed) throw new DomainError('unknown_podcast', 'nobody is subscribed to such a feed')
    return feed
  }

  return {
    async list({ state, text }, page, perPage) {
      // A feed counts as private until somebody has looked.
      await keeper.catchUp()
      const query = { state, text: text.trim().slice(0, TEXT_MAX).toWellFormed() }
      const { counts, feeds: found } = await store.list(query, page * perPage, perPage)
      const total = state === undefined ? sum(counts) : counts[state]
      return { total, counts, feeds: found.map(withoutSecrets) }
    },

    async refresh(id) {
      await wanted(id)
      const { episodes } = await feeds.refreshKnown(id)
      return { feed: withoutSecrets(await wanted(id)), episodes }
    },
  }
}

function sum({ ok, failing, gone, new: fresh }: FeedCounts): number {
  return ok + failing + gone + fresh
}

function withoutSecrets(feed: FeedHealth): FeedHealth {
  const { isPrivate, url, title, movedTo } = feed
  const isMovedToSecret = movedTo !== undefined && (isPrivate || isSecretUrl(movedTo))
  return {
    ...feed,
    url: isPrivate ? originOnly(url) : url,
    title: isPrivate ? '' : title,
    movedTo: isMovedToSecret ? originOnly(movedTo) : movedTo,
  }
}

function originOnly(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}/…`
}
