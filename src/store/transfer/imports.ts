import type { UserId } from '../../domain/shared/ids.ts'
import { IMPORTS_KEPT, type Import, type ImportState, type ImportStore } from '../../domain/transfer/ports.ts'
import type { ImportReport } from '../../domain/transfer/report.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import type { SyncState } from '../sync/sync-state.ts'

interface ImportRow {
  readonly id: number
  readonly userId: UserId
  readonly source: string
  readonly label: string
  readonly key: string
  readonly state: ImportState
  readonly hasFile: number
  readonly cursor: string | null
  readonly report: string
  readonly error: string
  readonly startedAt: number
  readonly endedAt: number | null
}

const COLUMNS = `id, user_id AS userId, source, label, key, state, has_file AS hasFile, cursor, report, error,
  started_at AS startedAt, ended_at AS endedAt`

const EMPTY_REPORT: ImportReport = { counts: {}, skipped: [], done: 0, total: undefined }

export function createImportStore(db: Database, snapshot: Snapshot, queue: WriteQueue, sync: SyncState): ImportStore {
  // Called before an import starts, when no other one of the user runs: this one is left from an earlier process.
  const leave = db.prepare<undefined, [UserId]>(
    `UPDATE imports SET state = 'interrupted' WHERE user_id = ?1 AND state = 'running'`,
  )
  const resume = db.prepare<ImportRow, [UserId, string]>(
    `UPDATE imports SET state = 'running', error = '', ended_at = NULL
      WHERE id = (SELECT MAX(id) FROM imports WHERE user_id = ?1 AND key = ?2 AND state = 'interrupted') RETURNING ${COLUMNS}`,
  )
  const insert = db.prepare<ImportRow, [UserId, string, string, string, number, string, number]>(
    `INSERT INTO imports (user_id, source, label, key, has_file, report, started_at, state)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'running') RETURNING ${COLUMNS}`,
  )
  const forget = db.prepare<undefined, [UserId]>(
    `DELETE FROM imports WHERE user_id = ?1 AND state <> 'running' AND id NOT IN
       (SELECT id FROM imports WHERE user_id = ?1 ORDER BY id DESC LIMIT ${IMPORTS_KEPT})`,
  )
  const save = db.prepare<undefined, [number, string | null, string]>(
    'UPDATE imports SET cursor = ?2, report = ?3 WHERE id = ?1',
  )
  const end = db.prepare<undefined, [number, ImportState, string, number]>(
    'UPDATE imports SET state = ?2, error = ?3, ended_at = ?4 WHERE id = ?1',
  )
  const find = db.prepare<ImportRow, [UserId, number]>(`SELECT ${COLUMNS} FROM imports WHERE user_id = ?1 AND id = ?2`)
  const list = db.prepare<ImportRow, [UserId]>(`SELECT ${COLUMNS} FROM imports WHERE user_id = ?1 ORDER BY id DESC`)
  const remove = db.prepare<undefined, [number]>('DELETE FROM imports WHERE id = ?1')
  const inStates = db.prepare<ImportRow, [string]>(
    `SELECT ${COLUMNS} FROM imports WHERE state IN (SELECT value FROM json_each(?1)) ORDER BY id`,
  )

  return {
    begin: (userId, { source, label, key, hasFile }, at) =>
      queue.run(userId, (): Import => {
        sync.clockOf(userId)
        leave.run(userId)
        const resumed = resume.get(userId, key)
        if (resumed) return toImport(resumed)
        const row = insert.get(userId, source, label, key, Number(hasFile), JSON.stringify(EMPTY_REPORT), at)
        if (!row) throw new Error('the new import is not there')
        forget.run(userId)
        return toImport(row)
      }),

    save(id, progress, ended) {
      const write = (): void => {
        if (progress) save.run(id, progress.cursor ?? null, JSON.stringify(progress.report))
        if (ended) end.run(id, ended.state, ended.error, ended.at)
      }
      return ended ? queue.run(null, write) : queue.runDeferred(null, write)
    },

    find: (userId, id) =>
      snapshot.read(() => {
        const row = find.get(userId, id)
        return row ? toImport(row) : undefined
      }),

    list: (userId) => snapshot.read(() => list.all(userId).map(toImport)),

    remove: (id) => queue.run(null, () => void remove.run(id)),

    listIn: (states) => snapshot.read(() => inStates.all(JSON.stringify(states)).map(toImport)),
  }
}

function toImport({ hasFile, cursor, report, endedAt, ...row }: ImportRow): Import {
  return {
    ...row,
    hasFile: hasFile === 1,
    cursor: cursor ?? undefined,
    report: { total: undefined, ...JSON.parse(report) },
    endedAt: endedAt ?? undefined,
  }
}
