import type { UserId } from '../../../domain/shared/ids.ts'
import { CHAPTERS_PER_EPISODE, CHAPTERS_PER_USER, fixedQuotaExceeded } from '../../../domain/shared/limits.ts'
import { listedSince, nextClock } from '../../../domain/sync/cursors.ts'
import type { Chapter, ChapterStore } from '../../../domain/sync/ports/chapters.ts'
import type { Written } from '../../../domain/sync/ports/written.ts'
import type { StoreParts } from '../../parts.ts'

export type ChapterRow = Omit<Chapter, 'isAdvertisement'> & { readonly isAdvertisement: number }

export const CHAPTER_COLUMNS = 'starts_at AS start, ends_at AS "end", label, advertisement AS isAdvertisement'

const OF_EPISODE = 'user_id = ?1 AND target IN (SELECT value FROM json_each(?2))'

/** Chapters are stored by address. An episode with several addresses (D84) combines them; the last change counts. */
export function createChapterStore({ db, snapshot, queue, sync, autoSync }: StoreParts): ChapterStore {
  const joined = db.prepare<{ target: string }, [UserId, string]>(
    `SELECT q.url || ' ' || o.url AS target
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = substr(?2, instr(?2, ' ') + 1)
       CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id AND ue.is_former = 0
       CROSS JOIN user_episodes other ON other.joined_id = ue.joined_id CROSS JOIN episodes o ON o.id = other.episode_id
       CROSS JOIN podcasts q ON q.id = o.podcast_id
      WHERE p.url = substr(?2, 1, instr(?2, ' ') - 1)`,
  )
  const list = db.prepare<ChapterRow & { readonly seq: number }, [UserId, string, number]>({
    sqlite: `SELECT ${CHAPTER_COLUMNS}, MAX(seq) AS seq FROM chapters WHERE ${OF_EPISODE}
              GROUP BY starts_at, ends_at HAVING MAX(seq) >= ?3 ORDER BY starts_at, ends_at`,
    postgres: `SELECT * FROM
                 (SELECT DISTINCT ON (starts_at, ends_at) ${CHAPTER_COLUMNS}, seq FROM chapters WHERE ${OF_EPISODE}
                   ORDER BY starts_at, ends_at, seq DESC) latest
                WHERE seq >= ?3 ORDER BY start, "end"`,
  })
  const find = db.prepare<ChapterRow, [UserId, string, number, number]>(
    `SELECT ${CHAPTER_COLUMNS} FROM chapters WHERE ${OF_EPISODE} AND starts_at = ?3 AND ends_at = ?4 ORDER BY seq DESC LIMIT 1`,
  )
  const put = db.prepare<undefined, [UserId, string, number, number, string, number, number]>(
    `INSERT INTO chapters (user_id, target, starts_at, ends_at, label, advertisement, seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (user_id, target, starts_at, ends_at) DO UPDATE
        SET label = excluded.label, advertisement = excluded.advertisement, seq = excluded.seq`,
  )
  const remove = db.prepare<undefined, [UserId, string, number, number]>(
    `DELETE FROM chapters WHERE ${OF_EPISODE} AND starts_at = ?3 AND ends_at = ?4`,
  )
  const countOfEpisode = db.prepare<{ count: number }, [UserId, string]>(
    `SELECT COUNT(*) AS count FROM (SELECT DISTINCT starts_at, ends_at FROM chapters WHERE ${OF_EPISODE}) places`,
  )
  const countOfUser = db.prepare<{ count: number }, [UserId]>(
    'SELECT COUNT(*) AS count FROM chapters WHERE user_id = ?1',
  )
  const changedByOthers = db.prepare<undefined, [UserId, string, number, number]>(
    `SELECT 1 FROM chapters WHERE ${OF_EPISODE} AND seq >= ?3 AND seq <> ?4 LIMIT 1`,
  )

  function targetsOf(userId: UserId, target: string): string {
    return JSON.stringify([target, ...joined.all(userId, target).map((row) => row.target)])
  }

  function add(userId: UserId, target: string, targets: string, chapter: Chapter, seq: number): boolean {
    const { start, end, label, isAdvertisement } = chapter
    const current = find.get(userId, targets, start, end)
    if (current?.label === label && current.isAdvertisement === Number(isAdvertisement)) return false
    put.run(userId, target, start, end, label, Number(isAdvertisement), seq)
    return true
  }

  function checkCounts(userId: UserId, targets: string): void {
    if ((countOfEpisode.get(userId, targets)?.count ?? 0) > CHAPTERS_PER_EPISODE)
      throw fixedQuotaExceeded(CHAPTERS_PER_EPISODE, 'chapters in an episode')
    if ((countOfUser.get(userId)?.count ?? 0) > CHAPTERS_PER_USER)
      throw fixedQuotaExceeded(CHAPTERS_PER_USER, 'chapters')
  }

  return {
    list: (userId, target, since) =>
      snapshot.read(() => {
        const { clock, restoredClock } = sync.clocksOf(userId)
        const rows = list.all(userId, targetsOf(userId, target), listedSince(since, restoredClock))
        return { clock, chapters: rows.map(({ seq: _seq, ...row }) => toChapter(row)) }
      }),

    async change(userId, target, { add: added, remove: removed, device }, { at, seenUntil }): Promise<Written> {
      if (device !== undefined) await autoSync.firstContact(userId, device, { at })
      return queue.run(userId, (): Written => {
        const clock = sync.clockOf(userId)
        const seq = nextClock(clock, at)
        if (device !== undefined) sync.ensureDevice(userId, device, at)
        const targets = targetsOf(userId, target)
        let changes = 0
        for (const { start, end } of removed) changes += remove.run(userId, targets, start, end).changes
        const before = changes
        for (const chapter of added) if (add(userId, target, targets, chapter, seq)) changes++
        if (changes > before) checkCounts(userId, targets)
        if (changes > 0) sync.setClock(userId, seq)
        return {
          clock: changes > 0 ? seq : clock,
          missed: seenUntil !== undefined && changedByOthers.get(userId, targets, seenUntil, seq) !== null,
        }
      })
    },
  }
}

export function toChapter<T extends ChapterRow>(row: T): Omit<T, 'isAdvertisement'> & Chapter {
  return { ...row, isAdvertisement: row.isAdvertisement === 1 }
}
