import type { UserId } from '../../domain/shared/ids.ts'
import { absorb, GRANTED_MAX, isOneRow, PAUSE_SECONDS, REFUSED_MAX, roomOf } from '../../domain/sync/activity/fold.ts'
import type { Activity, ActivityStore, UserActivity } from '../../domain/sync/activity/ports.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import { fromRow, type Row } from '../shared/rows.ts'

type ActivityRow = Row<Omit<Activity, 'isBrowser'>> & { readonly isBrowser: number }

interface StoredRow extends ActivityRow {
  readonly id: number
}

const COLUMNS = `kind, reason, device, app, is_browser AS isBrowser, first_at AS firstAt, last_at AS lastAt, count, added,
  removed, items`

/** SQL: rows of a user that were refused (`?2` is 1) or granted (0). The index uses the same expression. */
const OF_ROOM = "user_id = ?1 AND (kind = 'refused') = (?2 = 1)"

export function createActivityStore(db: Database, snapshot: Snapshot, queue: WriteQueue): ActivityStore {
  const list = db.prepare<ActivityRow, [UserId, number, number, number]>(
    `SELECT ${COLUMNS} FROM activity WHERE ${OF_ROOM} AND last_at >= ?3 ORDER BY last_at DESC, id DESC LIMIT ?4`,
  )
  const captions = db.prepare<{ uid: string; caption: string }, [UserId]>(
    'SELECT uid, caption FROM devices WHERE user_id = ?1',
  )
  const owner = db.prepare<{ namesApps: number }, [UserId]>(
    `SELECT IFNULL((SELECT value -> '$.store_user_agent' FROM settings
                     WHERE user_id = ?1 AND scope = 'account' AND target = ''), 'true') <> 'false' AS namesApps
       FROM users WHERE id = ?1`,
  )
  const dropApps = db.prepare<undefined, [UserId]>(
    'UPDATE activity SET app = NULL WHERE user_id = ?1 AND app IS NOT NULL',
  )
  const latest = db.prepare<
    StoredRow,
    [UserId, number, number, string, string | null, string | null, string | null, number]
  >(
    `SELECT id, ${COLUMNS} FROM activity
      WHERE ${OF_ROOM} AND last_at >= ?3 AND kind = ?4 AND reason IS ?5 AND device IS ?6 AND app IS ?7 AND is_browser = ?8
      ORDER BY last_at DESC, id DESC LIMIT 1`,
  )
  const update = db.prepare<undefined, [number, number, number, number, number, number, number]>(
    'UPDATE activity SET first_at = ?2, last_at = ?3, count = ?4, added = ?5, removed = ?6, items = ?7 WHERE id = ?1',
  )
  const insert = db.prepare<
    undefined,
    [
      ...[UserId, string, string | null, string | null, string | null, number],
      ...[number, number, number, number, number, number],
    ]
  >(
    `INSERT INTO activity (user_id, kind, reason, device, app, is_browser, first_at, last_at, count, added, removed, items)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
  )
  const trim = db.prepare<undefined, [UserId, number, number]>(
    `DELETE FROM activity WHERE id IN
       (SELECT id FROM activity WHERE ${OF_ROOM} ORDER BY last_at DESC, id DESC LIMIT -1 OFFSET ?3)`,
  )
  // Rows are added in the order of time, so the oldest come first.
  const removeOld = db.prepare<undefined, [number, number]>(
    `DELETE FROM activity WHERE id IN
       (SELECT id FROM (SELECT id, last_at FROM activity ORDER BY id LIMIT ?2) oldest WHERE last_at < ?1)`,
  )

  function save({ userId, ...row }: UserActivity): boolean {
    const { kind, reason = null, device = null, app = null } = row
    const key = [kind, reason, device, app, row.isBrowser ? 1 : 0] as const
    const isRefused = roomOf(kind) === 'refused' ? 1 : 0
    const stored = latest.get(userId, isRefused, row.firstAt - PAUSE_SECONDS, ...key)
    const before = stored && { ...toActivity(stored) }
    if (stored && before && isOneRow(before, row)) {
      absorb(before, row)
      const { firstAt, lastAt, count, added, removed, items } = before
      update.run(stored.id, firstAt, lastAt, count, added, removed, items)
      return false
    }
    insert.run(userId, ...key, row.firstAt, row.lastAt, row.count, row.added, row.removed, row.items)
    return true
  }

  return {
    list: (userId, since) =>
      snapshot.read(() => ({
        rows: [
          ...list.all(userId, 0, since, GRANTED_MAX).map(toActivity),
          ...list.all(userId, 1, since, REFUSED_MAX).map(toActivity),
        ],
        captions: new Map(captions.all(userId).map(({ uid, caption }) => [uid, caption])),
        namesApps: owner.get(userId)?.namesApps !== 0,
      })),

    save: (rows) =>
      queue.runDeferred('server', () => {
        const namesApps = new Map<UserId, boolean | undefined>()
        const grown = new Set<UserId>()
        for (const row of rows) {
          if (!namesApps.has(row.userId)) {
            const found = owner.get(row.userId)
            namesApps.set(row.userId, found ? found.namesApps !== 0 : undefined)
            if (found?.namesApps === 0) dropApps.run(row.userId)
          }
          const isNamed = namesApps.get(row.userId)
          if (isNamed !== undefined && save(isNamed ? row : { ...row, app: undefined })) grown.add(row.userId)
        }
        // At the end, since counting the rows for each new one would take longer than everything else.
        for (const userId of grown) {
          trim.run(userId, 0, GRANTED_MAX)
          trim.run(userId, 1, REFUSED_MAX)
        }
      }),

    removeOld: (before, limit) => queue.runDeferred('server', () => removeOld.run(before, limit).changes),
  }
}

function toActivity({ isBrowser, ...row }: ActivityRow): Activity {
  return { ...fromRow<Omit<Activity, 'isBrowser'>>(row), isBrowser: isBrowser !== 0 }
}
