import type { Clock } from '../platform/clock.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { UserId } from './ids.ts'
import { timestampOf } from './logical-clock.ts'
import type { Upgrade, UpgradeStore } from './ports.ts'

export interface Upgrades {
  /** The feeds the user has by http that are known to be the same by https, by title (protocol.md D73). */
  list(userId: UserId): Promise<Upgrade[]>
  /**
   * Puts the https feed in the place of the http one on every device that has it (D74); tells which, and the timestamp. Never happens by
   * itself. Throws `unknown_podcast` when no device has it, `validation_failed` when the pair is none of the list.
   */
  apply(userId: UserId, pair: { httpUrl: string; httpsUrl: string }): Promise<{ devices: string[]; timestamp: number }>
}

export function createUpgrades(store: UpgradeStore, keeper: DirectoryKeeper, clock: Clock): Upgrades {
  return {
    async list(userId) {
      await keeper.catchUp()
      return store.list(userId)
    },

    async apply(userId, { httpUrl, httpsUrl }) {
      await keeper.catchUp()
      const from = sanitizeUrl(httpUrl) ?? ''
      const to = sanitizeUrl(httpsUrl) ?? ''
      const applied = await store.apply(userId, from, to, clock.seconds())
      return { devices: applied.devices, timestamp: timestampOf(applied.clock) }
    },
  }
}
