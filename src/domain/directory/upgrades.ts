import type { Clock } from '../../platform/clock.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { timestampOf } from '../sync/cursors.ts'
import type { FetchNew } from '../sync/ports.ts'
import type { Artwork } from './artwork.ts'
import type { Exchange, FeedMove, Upgrade, UpgradeStore } from './ports.ts'

export interface Upgrades {
  /** The feeds the user has by http that are known to be the same by https, by title (docs/protocol.md#D73). */
  list(userId: UserId): Promise<Upgrade[]>
  /**
   * Puts the https feed in the place of the http one on every device that has it (D74); tells which, and the timestamp. Never happens by
   * itself. What is known of the podcast, its picture and what the user's apps reported of its episodes go along, and the feed is fetched at
   * its new address soon. Throws `unknown_podcast` when no device has it, `validation_failed` when the pair is none of the list.
   */
  apply(userId: UserId, pair: { httpUrl: string; httpsUrl: string }): Promise<Exchanged>
  /** The user's feeds that say to be elsewhere for good, by title; offered like upgrades. */
  moves(userId: UserId): Promise<FeedMove[]>
  /** As `apply`. */
  applyMove(userId: UserId, pair: { url: string; newUrl: string }): Promise<Exchanged>
}

interface Addresses {
  readonly from: string
  readonly to: string
}

/** A few milliseconds' work, in between which others have their turn. */
const EPISODES_AT_ONCE = 100

export interface UpgradesParts {
  readonly store: UpgradeStore
  readonly artwork: Pick<Artwork, 'inherit'>
  readonly fetchNew: FetchNew
  readonly clock: Clock
}

export interface Exchanged {
  readonly devices: string[]
  readonly timestamp: number
}

export function createUpgrades(parts: UpgradesParts): Upgrades {
  const { store, artwork, fetchNew, clock } = parts

  /** What need not be in the transaction of the exchange, in pieces, before the answer. */
  async function settle(userId: UserId, { from, to }: Addresses, exchange: Exchange): Promise<Exchanged> {
    const { devices, clock: changedAt, inherited } = exchange
    if (inherited) {
      for (let first = 0; first < inherited.episodes.length; first += EPISODES_AT_ONCE)
        await store.inheritEpisodes(inherited, inherited.episodes.slice(first, first + EPISODES_AT_ONCE))
      await artwork.inherit({ from, to, logoUrl: inherited.logoUrl })
    }
    let moved = 0
    do moved = await store.moveActions(userId, { from, to }, clock.seconds())
    while (moved > 0)
    fetchNew(userId, [to])
    return { devices, timestamp: timestampOf(changedAt) }
  }

  return {
    list: (userId) => store.list(userId),

    async apply(userId, { httpUrl, httpsUrl }) {
      const pair = { httpUrl: sanitizeUrl(httpUrl) ?? '', httpsUrl: sanitizeUrl(httpsUrl) ?? '' }
      const exchange = await store.apply(userId, pair, clock.seconds())
      return settle(userId, { from: pair.httpUrl, to: pair.httpsUrl }, exchange)
    },

    async moves(userId) {
      // What a server sent it to may be no address that anybody could subscribe to.
      return (await store.moves(userId)).filter(({ newUrl }) => sanitizeUrl(newUrl) === newUrl)
    },

    async applyMove(userId, { url, newUrl }) {
      const pair = { url: sanitizeUrl(url) ?? '', newUrl: sanitizeUrl(newUrl) ?? '' }
      const exchange = await store.applyMove(userId, pair, clock.seconds())
      return settle(userId, { from: pair.url, to: pair.newUrl }, exchange)
    },
  }
}
