import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import type { Heard } from '../../../../domain/sync/ports/history.ts'

/** Stretches heard by removed actions (docs/protocol.md#D93). All functions belong inside a job of the write queue. */
export function prepareHeardRows(db: Database) {
  const find = db.prepare<{ id: number }, [number]>('SELECT id FROM heard_episodes WHERE user_episode_id = ?1')
  const insert = db.prepare<undefined, [UserId, number]>(
    'INSERT INTO heard_episodes (user_id, user_episode_id) VALUES (?1, ?2)',
  )
  const insertStretch = db.prepare<undefined, [UserId, number, number, number, number]>(
    'INSERT OR IGNORE INTO heard_stretches (user_id, at, heard_id, started, position) VALUES (?1, ?2, ?3, ?4, ?5)',
  )
  const move = db.prepare<undefined, [number, number]>(
    'UPDATE heard_episodes SET user_episode_id = ?2 WHERE user_episode_id = ?1',
  )
  return {
    /** Moves all from one row of `user_episodes` to another. */
    move: (from: number, to: number): void => void move.run(from, to),

    /** Tells how many were not there. */
    add(userId: UserId, userEpisodeId: number, heard: readonly Heard[]): number {
      const heardId = find.get(userEpisodeId)?.id ?? Number(insert.run(userId, userEpisodeId).lastInsertRowid)
      return heard.reduce((sum, { at, from, to }) => sum + insertStretch.run(userId, at, heardId, from, to).changes, 0)
    },
  }
}
