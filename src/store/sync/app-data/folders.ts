import { DomainError, invalid } from '../../../domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { FILED_PODCASTS_MAX, FOLDERS_MAX, fixedQuotaExceeded } from '../../../domain/shared/limits.ts'
import type { Folder, FolderStore } from '../../../domain/sync/ports/folders.ts'
import type { Database } from '../../engine.ts'
import type { StoreParts } from '../../parts.ts'
import { inserted } from '../../shared/rows.ts'
import { orderedBy } from '../../shared/sql.ts'

interface FiledRow {
  readonly folder: number
  readonly url: string
}

/** SQL: podcasts in folders of user `?1`, at all addresses on the user's devices. `which` is a condition on `f`. */
export function filedPodcasts(columns: string, which = 'true'): string {
  const inFolders = `FROM folders f CROSS JOIN folder_podcasts c ON c.folder_id = f.id`
  const isOwn = `WHERE f.user_id = +?1 AND ${which}`
  return `SELECT ${columns}
    FROM (SELECT f.id AS folder, c.podcast_id AS id ${inFolders} ${isOwn}
          UNION
          SELECT f.id, r.other_id ${inFolders} CROSS JOIN address_relations r ON r.podcast_id = c.podcast_id ${isOwn}) a
    CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0
    CROSS JOIN podcasts p ON p.id = a.id`
}

export function createFolderStore({ db, snapshot, queue }: Pick<StoreParts, 'db' | 'snapshot' | 'queue'>): FolderStore {
  const list = db.prepare<Pick<Folder, 'id' | 'name'>, [UserId]>(
    'SELECT id, name FROM folders WHERE user_id = ?1 ORDER BY key',
  )
  const filed = db.prepare<FiledRow, [UserId]>(orderedBy('a.folder, a.id', filedPodcasts('a.folder, p.url')))
  const find = db.prepare<{ id: number }, [UserId, string]>('SELECT id FROM folders WHERE user_id = ?1 AND key = ?2')
  const count = db.prepare<{ n: number }, [UserId]>('SELECT COUNT(*) AS n FROM folders WHERE user_id = ?1')
  const insert = db.prepare<{ id: number }, [UserId, string, string]>(
    'INSERT INTO folders (user_id, name, key) VALUES (?1, ?2, ?3) RETURNING id',
  )
  const rename = db.prepare<undefined, [UserId, number, string, string]>(
    'UPDATE folders SET name = ?3, key = ?4 WHERE user_id = ?1 AND id = ?2',
  )
  const remove = db.prepare<undefined, [UserId, number]>('DELETE FROM folders WHERE user_id = ?1 AND id = ?2')
  const countOf = db.prepare<{ n: number }, [UserId, string]>(
    'SELECT COUNT(*) AS n FROM folders WHERE user_id = ?1 AND id IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))',
  )
  const podcastsOf = db.prepare<{ id: PodcastId | null }, [UserId, string]>(
    `SELECT (SELECT l.podcast_id FROM podcasts p CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = p.id
              WHERE p.url = j.value) AS id
       FROM json_each(?2) j`,
  )
  const put = db.prepare<undefined, [string, string]>(
    `INSERT INTO folder_podcasts (folder_id, podcast_id) SELECT CAST(f.value AS INTEGER), CAST(p.value AS INTEGER) FROM json_each(?1) f CROSS JOIN json_each(?2) p
      WHERE true ON CONFLICT DO NOTHING`,
  )
  const countFiled = db.prepare<{ n: number }, [UserId]>(
    'SELECT COUNT(*) AS n FROM folders f CROSS JOIN folder_podcasts c ON c.folder_id = f.id WHERE f.user_id = ?1',
  )
  const take = db.prepare<undefined, [string, string]>(
    `DELETE FROM folder_podcasts WHERE folder_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?1)) AND podcast_id IN
       (SELECT CAST(value AS INTEGER) FROM json_each(?2) UNION
        SELECT r.other_id FROM json_each(?2) j CROSS JOIN address_relations r ON r.podcast_id = CAST(j.value AS INTEGER))`,
  )
  /** Throws `quota_exceeded`, which rolls the job back. */
  function checkFiled(userId: UserId): void {
    if ((countFiled.get(userId)?.n ?? 0) > FILED_PODCASTS_MAX)
      throw fixedQuotaExceeded(FILED_PODCASTS_MAX, 'podcasts in folders')
  }

  const noFolder = () => new DomainError('not_found', 'no such folder')

  return {
    list: (userId) =>
      snapshot.read(() => {
        const byFolder = Map.groupBy(filed.all(userId), ({ folder }) => folder)
        const podcastsIn = (id: number) => (byFolder.get(id) ?? []).map(({ url }) => url)
        return list.all(userId).map((folder) => ({ ...folder, podcasts: podcastsIn(folder.id) }))
      }),

    ensure: (userId, { name, key }) =>
      queue.run(userId, () => {
        const existing = find.get(userId, key)
        if (existing) return existing.id
        if ((count.get(userId)?.n ?? 0) >= FOLDERS_MAX) throw fixedQuotaExceeded(FOLDERS_MAX, 'folders')
        return inserted(insert.get(userId, name, key)).id
      }),

    rename: (userId, id, { name, key }) =>
      queue.run(userId, () => {
        const other = find.get(userId, key)
        if (other && other.id !== id) throw invalid('name', 'you already have a folder with this name')
        if (rename.run(userId, id, name, key).changes === 0) throw noFolder()
      }),

    remove: (userId, id) =>
      queue.run(userId, () => {
        if (remove.run(userId, id).changes === 0) throw noFolder()
      }),

    fill: (userId, id, podcasts) =>
      queue.run(userId, () => {
        if (countOf.get(userId, JSON.stringify([id]))?.n !== 1) throw noFolder()
        const ids = podcastsOf.all(userId, JSON.stringify(podcasts)).flatMap((row) => row.id ?? [])
        const { changes } = put.run(JSON.stringify([id]), JSON.stringify([...new Set(ids)]))
        checkFiled(userId)
        return changes
      }),

    assign: (userId, { podcasts, add, remove: removed }) =>
      queue.run(userId, () => {
        const folders = new Set([...add, ...removed])
        if (countOf.get(userId, JSON.stringify([...folders]))?.n !== folders.size) throw noFolder()
        const ids = podcastsOf.all(userId, JSON.stringify(podcasts)).map(({ id }) => id)
        const unknown = podcasts[ids.indexOf(null)]
        if (unknown !== undefined) throw new DomainError('unknown_podcast', `you never had the podcast ${unknown}`)
        const list = JSON.stringify(ids)
        if (add.length > 0) put.run(JSON.stringify(add), list)
        if (removed.length > 0) take.run(JSON.stringify(removed), list)
        checkFiled(userId)
      }),
  }
}

/** Keeps a podcast in its folders when its address changes (docs/protocol.md#D74). Belongs inside a job. */
export function prepareMoveInFolders(db: Database): (userId: UserId, from: string, to: string) => void {
  const move = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO folder_podcasts (folder_id, podcast_id)
     SELECT c.folder_id, t.id FROM folders f CROSS JOIN podcasts o CROSS JOIN folder_podcasts c ON c.folder_id = f.id AND c.podcast_id = o.id
       CROSS JOIN podcasts t WHERE f.user_id = +?1 AND o.url = +?2 AND t.url = +?3
     ON CONFLICT DO NOTHING`,
  )
  return (userId, from, to) => {
    move.run(userId, from, to)
  }
}
