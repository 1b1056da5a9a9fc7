import type { Database } from 'bun:sqlite'
import { DomainError } from '../../domain/errors.ts'
import type { UserId } from '../../domain/ids.ts'
import { nextClock } from '../../domain/logical-clock.ts'
import type { Exchange } from '../../domain/ports.ts'
import type { PodcastInheritance } from './podcast-inheritance.ts'
import { prepareEnsurePodcasts } from './podcasts.ts'
import { prepareCopyTitle } from './provisional-titles.ts'
import type { SyncState } from './sync-state.ts'

/** Inside a unit of the write queue. Rejects with `unknown_podcast` when no device has `from`, `quota_exceeded`, and with what `check` throws. */
export type ExchangeFeed = (
  userId: UserId,
  urls: { readonly from: string; readonly to: string },
  at: number,
  check: () => void,
) => Exchange

/** One feed in the place of another on each device that has it and in their sync groups (protocol.md D74). */
export function prepareFeedExchange(db: Database, sync: SyncState, inheritance: PodcastInheritance): ExchangeFeed {
  const ensurePodcasts = prepareEnsurePodcasts(db)
  const copyTitle = prepareCopyTitle(db)
  const holders = db.prepare<{ id: number; uid: string }, [UserId, string]>(
    `SELECT d.id, d.uid FROM devices d
       JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
       JOIN podcasts p ON p.id = s.podcast_id
      WHERE d.user_id = +?1 AND p.url = +?2 ORDER BY d.id`,
  )
  /** The devices of a JSON array and whoever shares a sync group with one of them. */
  const members = `(SELECT m.id FROM json_each(?1) j JOIN devices d ON d.id = j.value
      JOIN devices m ON m.id = d.id OR m.sync_group_id = d.sync_group_id)`
  const subscribe = db.prepare<undefined, [string, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT DISTINCT m.id, p.id, 1, ?3 FROM devices m CROSS JOIN podcasts p WHERE m.id IN ${members} AND p.url = +?2
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [string, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE subscribed = 1 AND device_id IN ${members} AND podcast_id = (SELECT id FROM podcasts WHERE url = +?2)`,
  )
  /**
   * What somebody has set for the podcast, above all that nobody is to know of it, and for its episodes is meant for it at the other address
   * as well. After a feed URL comes nothing, or a space, which no URL holds.
   */
  const takeSettings = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO settings (user_id, scope, target, value)
     SELECT user_id, scope, ?3 || substr(target, length(?2) + 1), value FROM settings
      WHERE user_id = ?1 AND (scope = 'podcast' AND target = ?2 OR scope = 'episode' AND target > ?2 || ' ' AND target < ?2 || '!')
     ON CONFLICT (user_id, scope, target) DO NOTHING`,
  )

  return (userId, { from, to }, at, check) => {
    const clock = sync.clockOf(userId)
    const devices = holders.all(userId, from)
    if (devices.length === 0) throw new DomainError('unknown_podcast', 'no device has this feed')
    check()
    const seq = nextClock(clock, at)
    const ids = JSON.stringify(devices.map(({ id }) => id))
    const inherit = inheritance.prepare(userId, from, to)
    if (takeSettings.run(userId, from, to).changes > 0) sync.checkSettings(userId)
    ensurePodcasts(JSON.stringify([to]), at)
    copyTitle(userId, from, to)
    const added = subscribe.run(ids, to, seq).changes
    const removed = unsubscribe.run(ids, from, seq).changes
    if (added > removed) sync.checkSubscriptions(userId)
    const inherited = inherit()
    inheritance.moveActions(userId, { from, to }, seq)
    sync.setClock(userId, seq)
    return { devices: devices.map(({ uid }) => uid), clock: seq, inherited }
  }
}
