import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import { CHAPTERS_PER_EPISODE, CHAPTERS_PER_USER, fixedQuotaExceeded } from '../../../../domain/shared/limits.ts'
import { nextClock } from '../../../../domain/sync/cursors.ts'
import type { Chapter, ChapterStore, Written } from '../../../../domain/sync/ports.ts'
import type { Snapshot } from '../../core/snapshot.ts'
import type { SyncState } from '../sync-state.ts'
import type { UserWrites } from '../user-writes.ts'

/** A chapter as SQL gives it. */
export type ChapterRow = Omit<Chapter, 'isAdvertisement'> & { readonly isAdvertisement: number }

export const CHAPTER_COLUMNS = 'starts_at AS start, ends_at AS "end", label, advertisement AS isAdvertisement'

interface ChapterStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly sync: SyncState
  readonly writes: UserWrites
}

export function createChapterStore({ db, snapshot, sync, writes }: ChapterStoreParts): ChapterStore {
  const list = db.prepare<ChapterRow, [UserId, string, number]>(
    `SELECT ${CHAPTER_COLUMNS} FROM chapters WHERE user_id = ?1 AND target = ?2 AND seq >= ?3 ORDER BY starts_at, ends_at`,
  )
  const put = db.prepare<undefined, [UserId, string, number, number, string, number, number]>(
    `INSERT INTO chapters (user_id, target, starts_at, ends_at, label, advertisement, seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (user_id, target, starts_at, ends_at) DO UPDATE
        SET label = excluded.label, advertisement = excluded.advertisement, seq = excluded.seq
      WHERE label <> excluded.label OR advertisement <> excluded.advertisement`,
  )
  const remove = db.prepare<undefined, [UserId, string, number, number]>(
    'DELETE FROM chapters WHERE user_id = ?1 AND target = ?2 AND starts_at = ?3 AND ends_at = ?4',
  )
  const countOfEpisode = db.prepare<{ count: number }, [UserId, string]>(
    'SELECT COUNT(*) AS count FROM chapters WHERE user_id = ?1 AND target = ?2',
  )
  const countOfUser = db.prepare<{ count: number }, [UserId]>(
    'SELECT COUNT(*) AS count FROM chapters WHERE user_id = ?1',
  )
  const changedByOthers = db.prepare<undefined, [UserId, string, number, number]>(
    'SELECT 1 FROM chapters WHERE user_id = ?1 AND target = ?2 AND seq >= ?3 AND seq <> ?4 LIMIT 1',
  )

  function checkCounts(userId: UserId, target: string): void {
    if ((countOfEpisode.get(userId, target)?.count ?? 0) > CHAPTERS_PER_EPISODE)
      throw fixedQuotaExceeded(CHAPTERS_PER_EPISODE, 'chapters in an episode')
    if ((countOfUser.get(userId)?.count ?? 0) > CHAPTERS_PER_USER)
      throw fixedQuotaExceeded(CHAPTERS_PER_USER, 'chapters')
  }

  return {
    async list(userId, target, since) {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      return { clock: sync.clockOf(userId), chapters: list.all(userId, target, since).map(toChapter) }
    },

    change: (userId, target, { add, remove: removed, device }, { at, seenUntil }) =>
      writes.runAtOnce(userId, (): Written => {
        const clock = sync.clockOf(userId)
        const seq = nextClock(clock, at)
        if (device !== undefined) sync.ensureDevice(userId, device, at)
        let changes = 0
        for (const { start, end } of removed) changes += remove.run(userId, target, start, end).changes
        let added = 0
        for (const { start, end, label, isAdvertisement } of add)
          added += put.run(userId, target, start, end, label, Number(isAdvertisement), seq).changes
        if (added > 0) checkCounts(userId, target)
        if (added + changes > 0) sync.setClock(userId, seq)
        return {
          clock: added + changes > 0 ? seq : clock,
          missed: seenUntil !== undefined && changedByOthers.get(userId, target, seenUntil, seq) !== null,
        }
      }),
  }
}

export function toChapter<T extends ChapterRow>(row: T): Omit<T, 'isAdvertisement'> & Chapter {
  return { ...row, isAdvertisement: row.isAdvertisement === 1 }
}
