import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { ActionList, ActionQuery, EpisodeAction, EpisodeActionStore, Written } from '../../../domain/sync/ports.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { ACTION_KINDS, createActionReader } from './episode-action-reader.ts'
import { prepareEnsurePodcasts } from './podcast-rows.ts'
import type { SyncState } from './sync-state.ts'
import { createPace, ROWS_PER_JOB, type Steps, type UserWrites } from './user-writes.ts'

export function createEpisodeActionStore(
  db: Database,
  snapshot: Snapshot,
  sync: SyncState,
  writes: UserWrites,
): EpisodeActionStore {
  const reader = createActionReader(db, snapshot)
  const ensurePodcasts = prepareEnsurePodcasts(db)
  const ensureDevices = db.prepare<undefined, [UserId, string, number]>(
    `INSERT INTO devices (user_id, uid, caption, type, created_at)
     SELECT ?1, value, value, 'other', ?3 FROM json_each(?2) WHERE true ON CONFLICT (user_id, uid) DO NOTHING`,
  )
  const ensureEpisodes = db.prepare<undefined, [string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT p.id, j.value ->> 1 FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ->> 0 WHERE true
     ON CONFLICT (podcast_id, url) DO NOTHING`,
  )
  const insertActions = db.prepare<undefined, [UserId, string, number]>(
    `INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total, guid)
     SELECT ?1, e.id, j.value ->> 2, j.value ->> 3, ?3, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7, j.value ->> 8
       FROM json_each(?2) j
       CROSS JOIN podcasts p ON p.url = j.value ->> 0
       CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1
      WHERE true
     ON CONFLICT DO NOTHING`,
  )
  const uploadedByOthers = db.prepare<undefined, [UserId, number, number]>(
    'SELECT 1 FROM episode_actions WHERE user_id = ?1 AND seq >= ?2 AND seq <> ?3 LIMIT 1',
  )

  return {
    async list(userId: UserId, query: ActionQuery): Promise<ActionList> {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      const clock = sync.clockOf(userId)
      return { clock, chunks: reader.read(userId, query, clock) }
    },

    applyUpload: (userId, actions, { at, seenUntil }) =>
      writes.run(userId, function* (): Steps<Written> {
        const clock = sync.clockOf(userId)
        const seq = nextClock(clock, at)
        const named = distinct(actions.flatMap(({ device }) => device ?? []))
        const pace = createPace({ seq })
        let added = 0
        for (const slice of slices(actions, ROWS_PER_JOB)) {
          yield* pace.before(slice.length)
          const rows = JSON.stringify(slice.map(toRow))
          ensurePodcasts(JSON.stringify(distinct(slice.map(({ podcast }) => podcast))), at)
          ensureEpisodes.run(rows)
          added += insertActions.run(userId, rows, seq).changes
        }
        if (named.length > 0 && ensureDevices.run(userId, JSON.stringify(named), at).changes > 0)
          sync.checkDevices(userId)
        if (added > 0) sync.setClockAndCount(userId, seq, added)
        return {
          clock: added > 0 ? seq : clock,
          missed: seenUntil !== undefined && uploadedByOthers.get(userId, seenUntil, seq) !== null,
        }
      }),
  }
}

function toRow(action: EpisodeAction): readonly (string | number | null)[] {
  const { podcast, episode, kind, at, device = '', started = -1, position = -1, total = -1, guid = null } = action
  return [podcast, episode, ACTION_KINDS.indexOf(kind), at, device, started, position, total, guid]
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)]
}
