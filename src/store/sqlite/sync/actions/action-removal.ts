import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import { kindOf, type ProgressRow, progressAt, STATE_KINDS, type StateAction } from './action-kinds.ts'
import type { ActionRows } from './action-rows.ts'
import { type FormerName, IS_SHARED_GUID, type JoinedEpisodes } from './joined-episodes.ts'

interface UploadRow {
  readonly deviceId: number
  readonly firstId: number
  readonly count: number
}

interface HeardEpisodeRow {
  readonly id: number
  readonly lastId: number
  readonly url: string
  readonly guid: string | null
  readonly isShared: number
}

interface StoredAction {
  readonly id: number
  readonly kind: number
  readonly at: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
  readonly heardFrom: number | null
  readonly foldedSince: number | null
}

interface LinkedRow {
  readonly id: number
  readonly userEpisodeId: number
  readonly previousId: number | null
}

/** Rows that move from one podcast to another in one job: some ten milliseconds' work. */
const MOVED_AT_ONCE = 500

export type ActionRemoval = ReturnType<typeof prepareActionRemoval>

/** Removes episode actions, and mends what refers to them. All functions belong inside a job of the write queue. */
export function prepareActionRemoval(db: Database, joins: JoinedEpisodes, rows: ActionRows) {
  const newestUpload = db.prepare<UploadRow, [UserId, number]>(
    `SELECT u.device_id AS deviceId, u.first_id AS firstId, u.count
       FROM action_devices d CROSS JOIN action_uploads u ON u.device_id = d.id AND u.seq = +?2
      WHERE d.user_id = +?1 ORDER BY u.first_id DESC LIMIT 1`,
  )
  const rowsOfUpload = db.prepare<LinkedRow, [number, number]>(
    `SELECT id, user_episode_id AS userEpisodeId, previous_id AS previousId FROM episode_actions
      WHERE id >= ?1 AND id < ?2 ORDER BY id DESC`,
  )
  const removeRows = db.prepare<undefined, [number, number]>('DELETE FROM episode_actions WHERE id >= ?1 AND id < ?2')
  const removeUpload = db.prepare<undefined, [number, number, number]>(
    'DELETE FROM action_uploads WHERE device_id = ?1 AND seq = ?2 AND first_id = ?3',
  )
  const linked = `WITH RECURSIVE linked (id) AS (
    SELECT +?1 UNION ALL
    SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.previous_id IS NOT NULL)`
  const actionsOf = db.prepare<StoredAction, [number]>(
    `${linked} SELECT a.id, a.kind, a.at, d.uid AS device, a.started, a.position, a.total,
            a.heard_from AS heardFrom, a.folded_since AS foldedSince
       FROM linked CROSS JOIN episode_actions a ON a.id = linked.id CROSS JOIN action_devices d ON d.id = a.device_id
      ORDER BY a.id`,
  )
  const episodesOfPodcast = db.prepare<HeardEpisodeRow, [UserId, string]>(
    `SELECT ue.id, ue.last_action_id AS lastId, e.url, ue.guid,
            EXISTS (SELECT 1 FROM episode_details d
                     WHERE d.episode_id = e.id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) AS isShared
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
       CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id
      WHERE p.url = +?2 LIMIT ${MOVED_AT_ONCE}`,
  )
  const unlink = db.prepare<undefined, [number]>('UPDATE episode_actions SET previous_id = NULL WHERE id = ?1')
  const removeEpisode = db.prepare<FormerName, [number]>(
    'DELETE FROM user_episodes WHERE id = ?1 RETURNING user_id AS userId, guid, joined_id AS joinedId',
  )
  const stateOf = db.prepare<ProgressRow & StateAction & { readonly id: number }, [number]>(
    `${linked} SELECT a.id, a.kind, a.at, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      ORDER BY a.kind < ${STATE_KINDS} DESC, a.at DESC, a.id DESC LIMIT 1`,
  )
  const relink = db.prepare<FormerName, [number, number, number, number | null]>(
    `UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3, progress_at = ?4 WHERE id = ?1
     RETURNING user_id AS userId, guid, joined_id AS joinedId`,
  )

  // What was heard by actions that are gone goes along with those that are left.
  const followHeard = db.prepare<undefined, [UserId, number, string, string]>(
    `UPDATE heard_episodes SET user_episode_id =
       (SELECT ue.id FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = +?4
         CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id WHERE p.url = +?3)
      WHERE user_episode_id = +?2`,
  )

  /** The list of the episode ends with this action from now on. Tells what has to be mended afterwards. */
  function relinkTo(userEpisodeId: number, lastId: number | null): FormerName | undefined {
    const state = lastId === null ? null : stateOf.get(lastId)
    const name =
      lastId === null || !state
        ? removeEpisode.get(userEpisodeId)
        : relink.get(userEpisodeId, lastId, state.id, progressAt(state))
    return name && (name.joinedId !== null || lastId === null) ? name : undefined
  }

  return {
    /**
     * Uploads a part of what the user has told of one podcast again for another, as the same media files of that one,
     * and removes it from the first; of exact duplicates one is left. Tells how many actions are gone there, and how
     * many more there are now.
     */
    move(
      userId: UserId,
      { from, to }: { readonly from: string; readonly to: string },
      seq: number,
      now: number,
    ): { readonly moved: number; readonly added: number } {
      const upload = rows.begin(userId, seq, now, { keepsRepeats: true })
      let moved = 0
      let added = 0
      for (const { id: userEpisodeId, lastId, url, guid, isShared } of episodesOfPodcast.all(userId, from)) {
        if (moved === MOVED_AT_ONCE) break
        // Two podcasts must not share it meanwhile.
        if (guid !== null) {
          upload.settle()
          joins.rename(userEpisodeId, null)
        }
        const actions = actionsOf.all(lastId)
        const some = actions.slice(0, MOVED_AT_ONCE - moved)
        for (const { id, kind, at, device, ...seconds } of some) {
          const action = {
            podcast: to,
            episode: url,
            kind: kindOf(kind),
            at,
            device,
            // The feed at the other address tells itself that several episodes have it, and before it does so they
            // must not be taken for one.
            guid: isShared === 1 ? undefined : (guid ?? undefined),
            started: seconds.started ?? undefined,
            position: seconds.position ?? undefined,
            total: seconds.total ?? undefined,
          }
          added += upload.add(action, seconds)
          removeRows.run(id, id + 1)
        }
        const next = actions[some.length]
        if (next) unlink.run(next.id)
        if (!next) followHeard.run(userId, userEpisodeId, to, url)
        const name = relinkTo(userEpisodeId, next ? lastId : null)
        if (name) joins.mend(name)
        moved += some.length
      }
      upload.finishJob()
      return { moved, added: added - moved }
    },

    /**
     * Takes back a part of what was written with this logical time, the newest first; false when nothing is left of it.
     */
    takeBack(userId: UserId, seq: number): boolean {
      const upload = newestUpload.get(userId, seq)
      if (!upload) return false
      const { deviceId, firstId, count } = upload
      const lasts = new Map<number, number | null>()
      for (const { userEpisodeId, previousId } of rowsOfUpload.all(firstId, firstId + count))
        lasts.set(userEpisodeId, previousId)
      removeRows.run(firstId, firstId + count)
      removeUpload.run(deviceId, seq, firstId)
      const names = [...lasts].flatMap(([userEpisodeId, lastId]) => relinkTo(userEpisodeId, lastId) ?? [])
      for (const name of names) joins.mend(name)
      return true
    },
  }
}
