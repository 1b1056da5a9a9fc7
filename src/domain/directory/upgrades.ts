import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { EpisodeSelection, FeedContents, FeedEpisode } from '../feeds/document.ts'
import { type FeedSource, unfetchedFeed } from '../feeds/ports.ts'
import { forEachLimit, type HostQueue } from '../shared/concurrency.ts'
import { unlessUnavailable } from '../shared/errors.ts'
import { hostOf, sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { timestampOf } from '../sync/cursors.ts'
import type { FetchNew } from '../sync/ports/subscriptions.ts'
import type { ByApp } from '../sync/ports/written.ts'
import type { Artwork } from './artwork.ts'
import type { Exchange, FeedMove, ProbedFeed, Upgrade, UpgradeStore } from './ports/upgrades.ts'

/** Episodes copied per transaction, which takes a few milliseconds. Other writes run in between. */
const EPISODES_AT_ONCE = 100

export interface Exchanged {
  readonly devices: string[]
  readonly timestamp: number
}

export function createUpgrades(parts: {
  readonly store: UpgradeStore
  readonly artwork: Pick<Artwork, 'inherit'>
  readonly fetchNew: FetchNew
  readonly clock: Clock
}) {
  const { store, artwork, fetchNew, clock } = parts
  /** Finishes an exchange before the response, in further short transactions. */
  async function settle(
    userId: UserId,
    { from, to }: { from: string; to: string },
    exchange: Exchange,
  ): Promise<Exchanged> {
    const { devices, clock: changedAt, inherited } = exchange
    if (inherited) {
      for (let first = 0; first < inherited.episodes.length; first += EPISODES_AT_ONCE)
        await store.inheritEpisodes(inherited, inherited.episodes.slice(first, first + EPISODES_AT_ONCE))
      await artwork.inherit({ from, to, logoUrl: inherited.logoUrl })
    }
    await store.moveActions(userId, { from, to }, clock.seconds())
    fetchNew(userId, [to])
    return { devices, timestamp: timestampOf(changedAt) }
  }

  return {
    /** Returns the user's http feeds that are known to be available by https, by title (docs/protocol.md#D73). */
    list: (userId: UserId): Promise<Upgrade[]> => store.list(userId),

    /** Replaces an http feed with its https twin everywhere (D74). Throws `unknown_podcast`, `validation_failed`. */
    async apply(
      userId: UserId,
      { httpUrl, httpsUrl }: { httpUrl: string; httpsUrl: string },
      by?: ByApp,
    ): Promise<Exchanged> {
      const pair = { httpUrl: sanitizeUrl(httpUrl) ?? '', httpsUrl: sanitizeUrl(httpsUrl) ?? '' }
      const exchange = await store.apply(userId, pair, clock.seconds(), by)
      return settle(userId, { from: pair.httpUrl, to: pair.httpsUrl }, exchange)
    },

    async moves(userId: UserId): Promise<FeedMove[]> {
      // A redirect may lead to a URL that cannot be subscribed to.
      return (await store.moves(userId)).filter(({ newUrl }) => sanitizeUrl(newUrl) === newUrl)
    },

    async applyMove(userId: UserId, { url, newUrl }: { url: string; newUrl: string }, by?: ByApp): Promise<Exchanged> {
      const pair = { url: sanitizeUrl(url) ?? '', newUrl: sanitizeUrl(newUrl) ?? '' }
      const exchange = await store.applyMove(userId, pair, clock.seconds(), by)
      return settle(userId, { from: pair.url, to: pair.newUrl }, exchange)
    },
  }
}

const PROBES_AT_ONCE = 20
const AGAIN_DAYS = 30
const DAY = 24 * 3600
/** Number of known newest episodes that the https feed must have. It may have newer ones by now. */
const SAME_MIN = 2
const NEWEST: EpisodeSelection = { fingerprints: '{}', order: 'newest first', limit: 10 }

export function createUpgradeProbe(parts: {
  readonly store: UpgradeStore
  readonly source: FeedSource
  readonly queue: HostQueue
  readonly clock: Clock
  readonly log: Log
  readonly isOff: boolean
}) {
  const { store, source, queue, clock, log, isOff } = parts
  let isStopped = false

  /** Compares guids, or else titles and newest episodes, because a host may serve something else by https. */
  function isSame(feed: ProbedFeed, { document, episodes }: FeedContents): boolean {
    const { guid, title } = document
    if (feed.guid !== '' && guid !== '') return feed.guid === guid
    if (title === '' || feed.title !== title || feed.newest.length === 0) return false
    const probedNames = new Set(episodes.map(nameOf))
    const same = feed.newest.filter((episode) => probedNames.has(nameOf(episode))).length
    return same >= Math.min(SAME_MIN, feed.newest.length)
  }

  async function probe(feed: ProbedFeed): Promise<void> {
    if (isStopped) return
    let works = false
    await source.ask(unfetchedFeed(feed.httpsUrl), clock.seconds(), NEWEST, async (contents) => {
      works = isSame(feed, contents)
    })
    await store.noteProbe(feed.id, clock.seconds(), works)
    log.debug('tried a feed by https', { podcast: feed.id, works })
  }

  /** Probes http feeds for https twins to offer (docs/protocol.md#D73). */
  async function run(): Promise<void> {
    const feeds = await store.toProbe(clock.seconds() - AGAIN_DAYS * DAY, PROBES_AT_ONCE)
    await unlessUnavailable(
      forEachLimit(feeds, PROBES_AT_ONCE, (feed) => queue.run(hostOf(feed.httpsUrl), () => probe(feed))),
    )
  }
  return {
    run,
    jobs: isOff ? [] : [{ name: 'upgrades', pattern: '53 * * * *', run }],
    stop: (): void => {
      isStopped = true
    },
  }
}

function nameOf({ guid, url }: Pick<FeedEpisode, 'guid' | 'url'>): string {
  return guid === '' ? url.replace(/^https?:/, '') : guid
}
