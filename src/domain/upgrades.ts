import type { Clock } from '../platform/clock.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { FetchNew } from './feeds.ts'
import type { UserId } from './ids.ts'
import { timestampOf } from './logical-clock.ts'
import type { FeedMove, Upgrade, UpgradeStore } from './ports.ts'

export interface Upgrades {
  /** The feeds the user has by http that are known to be the same by https, by title (protocol.md D73). */
  list(userId: UserId): Promise<Upgrade[]>
  /**
   * Puts the https feed in the place of the http one on every device that has it (D74); tells which, and the timestamp. Never happens by
   * itself. Throws `unknown_podcast` when no device has it, `validation_failed` when the pair is none of the list.
   */
  apply(userId: UserId, pair: { httpUrl: string; httpsUrl: string }): Promise<Exchanged>
  /** The user's feeds that say to be elsewhere for good, by title; offered like upgrades. */
  moves(userId: UserId): Promise<FeedMove[]>
  /** As `apply`. */
  applyMove(userId: UserId, pair: { url: string; newUrl: string }): Promise<Exchanged>
}

export interface UpgradesParts {
  readonly store: UpgradeStore
  readonly keeper: DirectoryKeeper
  readonly fetchNew: FetchNew
  readonly clock: Clock
}

export interface Exchanged {
  readonly devices: string[]
  readonly timestamp: number
}

export function createUpgrades(parts: UpgradesParts): Upgrades {
  const { store, keeper, fetchNew, clock } = parts

  function exchanged(userId: UserId, url: string, done: { devices: string[]; clock: number }): Exchanged {
    fetchNew(userId, [url])
    return { devices: done.devices, timestamp: timestampOf(done.clock) }
  }

  return {
    async list(userId) {
      await keeper.catchUp()
      return store.list(userId)
    },

    async apply(userId, { httpUrl, httpsUrl }) {
      await keeper.catchUp()
      const pair = { httpUrl: sanitizeUrl(httpUrl) ?? '', httpsUrl: sanitizeUrl(httpsUrl) ?? '' }
      const done = await store.apply(userId, pair, clock.seconds())
      return exchanged(userId, pair.httpsUrl, done)
    },

    async moves(userId) {
      // What a server sent it to may be no address that anybody could subscribe to.
      return (await store.moves(userId)).filter(({ newUrl }) => sanitizeUrl(newUrl) === newUrl)
    },

    async applyMove(userId, { url, newUrl }) {
      const pair = { url: sanitizeUrl(url) ?? '', newUrl: sanitizeUrl(newUrl) ?? '' }
      const done = await store.applyMove(userId, pair, clock.seconds())
      return exchanged(userId, pair.newUrl, done)
    },
  }
}
