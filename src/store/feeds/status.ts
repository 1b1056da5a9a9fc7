import type { FeedFailureReason, FeedHealth, FeedHealthStore, FeedState } from '../../domain/feeds/ports.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import type { Database, Snapshot } from '../engine.ts'
import { fromRow, type Row } from '../shared/rows.ts'
import { IS_WANTED } from '../sync/podcast-rows.ts'

interface HealthRow extends Row<Omit<FeedHealth, 'isPrivate' | 'title' | 'failure' | 'nextCheckAt'>> {
  readonly title: string | null
  readonly isPrivate: number
  readonly reason: FeedFailureReason | null
  readonly message: string | null
  readonly failures: number
  readonly since: number | null
  readonly nextCheckAt: number
}

const STATE = `CASE WHEN p.failing_since IS NOT NULL THEN CASE p.error_reason WHEN 'gone' THEN 'gone' ELSE 'failing' END
  WHEN p.checked_at IS NULL THEN 'new' ELSE 'ok' END`

const COLUMNS = `p.id, p.url, d.title, p.is_private AS isPrivate, p.subscribers, ${STATE} AS state, p.error_reason AS reason,
  p.error AS message, p.failures, p.failing_since AS since, p.checked_at AS checkedAt, p.succeeded_at AS succeededAt,
  p.next_check_at AS nextCheckAt, p.moved_to AS movedTo`
const DETAILS = 'LEFT JOIN podcast_details d ON d.podcast_id = p.id'

const ORIGIN = `substr(p.url, 1, 7 + instr(substr(p.url, 9), '/'))`
const isLike = (text: string) => `(${text} LIKE ?1 ESCAPE '\\' OR ${text} LIKE ?2 ESCAPE '\\')`
const MATCHES = `CASE p.is_private WHEN 1 THEN ${isLike(ORIGIN)} ELSE ${isLike('p.url')}
  OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = p.id AND ${isLike('d.title')}) END`
const FOUND = `FROM podcasts p WHERE ${IS_WANTED} AND (CAST(?1 AS TEXT) IS NULL OR p.id IN (SELECT CAST(value AS INTEGER) FROM json_each(?1)))`
const ORDER = 'p.failing_since IS NULL, p.failing_since, p.checked_at IS NOT NULL, p.subscribers DESC, p.id'

export function createFeedHealthStore(db: Database, snapshot: Snapshot): FeedHealthStore {
  // The expensive part, shared by the two statements below.
  const matching = db.prepare<{ ids: string }, [string, string | null]>(
    `SELECT json_group_array(p.id) AS ids FROM podcasts p WHERE ${IS_WANTED} AND ${MATCHES}`,
  )
  const counts = db.prepare<{ state: FeedState; count: number }, [string | null]>(
    `SELECT ${STATE} AS state, COUNT(*) AS count ${FOUND} GROUP BY 1`,
  )
  // Reads the other columns only for one page.
  const page = db.prepare<HealthRow, [string | null, FeedState | null, number, number]>(
    `SELECT ${COLUMNS} FROM podcasts p ${DETAILS}
      WHERE p.id IN (SELECT p.id ${FOUND} AND (CAST(?2 AS TEXT) IS NULL OR ${STATE} = ?2) ORDER BY ${ORDER} LIMIT ?3 OFFSET ?4)
      ORDER BY ${ORDER}`,
  )
  const one = db.prepare<HealthRow, [PodcastId]>(
    `SELECT ${COLUMNS} FROM podcasts p ${DETAILS} WHERE p.id = +?1 AND ${IS_WANTED}`,
  )

  return {
    list: ({ state, text }, offset, limit) =>
      snapshot.read(() => {
        const ids = text === '' ? null : (matching.get(...patternsOf(text))?.ids ?? '[]')
        const none = { ok: 0, failing: 0, gone: 0, new: 0 }
        const counted = Object.fromEntries(counts.all(ids).map((row) => [row.state, row.count]))
        const feeds = page.all(ids, state ?? null, limit, offset).map(toFeedHealth)
        return { counts: { ...none, ...counted }, feeds }
      }),

    get: (id) =>
      snapshot.read(() => {
        const row = one.get(id)
        return row ? toFeedHealth(row) : undefined
      }),
  }
}

/** Patterns for lower and upper case. LIKE ignores the case of ASCII letters, so for these one pattern suffices. */
function patternsOf(text: string): [string, string | null] {
  const isAscii = /^[\0-\x7f]*$/.test(text)
  return [pattern(text.toLowerCase()), isAscii ? null : pattern(text.toUpperCase())]
}

function pattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

function toFeedHealth({ isPrivate, reason, message, failures, since, nextCheckAt, ...row }: HealthRow): FeedHealth {
  return fromRow<FeedHealth>({
    ...row,
    title: row.title ?? '',
    isPrivate: isPrivate === 1,
    failure: since === null || reason === null ? null : { reason, message: message ?? '', count: failures, since },
    nextCheckAt: row.checkedAt === null ? null : nextCheckAt,
  })
}
