import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import type {
  HistoryAction,
  HistoryPlan,
  HistoryStore,
  HistoryTask,
  Rewrite,
} from '../../../../domain/sync/ports/history.ts'
import { nextTurn } from '../../../../platform/clock.ts'
import { fromRow, type Row } from '../../core/rows.ts'
import type { Snapshot } from '../../core/snapshot.ts'
import type { WriteQueue } from '../../core/write-queue.ts'
import type { UserWrites } from '../user-writes.ts'
import { hashOf, prepareHashFactors } from './action-hash.ts'
import { ACTION_KINDS, kindOf } from './action-kinds.ts'
import { prepareUploadMending } from './action-removal.ts'
import { prepareHeardRows } from './heard-rows.ts'

type ActionRow = Row<Omit<HistoryAction, 'kind'>> & { readonly kind: number; readonly previousId: number | null }

/** A media URL of which the list of actions is looked at, piece by piece. */
interface OpenList {
  readonly userEpisodeId: number
  readonly plan: HistoryPlan
  /** The oldest action of the pieces so far; undefined before the first one. */
  anchor: number | undefined
}

interface HistoryStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly writes: UserWrites
}

/** Rows that one job reads, and removes at the most: some milliseconds' work. */
const ROWS_AT_ONCE = 250
/** Rows of which the media URLs are looked at together. */
const ROWS_AHEAD = 1000
const DEVICES_AT_ONCE = 500

/**
 * Removes actions that nobody will notice, and mends what refers to them: the list of their media URL, the upload that
 * they came with, the number of the user's actions. An action that tells the state of an episode, and the last one of
 * each list, are never among them. The numbers of all others stay.
 */
export function createHistoryStore({ db, snapshot, queue, writes }: HistoryStoreParts): HistoryStore {
  const readFactors = prepareHashFactors(db)
  const lastOfDevices = db.prepare<{ last: number | null; device: number | null }, [number, number]>(
    `SELECT MAX((SELECT u.first_id + u.count - 1 FROM action_uploads u WHERE u.device_id = d.id AND u.seq < ?1
                  ORDER BY u.seq DESC, u.first_id DESC LIMIT 1)) AS last, MAX(d.id) AS device
       FROM (SELECT id FROM action_devices WHERE id > ?2 ORDER BY id LIMIT ${DEVICES_AT_ONCE}) d`,
  )
  const newest = db.prepare<{ id: number | null }, []>('SELECT MAX(id) AS id FROM episode_actions')
  const progress = db.prepare<{ version: number }, [HistoryTask]>('SELECT version FROM upkeep WHERE task = ?1')
  const saveProgress = db.prepare<undefined, [HistoryTask, number]>(
    'INSERT INTO upkeep (task, version) VALUES (?1, ?2) ON CONFLICT (task) DO UPDATE SET version = excluded.version',
  )
  const nextRows = db.prepare<{ id: number; userId: UserId; userEpisodeId: number }, [number, number]>(
    `SELECT id, user_id AS userId, user_episode_id AS userEpisodeId FROM episode_actions
      WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ${ROWS_AHEAD}`,
  )
  const lastOf = db.prepare<{ id: number }, [number]>('SELECT last_action_id AS id FROM user_episodes WHERE id = ?1')
  const pieceFrom = db.prepare<ActionRow, [number, number]>(
    `WITH RECURSIVE linked (id, n) AS (
       SELECT +?1, 1 UNION ALL
       SELECT a.previous_id, linked.n + 1 FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
        WHERE a.previous_id IS NOT NULL AND linked.n < ${ROWS_AT_ONCE})
     SELECT a.id, a.previous_id AS previousId, a.device_id AS deviceId, a.kind, a.at, a.started, a.position, a.total,
            a.heard_from AS heardFrom, a.folded_since AS foldedSince
       FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      WHERE a.user_episode_id = +?2 ORDER BY a.id DESC`,
  )
  const removeRow = db.prepare<undefined, [number]>('DELETE FROM episode_actions WHERE id = ?1')
  const relink = db.prepare<undefined, [number, number | null]>(
    'UPDATE episode_actions SET previous_id = ?2 WHERE id = ?1',
  )
  const change = db.prepare<undefined, [number, number, number | null, number | null, number | null]>(
    'UPDATE episode_actions SET hash = ?2, started = ?3, heard_from = ?4, folded_since = ?5 WHERE id = ?1',
  )
  const mendUploads = prepareUploadMending(db)
  const heardRows = prepareHeardRows(db)
  const count = db.prepare<undefined, [UserId, number]>(
    'UPDATE users SET action_count = action_count - ?2 WHERE id = ?1',
  )

  function applyTo(userId: UserId, userEpisodeId: number, rows: readonly ActionRow[], rewrite: Rewrite): void {
    const { removed, changed, heard } = rewrite
    for (const { id, deviceId, kind, started, position, total, heardFrom, foldedSince } of changed.values()) {
      const seconds = { started: started ?? null, position: position ?? null, total: total ?? null }
      const hash = hashOf(readFactors(), { userEpisodeId, deviceId, kind: ACTION_KINDS.indexOf(kind), ...seconds })
      change.run(id, hash, seconds.started, heardFrom ?? null, foldedSince ?? null)
    }
    if (heard.length > 0) heardRows.add(userId, userEpisodeId, heard)
    if (removed.size === 0) return
    mendList(rows, removed)
    for (const id of removed) removeRow.run(id)
    mendUploads(removed)
  }

  /** The rows come last uploaded first, and the first of them stays. */
  function mendList(rows: readonly ActionRow[], removed: ReadonlySet<number>): void {
    const left = rows.filter(({ id }) => !removed.has(id))
    for (const [index, { id, previousId }] of left.entries()) {
      const wanted = left[index + 1]?.id ?? rows.at(-1)?.previousId ?? null
      if (wanted !== previousId) relink.run(id, wanted)
    }
  }

  /** Looks at one piece of a list. Tells how much that was, and whether there is more. */
  function rewritePiece(userId: UserId, list: OpenList, until: number) {
    const { userEpisodeId, plan } = list
    const start = list.anchor ?? lastOf.get(userEpisodeId)?.id
    const rows = start === undefined ? [] : pieceFrom.all(start, userEpisodeId)
    const rewrite = plan(rows.filter(({ id }) => id <= until).map(toHistoryAction))
    applyTo(userId, userEpisodeId, rows, rewrite)
    const left = rows.filter(({ id }) => !rewrite.removed.has(id))
    list.anchor = left.at(-1)?.id
    return { read: rows.length, removed: rewrite.removed.size, hasMore: rows.length === ROWS_AT_ONCE }
  }

  /** As many pieces as one job may look at; those lists that are done leave `lists`. Tells how many actions have gone. */
  function rewriteSome(userId: UserId, lists: OpenList[], until: number): number {
    let read = 0
    let removed = 0
    for (let list = lists[0]; list && read < ROWS_AT_ONCE; list = lists[0]) {
      const done = rewritePiece(userId, list, until)
      read += done.read + 1
      removed += done.removed
      if (!done.hasMore) lists.shift()
    }
    if (removed > 0) count.run(userId, removed)
    return removed
  }

  return {
    async lastBefore(seq) {
      let last = 0
      for (let device = 0; ; ) {
        snapshot.use()
        const found = lastOfDevices.get(seq, device)
        last = Math.max(last, found?.last ?? 0)
        if (!found?.device) return last
        device = found.device
        await nextTurn()
      }
    },

    async doneUntil(task) {
      snapshot.use()
      // Numbers are used again when the last of all actions are gone, with their account.
      return Math.min(progress.get(task)?.version ?? 0, newest.get()?.id ?? 0)
    },

    noteDone: (task, until) => queue.runDeferred(() => void saveProgress.run(task, until)),

    async nextEpisodes(after, until) {
      snapshot.use()
      const rows = nextRows.all(after, until)
      const ofUsers = Map.groupBy(rows, ({ userId }) => userId)
      return {
        until: rows.length < ROWS_AHEAD ? until : (rows.at(-1)?.id ?? until),
        ofUsers: [...ofUsers].map(([userId, some]) => ({
          userId,
          userEpisodeIds: [...new Set(some.map(({ userEpisodeId }) => userEpisodeId))],
        })),
      }
    },

    async rewrite(userId, userEpisodeIds, until, createPlan) {
      const lists = userEpisodeIds.map((userEpisodeId): OpenList => {
        return { userEpisodeId, plan: createPlan(), anchor: undefined }
      })
      let removed = 0
      while (lists.length > 0) {
        removed += await writes.runDeferred(userId, () => rewriteSome(userId, lists, until))
        await nextTurn()
      }
      return removed
    },
  }
}

function toHistoryAction({ previousId: _, kind, ...row }: ActionRow): HistoryAction {
  return { ...fromRow<Omit<HistoryAction, 'kind'>>(row), kind: kindOf(kind) }
}
