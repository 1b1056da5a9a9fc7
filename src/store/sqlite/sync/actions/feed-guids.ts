import type { Database } from 'bun:sqlite'
import type { FeedGuidStore } from '../../../../domain/sync/ports/episode-actions.ts'
import type { Snapshot } from '../../core/snapshot.ts'
import type { WriteQueue } from '../../core/write-queue.ts'
import type { JoinedEpisodes } from './joined-episodes.ts'

export interface FeedGuidStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly joins: JoinedEpisodes
}

/** Media URLs in one job: those that are looked at, and those that get a guid, each of which may be joined with 63 others. */
const LOOKED_AT = 2000
const NAMED = 50

export function createFeedGuidStore({ db, snapshot, queue, joins }: FeedGuidStoreParts): FeedGuidStore {
  const done = db.prepare<undefined, []>(`SELECT 1 FROM upkeep WHERE task = 'feed_guids'`)
  const setDone = db.prepare<undefined, []>(
    `INSERT INTO upkeep (task, version) VALUES ('feed_guids', 1) ON CONFLICT (task) DO NOTHING`,
  )
  const lastOf = db.prepare<{ id: number | null }, [number]>(
    `SELECT MAX(id) AS id FROM (SELECT id FROM user_episodes WHERE id > ?1 ORDER BY id LIMIT ${LOOKED_AT})`,
  )
  const unnamed = db.prepare<{ id: number; guid: string }, [number, number]>(
    `SELECT ue.id, d.guid FROM user_episodes ue CROSS JOIN episode_details d ON d.episode_id = ue.episode_id
      WHERE ue.id > ?1 AND ue.id <= ?2 AND ue.guid IS NULL AND d.guid <> '' ORDER BY ue.id LIMIT ${NAMED}`,
  )

  return {
    isDone: () => snapshot.read(() => done.get() !== null),

    fill: (after) =>
      queue.runDeferred(() => {
        const last = lastOf.get(after)?.id ?? undefined
        if (last === undefined) {
          setDone.run()
          return undefined
        }
        const rows = unnamed.all(after, last)
        for (const { id, guid } of rows) joins.rename(id, guid)
        return rows.length === NAMED ? rows.at(-1)?.id : last
      }),
  }
}
