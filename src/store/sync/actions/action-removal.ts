import type { UserId } from '../../../domain/shared/ids.ts'
import { planMove } from '../../../domain/sync/joined-episodes.ts'
import type { Database } from '../../engine.ts'
import { kindOf, type ProgressRow, progressAt, STATE_KINDS, type StateAction } from './action-kinds.ts'
import type { EpisodeBooks, EpisodeName } from './episode-books.ts'
import { OWN_GUID } from './joined-episodes.ts'

interface UploadRow {
  readonly seq: number
  readonly firstId: number
  readonly endId: number
  /** The last remaining action; null if none. */
  readonly lastId: number | null
}

interface RemovedAction {
  readonly id: number
  readonly deviceId: number
}

/** A list with a new last action, or none. */
interface ChangedList extends EpisodeName {
  readonly mediaId: number
  readonly isGone: number
}

interface MovedAction extends RemovedAction {
  readonly userEpisodeId: number
  readonly previousId: number | null
  readonly url: string
  readonly guid: string | null
  readonly kind: number
  readonly at: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

/** Addresses of a podcast that moves. */
interface Addresses {
  readonly from: string
  readonly to: string
}

/** Rows that move to another podcast in one job, which takes about ten milliseconds. */
export const MOVED_AT_ONCE = 500

/**
 * Returns a function that updates `action_uploads` after actions were removed: uploads end with their last remaining
 * action, and empty ones are removed. Necessary because numbers of removed actions may be reused.
 */
function prepareUploadMending(db: Database): (removed: Iterable<RemovedAction>) => void {
  const uploadOf = db.prepare<UploadRow, [number, number]>(
    `SELECT u.seq, u.first_id AS firstId, u.last_id AS endId,
            (SELECT MAX(a.id) FROM episode_actions a
              WHERE a.id BETWEEN u.first_id AND u.last_id AND a.device_id = u.device_id) AS lastId
       FROM action_uploads u INDEXED BY action_uploads_first
      WHERE u.device_id = ?1 AND u.first_id <= ?2 ORDER BY u.first_id DESC LIMIT 1`,
  )
  const remove = db.prepare<undefined, [number, number, number]>(
    'DELETE FROM action_uploads WHERE device_id = ?1 AND seq = ?2 AND first_id = ?3',
  )
  const shorten = db.prepare<undefined, [number, number, number, number]>(
    'UPDATE action_uploads SET last_id = ?4 WHERE device_id = ?1 AND seq = ?2 AND first_id = ?3',
  )
  return (removed) => {
    for (const { id, deviceId } of removed) {
      const upload = uploadOf.get(deviceId, id)
      if (!upload) continue
      const { seq, firstId, endId, lastId } = upload
      if (lastId === null) remove.run(deviceId, seq, firstId)
      else if (lastId < endId) shorten.run(deviceId, seq, firstId, lastId)
    }
  }
}

export type ActionRemoval = ReturnType<typeof prepareActionRemoval>

/** Removes episode actions and updates references to them. All functions but `planMove` belong inside a job. */
export function prepareActionRemoval(db: Database, books: EpisodeBooks) {
  const removeRows = db.prepare<undefined, [number, number]>('DELETE FROM episode_actions WHERE id >= ?1 AND id < ?2')
  const linked = `WITH RECURSIVE linked (id) AS (
    SELECT CAST(?1 AS INTEGER) UNION ALL
    SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.previous_id IS NOT NULL)`
  const actionsAt = db.prepare<{ id: number }, [UserId, string]>(
    `WITH RECURSIVE linked (id) AS (
       SELECT ue.last_action_id FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
        CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id WHERE p.url = +?2
       UNION ALL
       SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.previous_id IS NOT NULL)
     SELECT id FROM linked`,
  )
  const actionsById = db.prepare<MovedAction, [string, UserId, string, string]>(
    `SELECT a.id, a.user_episode_id AS userEpisodeId, a.previous_id AS previousId, e.url, ${OWN_GUID} AS guid,
            a.kind, a.at, a.device_id AS deviceId, v.uid AS device, a.started, a.position, a.total
       FROM json_each(?1) j CROSS JOIN episode_actions a ON a.id = CAST(j.value AS INTEGER) AND a.user_id = +?2
       CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id CROSS JOIN episodes e ON e.id = ue.episode_id
       CROSS JOIN podcasts p ON p.id = e.podcast_id AND p.url IN (?3, ?4)
       CROSS JOIN action_devices v ON v.id = a.device_id ORDER BY j.key`,
  )
  const nextAfter = db.prepare<{ id: number | null }, [number, number]>(
    `WITH RECURSIVE linked (id) AS (
       SELECT last_action_id FROM user_episodes WHERE id = ?1 AND last_action_id > ?2 UNION ALL
       SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.previous_id > ?2)
     SELECT MIN(id) AS id FROM linked`,
  )
  const link = db.prepare<undefined, [number, number | null]>(
    'UPDATE episode_actions SET previous_id = ?2 WHERE id = ?1',
  )
  const endsOf = db.prepare<{ lastId: number; stateId: number }, [number]>(
    'SELECT last_action_id AS lastId, state_action_id AS stateId FROM user_episodes WHERE id = ?1',
  )
  const removeEpisode = db.prepare<ChangedList, [number]>(
    `DELETE FROM user_episodes WHERE id = ?1
     RETURNING episode_id AS mediaId, guid, joined_id AS joinedId, 1 AS isGone`,
  )
  const stateOf = db.prepare<ProgressRow & StateAction & { readonly id: number }, [number]>(
    `${linked} SELECT a.id, a.kind, a.at, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      ORDER BY a.kind < ${STATE_KINDS} DESC, a.at DESC, a.id DESC LIMIT 1`,
  )
  const relink = db.prepare<ChangedList, [number, number, number, number | null]>(
    `UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3, progress_at = ?4 WHERE id = ?1
     RETURNING episode_id AS mediaId, guid, joined_id AS joinedId, 0 AS isGone`,
  )
  const chooseCurrent = db.prepare<undefined, [UserId, number]>(
    `UPDATE user_episodes SET is_former = CASE WHEN id = (
       SELECT l.id FROM user_episodes l WHERE l.user_id = ?1 AND l.episode_id = ?2 ORDER BY l.last_action_id DESC LIMIT 1
     ) THEN 0 ELSE 1 END WHERE user_id = ?1 AND episode_id = ?2`,
  )

  const mendUploads = prepareUploadMending(db)
  const idsAt = (userId: UserId, podcast: string) => actionsAt.all(userId, podcast).map(({ id }) => id)

  /** Makes this action the last one of the episode. The caller must call `mend` afterwards. */
  function relinkTo(userEpisodeId: number, lastId: number | null): ChangedList | null {
    const state = lastId === null ? null : stateOf.get(lastId)
    return lastId === null || !state
      ? removeEpisode.get(userEpisodeId)
      : relink.get(userEpisodeId, lastId, state.id, progressAt(state))
  }

  /** Updates each episode once. The row with the latest action of a media URL becomes the current one. */
  function mend(userId: UserId, lists: readonly ChangedList[]): void {
    for (const mediaId of new Set(lists.map((list) => list.mediaId))) chooseCurrent.run(userId, mediaId)
    const names = lists.filter(({ joinedId, isGone }) => joinedId !== null || isGone === 1)
    const distinct = new Map(names.map((name) => [`${name.joinedId} ${name.guid}`, name]))
    books.mend(userId, [...distinct.values()])
  }

  /** Removes adjacent actions of one list, given oldest first. Returns the list if the caller must mend it. */
  function removeAdjacent(userEpisodeId: number, neighbours: readonly MovedAction[]): ChangedList | null {
    const ends = endsOf.get(userEpisodeId)
    const newestId = neighbours.at(-1)?.id
    if (!ends || newestId === undefined) return null
    const previousId = neighbours[0]?.previousId ?? null
    const next = nextAfter.get(userEpisodeId, newestId)?.id ?? undefined
    if (next !== undefined) link.run(next, previousId)
    for (const { id } of neighbours) removeRows.run(id, id + 1)
    const keepsState = neighbours.every(({ id }) => id !== ends.stateId)
    return next !== undefined && keepsState
      ? null
      : relinkTo(userEpisodeId, next === undefined ? previousId : ends.lastId)
  }

  return {
    /** Returns the numbers of the actions that a move uploads again, in the order of `planMove`. */
    planMove: (userId: UserId, { from, to }: Addresses): readonly number[] =>
      planMove(idsAt(userId, from), idsAt(userId, to)),

    /**
     * Removes the actions with these numbers, the next ones of a plan, and uploads them again for the new address of
     * the podcast, without exact repeats. Returns the change in the number of actions.
     */
    move(userId: UserId, { from, to }: Addresses, ids: readonly number[], seq: number, now: number): number {
      const actions = actionsById.all(JSON.stringify(ids), userId, from, to)
      const lists = Map.groupBy(actions, ({ userEpisodeId }) => userEpisodeId)
      mend(
        userId,
        [...lists].flatMap(([userEpisodeId, moved]) => removeAdjacent(userEpisodeId, moved) ?? []),
      )
      mendUploads(actions)
      const again = actions.map(({ url, kind, at, device, guid, started, position, total }) => ({
        podcast: to,
        episode: url,
        kind: kindOf(kind),
        at,
        device,
        guid: guid ?? undefined,
        started: started ?? undefined,
        position: position ?? undefined,
        total: total ?? undefined,
      }))
      return books.openUpload(userId, again, now)(seq, true) - actions.length
    },
  }
}
