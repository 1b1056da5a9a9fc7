import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { forEachLimit, type HostQueue } from '../shared/concurrency.ts'
import { unlessUnavailable } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import { isClaimTrue } from './addresses.ts'
import type { EpisodeSelection } from './document.ts'
import { type ClaimingFeed, type FeedSource, type FeedStore, unfetchedFeed } from './ports.ts'

const PROBES_AT_ONCE = 20
const AGAIN_DAYS = 7
const DAY = 24 * 3600
const NEWEST: EpisodeSelection = { fingerprints: '{}', order: 'newest first', limit: 50 }

export function createMoveProbe(parts: {
  readonly store: Pick<FeedStore, 'claimsToTry' | 'noteClaim'>
  readonly source: FeedSource
  readonly queue: HostQueue
  readonly clock: Clock
  readonly log: Log
  /** Whether the address is a secret (docs/protocol.md#D56). */
  readonly isSecretUrl: (url: string) => boolean
  readonly isOff: boolean
}) {
  const { store, source, queue, clock, log, isSecretUrl, isOff } = parts
  let isStopped = false

  async function probe(feed: ClaimingFeed): Promise<void> {
    if (isStopped) return
    let isTrue = false
    await source.ask(unfetchedFeed(feed.newFeedUrl), clock.seconds(), NEWEST, async ({ document, episodes }) => {
      const { guid, isBlocked } = document
      const episodeGuids = episodes.map((episode) => episode.guid)
      isTrue = isClaimTrue(feed, { isSecret: isSecretUrl(feed.newFeedUrl), isBlocked, guid, episodeGuids })
    })
    await store.noteClaim(feed, clock.seconds(), isTrue)
    log.debug('tried where a feed says that it is', { podcast: feed.id, isTrue })
  }

  /** Checks claims of feeds to have moved (docs/protocol.md#D83). Stores nothing from the new address. */
  async function run(): Promise<void> {
    const feeds = await store.claimsToTry(clock.seconds() - AGAIN_DAYS * DAY, PROBES_AT_ONCE)
    await unlessUnavailable(
      forEachLimit(feeds, PROBES_AT_ONCE, (feed) => queue.run(hostOf(feed.newFeedUrl), () => probe(feed))),
    )
  }
  return {
    run,
    jobs: isOff ? [] : [{ name: 'moves', pattern: '29 * * * *', run }],
    stop: (): void => {
      isStopped = true
    },
  }
}
