import { DomainError } from '../shared/errors.ts'
import { redactUrl } from '../shared/feed-url.ts'
import type { PodcastId } from '../shared/ids.ts'
import type {
  FeedCounts,
  FeedFailureReason,
  FeedHealth,
  FeedHealthStore,
  FeedQuery,
  FeedState,
  FeedTrace,
} from './ports.ts'
import type { Feeds } from './refresh.ts'

const TEXT_MAX = 200

/** Feeds as administrators see them, without the secrets of subscribers (docs/protocol.md#D56). */
export function createFeedHealth(store: FeedHealthStore, feeds: Feeds, isSecretUrl: (url: string) => boolean) {
  async function getFeed(id: PodcastId): Promise<FeedHealth> {
    const feed = await store.get(id)
    if (!feed) throw new DomainError('unknown_podcast', 'nobody is subscribed to such a feed')
    return feed
  }

  function withoutSecrets(feed: FeedHealth): FeedHealth {
    const { isPrivate, url, title, movedTo } = feed
    return {
      ...feed,
      url: redactUrl(url, isPrivate),
      title: isPrivate ? '' : title,
      movedTo: movedTo && redactUrl(movedTo, isPrivate || isSecretUrl(movedTo)),
    }
  }

  return {
    async list(
      { state, text }: FeedQuery,
      page: number,
      perPage: number,
    ): Promise<{ readonly total: number; readonly counts: FeedCounts; readonly feeds: FeedHealth[] }> {
      const query = { state, text: text.trim().slice(0, TEXT_MAX).toWellFormed() }
      const { counts, feeds: found } = await store.list(query, page * perPage, perPage)
      const total = state === undefined ? sum(counts) : counts[state]
      return { total, counts, feeds: found.map(withoutSecrets) }
    },

    /** Throws `unknown_podcast`, `feed_forbidden`, `feed_unreachable`, `feed_invalid`, `internal`, `unavailable`. */
    async refresh(id: PodcastId): Promise<{ readonly feed: FeedHealth; readonly episodes: number }> {
      await getFeed(id)
      const { episodes } = await feeds.refreshKnown(id)
      return { feed: withoutSecrets(await getFeed(id)), episodes }
    },
  }
}

function sum({ ok, failing, gone, new: fresh }: FeedCounts): number {
  return ok + failing + gone + fresh
}

export function stateOf({ checkedAt, failingSince, reason }: FeedTrace): FeedState {
  if (failingSince !== undefined) return reason === 'gone' ? 'gone' : 'failing'
  return checkedAt === undefined ? 'new' : 'ok'
}

export function failureMessage(reason: FeedFailureReason): string {
  return CAUSES[reason]
}

const CAUSES: Readonly<Record<FeedFailureReason, string>> = {
  forbidden: 'The feed is at an address that this server is not allowed to reach.',
  unreachable: 'The feed’s server cannot be reached.',
  timeout: 'The feed’s server takes too long to answer.',
  tls: 'The connection to the feed’s server is not secure: its certificate is not valid.',
  too_large: 'The feed is too large for this server.',
  not_a_feed: 'There is no podcast feed at this address.',
  gone: 'The feed has been removed permanently, says its server.',
  not_found: 'There is nothing at the feed’s address any more.',
  denied: 'The feed’s server requires a password, or a newer address.',
  blocked: 'The feed’s server refuses to answer this server (403).',
  refused: 'The feed’s server refuses to answer.',
  server_error: 'The feed’s server reports an error of its own.',
  internal: 'Something went wrong on this server; its log has the details.',
}
