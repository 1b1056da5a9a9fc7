import type { HeardPodcast, ListeningStore, Play, PlayEvent } from '../../domain/directory/ports/listening.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { nextTurn } from '../../platform/clock.ts'
import type { Database, Snapshot } from '../engine.ts'
import { pages } from '../shared/pages.ts'
import { ACTION_KINDS } from '../sync/actions/action-kinds.ts'
import { SHOWN_MEDIA } from '../sync/actions/joined-episodes.ts'
import { PODCAST_DETAILS, provisionalTitleOf } from '../sync/podcast-rows.ts'
import { HAS_PICTURE } from './episode-rows.ts'
import { IS_VISIBLE } from './listed-episodes.ts'

interface KeyRow {
  readonly id: number
  readonly at: number
  readonly hash: number
  readonly isPlay: number
}

interface PlayRow extends KeyRow {
  readonly episodeId: number
  readonly podcastId: PodcastId
  readonly started: number
  readonly position: number
  readonly total: number | null
}

interface EventRow {
  readonly podcast: string
  readonly podcastTitle: string | null
  readonly episode: string
  readonly episodeTitle: string | null
  readonly hasPicture: number
  readonly at: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

/** Rows per query, which takes a few milliseconds. */
const CHUNK = 2000

const HISTORY_MAX = 10_000

const PLAY = ACTION_KINDS.indexOf('play')

const OWN_TITLE = provisionalTitleOf('+?1')

/** Reads the index of event times in its own order, by time and hash, within the range. */
export function createListeningStore(db: Database, snapshot: Snapshot): ListeningStore {
  const nextPlays = db.prepare<PlayRow, [UserId, number, number, number, number]>(
    `SELECT a.id, a.at, a.hash, (a.kind = ${PLAY} AND a.position > a.started) AS isPlay,
            -- Numbers of both tables: those of one are negative.
            IFNULL(-ue.joined_id, ue.id) AS episodeId, e.podcast_id AS podcastId,
            a.started, a.position, a.total
       FROM episode_actions a INDEXED BY episode_actions_time
       CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id CROSS JOIN episodes e ON e.id = ue.episode_id
      WHERE a.user_id = +?1 AND (a.at, a.hash, a.id) > (?2, ?3, ?4) AND a.at < ?5
      ORDER BY a.at, a.hash, a.id LIMIT ${CHUNK}`,
  )
  const podcasts = db.prepare<HeardPodcast, [UserId, string]>(
    `SELECT p.id, p.url, COALESCE(CASE WHEN ${IS_VISIBLE} THEN NULLIF(pd.title, '') END, ${OWN_TITLE}, p.url) AS title,
            IFNULL(CASE WHEN ${IS_VISIBLE} THEN pd.logo_url END, '') AS logoUrl
       FROM json_each(?2) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER) ${PODCAST_DETAILS}`,
  )
  const keysBefore = db.prepare<KeyRow, [UserId, number, number, number]>(
    `SELECT id, at, hash, kind = ${PLAY} AS isPlay FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND (at, hash, id) < (?2, ?3, ?4) ORDER BY at DESC, hash DESC, id DESC LIMIT ${CHUNK}`,
  )
  const eventsById = db.prepare<EventRow, [UserId, string]>(
    `SELECT p.url AS podcast, COALESCE(CASE WHEN ${IS_VISIBLE} THEN NULLIF(pd.title, '') END, ${OWN_TITLE}) AS podcastTitle,
            e.url AS episode, CASE WHEN ${IS_VISIBLE} THEN ed.title END AS episodeTitle,
            ${IS_VISIBLE} AND ${HAS_PICTURE} AS hasPicture, a.at, d.uid AS device, a.started, a.position, a.total
       FROM json_each(?2) j CROSS JOIN episode_actions a ON a.id = CAST(j.value AS INTEGER) AND a.user_id = +?1
       CROSS JOIN action_devices d ON d.id = a.device_id
       CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id ${SHOWN_MEDIA}
       CROSS JOIN podcasts p ON p.id = e.podcast_id ${PODCAST_DETAILS}
       LEFT JOIN episode_details ed ON ed.episode_id = e.id
      ORDER BY j.key`,
  )

  async function newestPlays(userId: UserId): Promise<KeyRow[]> {
    const plays: KeyRow[] = []
    let last: Omit<KeyRow, 'isPlay'> = { at: Number.MAX_SAFE_INTEGER, hash: 0, id: 0 }
    for (;;) {
      const { at, hash, id } = last
      const keys = await snapshot.read(() => keysBefore.all(userId, at, hash, id))
      for (const key of keys) if (key.isPlay === 1) plays.push(key)
      const end = keys.at(-1)
      if (!end || keys.length < CHUNK || plays.length >= HISTORY_MAX) break
      last = end
      await nextTurn()
    }
    // The index orders actions of the same second by hash.
    return plays.slice(0, HISTORY_MAX).sort((one, other) => other.at - one.at || other.id - one.id)
  }

  async function* plays(userId: UserId, from: number, until: number): AsyncGenerator<readonly Play[]> {
    const read = (last: PlayRow | undefined) =>
      nextPlays.all(userId, last?.at ?? from, last?.hash ?? -1, last?.id ?? 0, until)
    for await (const rows of pages(snapshot, CHUNK, read)) yield rows.filter(({ isPlay }) => isPlay === 1).map(toPlay)
  }

  return {
    plays,

    podcasts: (userId, ids) => snapshot.read(() => podcasts.all(userId, JSON.stringify(ids))),

    async history(userId, { offset, limit }) {
      const plays = await newestPlays(userId)
      const ids = plays.slice(offset, offset + limit).map(({ id }) => id)
      const events = await snapshot.read(() => eventsById.all(userId, JSON.stringify(ids)).map(toEvent))
      return { total: plays.length, events }
    },
  }
}

function toPlay({ episodeId, podcastId, at, started, position, total }: PlayRow): Play {
  return { episodeId, podcastId, at, started, position, total: total ?? undefined }
}

function toEvent({
  podcast,
  podcastTitle,
  episode,
  episodeTitle,
  hasPicture,
  at,
  device,
  ...seconds
}: EventRow): PlayEvent {
  return {
    podcast,
    podcastTitle: podcastTitle || podcast,
    episode,
    episodeTitle: episodeTitle || episode,
    hasPicture: hasPicture === 1,
    at,
    device: device || undefined,
    started: seconds.started ?? undefined,
    position: seconds.position ?? undefined,
    total: seconds.total ?? undefined,
  }
}
