import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'

/** A podcast that a device has by another address from now on, and what was there before. */
export interface Rename {
  readonly deviceId: number
  readonly oldId: PodcastId
  readonly newId: PodcastId
  readonly wasReplaced: number
  /** Of the removed subscription that there was at the new address. */
  readonly seq: number | null
  readonly previousSeq: number | null
}

interface RemovedRow {
  readonly seq: number
  readonly previousSeq: number | null
}

const RENAMES_AT_ONCE = 100

export type Renames = ReturnType<typeof prepareRenames>

/** Subscriptions that move from an address to another, and back where the work that did so stays unfinished. Inside of a job. */
export function prepareRenames(db: Database) {
  const removedRow = db.prepare<RemovedRow, [number, PodcastId]>(
    'SELECT seq, previous_seq AS previousSeq FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2',
  )
  // Counters are kept by triggers on rows that come and go.
  const addRow = db.prepare<undefined, [number, PodcastId, PodcastId]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq, previous_seq)
     SELECT device_id, ?3, 1, seq, previous_seq FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq, previous_seq = excluded.previous_seq`,
  )
  const addRemoved = db.prepare<undefined, [number, PodcastId, number, number | null]>(
    'INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq, previous_seq) VALUES (?1, ?2, 0, ?3, ?4)',
  )
  const removeRow = db.prepare<undefined, [number, PodcastId]>(
    'DELETE FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2',
  )
  const noteReplaced = db.prepare<undefined, [number, PodcastId]>(
    'INSERT INTO replaced_addresses (device_id, podcast_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
  )
  const removeReplaced = db.prepare<undefined, [number, PodcastId]>(
    'DELETE FROM replaced_addresses WHERE device_id = ?1 AND podcast_id = ?2',
  )
  const keep = db.prepare<undefined, [number, PodcastId, PodcastId, number, number | null, number | null]>(
    `INSERT INTO unfinished_renames (device_id, old_id, new_id, was_replaced, seq, previous_seq)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  )
  const latest = db.prepare<Rename & { id: number }, [UserId]>(
    `SELECT id, device_id AS deviceId, old_id AS oldId, new_id AS newId, was_replaced AS wasReplaced, seq, previous_seq AS previousSeq
       FROM unfinished_renames WHERE device_id IN (SELECT id FROM devices WHERE user_id = ?1) ORDER BY id DESC LIMIT ${RENAMES_AT_ONCE}`,
  )
  const forgetOne = db.prepare<undefined, [number]>('DELETE FROM unfinished_renames WHERE id = ?1')
  const forget = db.prepare<undefined, [UserId]>(
    'DELETE FROM unfinished_renames WHERE device_id IN (SELECT id FROM devices WHERE user_id = ?1)',
  )

  /** Users with rows in the table, which others need not be asked for. */
  const kept = new Set<UserId>()

  return {
    rename(deviceId: number, oldId: PodcastId, newId: PodcastId): Rename {
      const { seq, previousSeq } = removedRow.get(deviceId, newId) ?? { seq: null, previousSeq: null }
      addRow.run(deviceId, oldId, newId)
      removeRow.run(deviceId, oldId)
      const wasReplaced = 1 - noteReplaced.run(deviceId, oldId).changes
      return { deviceId, oldId, newId, wasReplaced, seq, previousSeq }
    },

    /** Moves what was renamed to the table, so that it can be taken back. */
    keep(userId: UserId, renames: Rename[] = []): void {
      if (renames.length > 0) kept.add(userId)
      for (const { deviceId, oldId, newId, wasReplaced, seq, previousSeq } of renames.splice(0))
        keep.run(deviceId, oldId, newId, wasReplaced, seq, previousSeq)
    },

    /** Takes some back; false when there are none left. */
    takeBack(userId: UserId): boolean {
      const some = latest.all(userId)
      for (const { id, deviceId, oldId, newId, wasReplaced, seq, previousSeq } of some) {
        addRow.run(deviceId, newId, oldId)
        removeRow.run(deviceId, newId)
        if (seq !== null) addRemoved.run(deviceId, newId, seq, previousSeq)
        if (wasReplaced === 0) removeReplaced.run(deviceId, oldId)
        forgetOne.run(id)
      }
      return some.length > 0
    },

    /** Once the work is finished. */
    forget(userId: UserId): void {
      if (kept.delete(userId)) forget.run(userId)
    },
  }
}
