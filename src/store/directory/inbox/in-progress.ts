import type { Before, ListedEpisode, PageBefore, PageOfTime } from '../../../domain/directory/ports/inbox.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import type { Database } from '../../engine.ts'
import { SHOWN_GUID, SHOWN_MEDIA, SHOWN_PODCAST } from '../../sync/actions/joined-episodes.ts'
import { LISTED_COLUMNS, LISTED_JOINS, type ListedRow, toListedEpisode } from '../listed-episodes.ts'

/** Negative numbers are rows of `joined_episodes`, positive ones of `user_episodes`. */
interface KeyRow {
  readonly id: number
  readonly at: number
}

type ProgressRow = ListedRow & {
  readonly shownPodcast: string
  readonly knownGuid: string | null
  readonly at: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

/** SQL: whether the feed's details describe the user's episode `ue` rather than another one with the same media URL. */
const IS_TOLD_BY_FEED = `(ed.guid = ue.guid OR NOT EXISTS (
    SELECT 1 FROM user_episodes x WHERE x.user_id = +?1 AND x.episode_id = e.id AND x.is_former = 1))`

const LATEST: Before = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** Episodes begun and not finished, last heard first, read by covering indexes. */
export function prepareInProgress(db: Database): (userId: UserId, page: PageBefore) => PageOfTime<ListedEpisode> {
  // Two arms, so that the index finds where to continue among thousands of one second.
  const single = db.prepare<KeyRow, [UserId, number, number, number]>(
    `SELECT id, progress_at AS at FROM user_episodes INDEXED BY user_episodes_progress
      WHERE user_id = +?1 AND progress_at = +?2 AND joined_id IS NULL AND id < +?3
     UNION ALL
     SELECT id, progress_at AS at FROM user_episodes INDEXED BY user_episodes_progress
      WHERE user_id = +?1 AND progress_at < +?2 AND joined_id IS NULL
     ORDER BY at DESC, id DESC LIMIT ?4`,
  )
  const joined = db.prepare<KeyRow, [UserId, number, number, number]>(
    `SELECT id, progress_at AS at FROM joined_episodes INDEXED BY joined_episodes_progress
      WHERE user_id = +?1 AND progress_at = +?2 AND id < +?3
     UNION ALL
     SELECT id, progress_at AS at FROM joined_episodes INDEXED BY joined_episodes_progress
      WHERE user_id = +?1 AND progress_at < +?2
     ORDER BY at DESC, id DESC LIMIT ?4`,
  )
  const rowsOf = db.prepare<ProgressRow, [UserId, string]>(
    `SELECT ${LISTED_COLUMNS}, ${SHOWN_PODCAST} AS shownPodcast, ${SHOWN_GUID} AS knownGuid, a.at, d.uid AS device, a.started, a.position, a.total
       FROM json_each(?2) k
       CROSS JOIN user_episodes ue ON ue.id = CASE WHEN CAST(k.value AS INTEGER) > 0 THEN CAST(k.value AS INTEGER)
         ELSE (SELECT x.id FROM user_episodes x WHERE x.joined_id = -CAST(k.value AS INTEGER) LIMIT 1) END
       CROSS JOIN episode_actions a ON a.id = CASE WHEN ue.joined_id IS NULL THEN ue.state_action_id
         ELSE (SELECT g.state_action_id FROM joined_episodes g WHERE g.id = ue.joined_id) END
       CROSS JOIN action_devices d ON d.id = a.device_id
       ${SHOWN_MEDIA} CROSS JOIN podcasts p ON p.id = e.podcast_id ${LISTED_JOINS} AND ${IS_TOLD_BY_FEED}
      ORDER BY k.key`,
  )

  function keysBefore(userId: UserId, { at, id }: Before, limit: number): KeyRow[] {
    const rows = single.all(userId, at, Math.max(0, id), limit)
    for (const row of joined.all(userId, at, id < 0 ? -id : Number.MAX_SAFE_INTEGER, limit))
      rows.push({ id: -row.id, at: row.at })
    const rank = (row: KeyRow) => (row.id > 0 ? row.id : Number.MIN_SAFE_INTEGER - row.id)
    return rows.sort((one, other) => other.at - one.at || rank(other) - rank(one)).slice(0, limit)
  }

  return (userId, { before = LATEST, limit }) => {
    const keys = keysBefore(userId, before, limit + 1)
    const page = keys.slice(0, limit)
    const rows = rowsOf.all(userId, JSON.stringify(page.map(({ id }) => id)))
    return {
      items: rows.map((row) =>
        toListedEpisode({ ...row, podcast: row.shownPodcast, guid: row.knownGuid ?? row.guid }, toAction(row)),
      ),
      next: keys.length > limit ? page.at(-1) : undefined,
    }
  }
}

function toAction({ shownPodcast, url, at, device, started, position, total }: ProgressRow): EpisodeAction {
  return {
    podcast: shownPodcast,
    episode: url,
    kind: 'play',
    at,
    device: device || undefined,
    started: started ?? undefined,
    position: position ?? undefined,
    total: total ?? undefined,
  }
}
