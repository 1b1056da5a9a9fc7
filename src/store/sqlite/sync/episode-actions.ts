import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { ActionList, ActionQuery, EpisodeAction, EpisodeActionStore, Written } from '../../../domain/sync/ports.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { ACTION_KINDS, createActionReader } from './episode-action-reader.ts'
import { preparePodcastIds } from './podcast-rows.ts'
import type { SyncState } from './sync-state.ts'
import { createPace, type Steps, type UserWrites } from './user-writes.ts'

export function createEpisodeActionStore(
  db: Database,
  snapshot: Snapshot,
  sync: SyncState,
  writes: UserWrites,
): EpisodeActionStore {
  const reader = createActionReader(db, snapshot)
  const podcastIds = preparePodcastIds(db)
  const ensureDevices = db.prepare<undefined, [UserId, string, number]>(
    `INSERT INTO devices (user_id, uid, caption, type, created_at)
     SELECT ?1, value, value, 'other', ?3 FROM json_each(?2) WHERE true ON CONFLICT (user_id, uid) DO NOTHING`,
  )
  // A row at a time: to take eight values of each from a JSON array costs twice as much.
  const findEpisode = db.prepare<{ id: number }, [PodcastId, string]>(
    'SELECT id FROM episodes WHERE podcast_id = ?1 AND url = ?2',
  )
  const insertEpisode = db.prepare<undefined, [PodcastId, string]>(
    'INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2)',
  )
  const insertAction = db.prepare<
    undefined,
    [UserId, number, number, number, number, string, number, number, number, string | null]
  >(
    `INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total, guid)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING`,
  )
  const uploadedByOthers = db.prepare<undefined, [UserId, number, number]>(
    'SELECT 1 FROM episode_actions WHERE user_id = ?1 AND seq >= ?2 AND seq <> ?3 LIMIT 1',
  )

  /** How many rows that makes: none for an action that is there already. */
  function insert(userId: UserId, action: EpisodeAction, seq: number, at: number): number {
    const { kind, device = '', started = -1, position = -1, total = -1, guid = null } = action
    const podcastId = podcastIds.ensure(action.podcast, at)
    const episodeId =
      findEpisode.get(podcastId, action.episode)?.id ??
      Number(insertEpisode.run(podcastId, action.episode).lastInsertRowid)
    const index = ACTION_KINDS.indexOf(kind)
    return insertAction.run(userId, episodeId, index, action.at, seq, device, started, position, total, guid).changes
  }

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
        for (const action of actions) {
          if (pace.isFull(1)) yield pace.unfinished
          added += insert(userId, action, seq, at)
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

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)]
}
