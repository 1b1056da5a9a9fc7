import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { ActionKind, ActionQuery, EpisodeAction } from '../../../domain/sync/ports.ts'
import type { Snapshot } from '../core/snapshot.ts'

interface ActionRow {
  readonly id: number
  readonly at: number
  readonly matches: number
  readonly podcast: string
  readonly episode: string
  readonly kind: number
  readonly device: string
  readonly started: number
  readonly position: number
  readonly total: number
  readonly guid: string | null
}

/** user, since, clock, device or null, podcast or null, aggregated */
type FilterParams = [UserId, number, number, string | null, string | null, number]

/** Lists up to this many rows are read and sorted at once; longer ones are walked in chunks of the same size. */
const CHUNK = 1000

/**
 * Does row `a` (of podcast `p`) belong to the answer? `clock` is the upper bound, so that what is uploaded while a long list is being
 * sent stays out of it. Aggregated (docs/protocol.md#D45): no later action on the same episode passes the same filters.
 */
const MATCHES = `a.seq BETWEEN +?2 AND +?3
  AND (+?4 IS NULL OR a.device = +?4)
  AND (+?5 IS NULL OR p.url = +?5)
  AND (+?6 = 0 OR NOT EXISTS (
    SELECT 1 FROM episode_actions later INDEXED BY episode_actions_distinct
     WHERE later.user_id = a.user_id AND later.episode_id = a.episode_id AND later.at >= a.at
       AND (later.at > a.at OR later.id > a.id)
       AND later.seq BETWEEN +?2 AND +?3 AND (+?4 IS NULL OR later.device = +?4)))`

/** The sort order of every list. */
const BY_TIME = (one: ActionRow, other: ActionRow) => one.at - other.at || one.id - other.id

const COLUMNS = `a.id, a.at, p.url AS podcast, e.url AS episode, a.kind, a.device, a.started, a.position, a.total, a.guid`

/**
 * Three ways to the same answer. What was uploaded recently and what belongs to one podcast is found by its own index, whatever the
 * history; only a long list walks the user's history, in order, a bounded piece at a time and without holding a read transaction.
 */
export function createActionReader(db: Database, snapshot: Snapshot) {
  const countRecent = db.prepare<{ rows: number }, [UserId, number]>(
    `SELECT COUNT(*) AS rows FROM (
       SELECT 1 FROM episode_actions WHERE user_id = ?1 AND seq >= ?2 LIMIT ${CHUNK + 1})`,
  )
  const countOfPodcast = db.prepare<{ rows: number }, [UserId, string]>(
    `SELECT COUNT(*) AS rows FROM (
       SELECT 1 FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
         CROSS JOIN episode_actions a INDEXED BY episode_actions_distinct ON a.user_id = +?1 AND a.episode_id = e.id
        WHERE p.url = +?2 LIMIT ${CHUNK + 1})`,
  )
  // What apps ask for all the time. Sorted afterwards, since the index gives the rows in the order of their upload.
  const readAllRecent = db.prepare<ActionRow, [UserId, number, number]>(
    `SELECT ${COLUMNS}, 1 AS matches
       FROM episode_actions a INDEXED BY episode_actions_user_seq
       CROSS JOIN episodes e ON e.id = a.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
      WHERE a.user_id = +?1 AND a.seq BETWEEN +?2 AND +?3 LIMIT ${CHUNK + 1}`,
  )
  const readRecent = db.prepare<ActionRow, FilterParams>(
    `SELECT ${COLUMNS}, 1 AS matches
       FROM episode_actions a INDEXED BY episode_actions_user_seq
       CROSS JOIN episodes e ON e.id = a.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
      WHERE a.user_id = +?1 AND ${MATCHES} ORDER BY a.at, a.id`,
  )
  const readOfPodcast = db.prepare<ActionRow, FilterParams>(
    `SELECT ${COLUMNS}, 1 AS matches
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
       CROSS JOIN episode_actions a INDEXED BY episode_actions_distinct ON a.user_id = +?1 AND a.episode_id = e.id
      WHERE p.url = +?5 AND ${MATCHES} ORDER BY a.at, a.id`,
  )
  // The two arms let the index find the place to go on from even when thousands of actions share one second.
  const walk = db.prepare<ActionRow, [...FilterParams, number, number]>(
    `SELECT ${COLUMNS}, (${MATCHES}) AS matches
       FROM (SELECT at, id FROM episode_actions INDEXED BY episode_actions_user_at WHERE user_id = +?1 AND at = +?7 AND id > +?8
             UNION ALL
             SELECT at, id FROM episode_actions INDEXED BY episode_actions_user_at WHERE user_id = +?1 AND at > +?7
             ORDER BY at, id LIMIT ${CHUNK}) next
       CROSS JOIN episode_actions a ON a.id = next.id
       CROSS JOIN episodes e ON e.id = a.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
      ORDER BY next.at, next.id`,
  )

  function* walkHistory(filter: FilterParams): Iterable<readonly EpisodeAction[]> {
    let at = Number.MIN_SAFE_INTEGER
    let id = 0
    for (;;) {
      snapshot.use()
      const rows = walk.all(...filter, at, id)
      const found = rows.filter(({ matches }) => matches === 1)
      if (found.length > 0) yield found.map(toAction)
      const last = rows.at(-1)
      if (!last || rows.length < CHUNK) return
      at = last.at
      id = last.id
    }
  }

  return {
    /** Everything up to `clock` that matches, by event time and upload order, in chunks read as they are asked for. */
    read(
      userId: UserId,
      { since, podcast, device, aggregated }: ActionQuery,
      clock: number,
    ): Iterable<readonly EpisodeAction[]> {
      if (device === undefined && podcast === undefined && !aggregated) {
        const rows = readAllRecent.all(userId, since, clock)
        if (rows.length <= CHUNK) return oneChunk(rows.sort(BY_TIME))
      }
      const filter: FilterParams = [userId, since, clock, device ?? null, podcast ?? null, Number(aggregated)]
      if (isShort(countRecent.get(userId, since))) return oneChunk(readRecent.all(...filter))
      if (podcast !== undefined && isShort(countOfPodcast.get(userId, podcast)))
        return oneChunk(readOfPodcast.all(...filter))
      return walkHistory(filter)
    },
  }
}

function isShort(count: { rows: number } | null): boolean {
  return count !== null && count.rows <= CHUNK
}

function oneChunk(rows: readonly ActionRow[]): readonly (readonly EpisodeAction[])[] {
  return rows.length === 0 ? [] : [rows.map(toAction)]
}

function toAction(row: ActionRow): EpisodeAction {
  const known = (value: number) => (value < 0 ? undefined : value)
  return {
    podcast: row.podcast,
    episode: row.episode,
    kind: ACTION_KINDS[row.kind] ?? 'new',
    at: row.at,
    device: row.device || undefined,
    guid: row.guid ?? undefined,
    started: known(row.started),
    position: known(row.position),
    total: known(row.total),
  }
}

/** The database keeps the index. Append only. */
export const ACTION_KINDS: readonly ActionKind[] = ['new', 'download', 'play', 'delete', 'flattr']
