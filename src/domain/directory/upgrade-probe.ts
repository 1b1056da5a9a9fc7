import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { FeedContents, FeedEpisode, WantedEpisodes } from '../feeds/document.ts'
import { type FeedSource, neverAsked } from '../feeds/ports.ts'
import { forEachLimit, type HostQueue } from '../shared/concurrency.ts'
import { isUnavailable } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { ProbedFeed, UpgradeStore } from './ports.ts'

export interface UpgradeProbe {
  /**
   * Looks whether some of the feeds people have by http are there by https as well, so that it can be offered to them (docs/protocol.md#D73).
   * Called every hour or so.
   */
  run(): Promise<void>
  stop(): void
}

export interface UpgradeProbeParts {
  readonly store: UpgradeStore
  readonly source: FeedSource
  readonly queue: HostQueue
  readonly clock: Clock
  readonly log: Log
}

/** Feeds in one run, and days until one is tried again. */
const AT_ONCE = 20
const AGAIN_DAYS = 30
const DAY = 24 * 3600
/** Of the newest episodes known, how many must be among the newest there; the feed may have gone on meanwhile. */
const SAME_MIN = 2
const NEWEST: WantedEpisodes = { known: '{}', order: 'newest first', limit: 10 }

export function createUpgradeProbe({ store, source, queue, clock, log }: UpgradeProbeParts): UpgradeProbe {
  let isStopped = false

  /** The same podcast by its guid, or by its title and newest episodes: a host may answer anything by https. */
  /** The same podcast by its guid, or by its title and newest episodes: a host may answer anything by https. */
  function isSame(feed: ProbedFeed, { document, episodes }: FeedContents): boolean {
    const { guid, title } = document
    if (feed.guid !== '' && guid !== '') return feed.guid === guid
    if (title === '' || feed.title !== title || feed.newest.length === 0) return false
    const there = new Set(episodes.map(nameOf))
    const same = feed.newest.filter((episode) => there.has(nameOf(episode))).length
    return same >= Math.min(SAME_MIN, feed.newest.length)
  }

  async function probe(feed: ProbedFeed): Promise<void> {
    if (isStopped) return
    let works = false
    await source.ask(neverAsked(feed.httpsUrl), clock.seconds(), NEWEST, async (contents) => {
      works = isSame(feed, contents)
    })
    await store.noteProbe(feed.id, clock.seconds(), works)
    log.debug('tried a feed by https', { podcast: feed.id, works })
  }

  return {
    async run() {
      const feeds = await store.toProbe(clock.seconds() - AGAIN_DAYS * DAY, AT_ONCE)
      try {
        await forEachLimit(feeds, AT_ONCE, (feed) => queue.run(hostOf(feed.httpsUrl), () => probe(feed)))
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    },
    stop: () => {
      isStopped = true
    },
  }
}

/** Media by http and by https is the same. */
function nameOf({ guid, url }: Pick<FeedEpisode, 'guid' | 'url'>): string {
  return guid === '' ? url.replace(/^https?:/, '') : guid
}
