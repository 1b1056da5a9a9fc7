import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import type { FormerGuid, JoinedEpisodes } from './joined-episodes.ts'

/** Each may join and take apart 64 media URLs. */
const GUIDS_AT_ONCE = 100

export type FormerGuids = ReturnType<typeof prepareFormerGuids>

/** Puts back the guids that an upload told which stays unfinished. All functions belong inside a job of the write queue. */
export function prepareFormerGuids(db: Database, joins: JoinedEpisodes) {
  const keep = db.prepare<undefined, [UserId, number, string | null]>(
    'INSERT INTO unfinished_guids (user_id, user_episode_id, guid) VALUES (?1, ?2, ?3)',
  )
  const latest = db.prepare<FormerGuid & { id: number }, [UserId]>(
    `SELECT id, user_episode_id AS userEpisodeId, guid FROM unfinished_guids
      WHERE user_id = ?1 ORDER BY id DESC LIMIT ${GUIDS_AT_ONCE}`,
  )
  const forgetOne = db.prepare<undefined, [number]>('DELETE FROM unfinished_guids WHERE id = ?1')
  const forget = db.prepare<undefined, [UserId]>('DELETE FROM unfinished_guids WHERE user_id = ?1')

  /** Users with rows in the table, which others need not be asked for. */
  const kept = new Set<UserId>()

  return {
    /** Moves these to the table, so that they can be put back. */
    keep(userId: UserId, guids: FormerGuid[] = []): void {
      if (guids.length > 0) kept.add(userId)
      for (const { userEpisodeId, guid } of guids.splice(0)) keep.run(userId, userEpisodeId, guid)
    },

    /** Puts some back, the latest first; false when there are none left. */
    takeBack(userId: UserId): boolean {
      const some = latest.all(userId)
      for (const { id, userEpisodeId, guid } of some) {
        joins.rename(userEpisodeId, guid)
        forgetOne.run(id)
      }
      return some.length > 0
    },

    /** Once the upload is finished. */
    forget(userId: UserId): void {
      if (kept.delete(userId)) forget.run(userId)
    },
  }
}
