import type { EpisodeUpdate, MyEpisodesStore } from '../../domain/directory/ports/inbox.ts'
import type { EpisodeObject } from '../../domain/directory/ports/podcasts.ts'
import { isHiddenFrom } from '../../domain/directory/privacy.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { StoreParts } from '../parts.ts'
import { pages } from '../shared/pages.ts'
import { prepareStates } from '../sync/actions/episode-states.ts'
import { PODCAST_DETAILS, type PodcastRow, podcastColumnsFor, toPodcastObject } from '../sync/podcast-rows.ts'
import { EPISODE_COLUMNS, type EpisodeRow, toEpisodeObject } from './episode-rows.ts'
import { IS_UNDECIDED, preparePrivacy } from './privacy.ts'

interface FavoriteKey {
  /** Breaks ties: a row number on SQLite, the target on PostgreSQL. */
  readonly id: number | string
  readonly at: number
  readonly target: string
}

type FavoriteRow = FavoriteKey & {
  readonly podcastId: PodcastId | null
  readonly isKnown: number
  readonly isPrivate: number
  readonly isUndecided: number
  readonly isOwn: number
} & EpisodeRow

type UpdateRow = EpisodeRow & { readonly episodeId: number }

/** Podcasts and favorites per query, which takes a few milliseconds with the notes of their episodes. */
const PODCASTS_AT_ONCE = 20
const FAVORITES_AT_ONCE = 100

const FEED = `substr(s.target, 1, instr(s.target, ' ') - 1)`
const MEDIA = `substr(s.target, instr(s.target, ' ') + 1)`

export function createMyEpisodesStore({ db, snapshot }: StoreParts): MyEpisodesStore {
  const isPrivate = preparePrivacy(db)
  const statesOf = prepareStates(db)
  const favoritesBy = (id: string, last: string) =>
    `SELECT s.${id} AS id, s.favorite_at AS at, s.target, p.id AS podcastId, ed.episode_id IS NOT NULL AS isKnown,
            p.is_private AS isPrivate, ${IS_UNDECIDED} AS isUndecided,
            EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = s.user_id AND l.podcast_id = p.id AND l.devices > 0) AS isOwn,
            ${EPISODE_COLUMNS}
       FROM settings s LEFT JOIN podcasts p ON p.url = ${FEED} ${PODCAST_DETAILS}
       LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = ${MEDIA} LEFT JOIN episode_details ed ON ed.episode_id = e.id
      WHERE s.user_id = +?1 AND s.favorite_at IS NOT NULL AND (s.favorite_at, s.${id}) < (?2, ${last})
      ORDER BY s.favorite_at DESC, s.${id} DESC LIMIT ${FAVORITES_AT_ONCE}`
  const nextFavorites = db.prepare<FavoriteRow, [UserId, number, number | string]>({
    sqlite: favoritesBy('rowid', '?3'),
    postgres: favoritesBy('target', 'CAST(?3 AS TEXT)'),
  })
  const podcastsByUrl = db.prepare<PodcastRow, [UserId, string]>(
    `SELECT ${podcastColumnsFor('+?1')} FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ${PODCAST_DETAILS} ORDER BY j.key`,
  )
  const deviceOf = db.prepare<{ id: number }, [UserId, string]>(
    'SELECT id FROM devices WHERE user_id = ?1 AND uid = ?2',
  )
  const nextHeld = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT podcast_id AS id FROM subscriptions
      WHERE device_id = ?1 AND podcast_id > ?2 AND subscribed = 1 ORDER BY podcast_id LIMIT ${PODCASTS_AT_ONCE}`,
  )
  const newest = db.prepare<UpdateRow, [string, number, number]>(
    `SELECT ed.episode_id AS episodeId, ${EPISODE_COLUMNS}
       FROM json_each(?1) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER) ${PODCAST_DETAILS}
       CROSS JOIN episode_details ed ON ed.episode_id IN
         (SELECT n.episode_id FROM episode_details n
           WHERE n.podcast_id = p.id AND n.released > ?2 AND n.is_listed = 1 ORDER BY n.released DESC NULLS LAST, n.episode_id DESC LIMIT ?3)
       CROSS JOIN episodes e ON e.id = ed.episode_id
      ORDER BY j.key, ed.released DESC NULLS LAST, ed.episode_id DESC`,
  )

  function toFavorite(row: FavoriteRow): EpisodeObject {
    const { podcastId, target } = row
    const [feed = '', media = ''] = target.split(' ', 2)
    if (podcastId === null || row.isKnown === 0 || isHidden(podcastId, row)) return bareEpisode(feed, media)
    return toEpisodeObject(row)
  }

  function isHidden(podcastId: PodcastId, row: FavoriteRow): boolean {
    return isHiddenFrom({
      isPrivate: row.isUndecided === 1 ? isPrivate(podcastId) : row.isPrivate === 1,
      isOwn: row.isOwn === 1,
      isInside: false,
      isAnonymous: false,
    })
  }

  function updatesOf(userId: UserId, podcasts: readonly PodcastId[], since: number, max: number): EpisodeUpdate[] {
    // 0 requests everything, including dates before 1970.
    const rows = newest.all(JSON.stringify(podcasts), since === 0 ? Number.MIN_SAFE_INTEGER : since, max)
    const states = statesOf(
      userId,
      rows.map(({ episodeId }) => episodeId),
    )
    return rows.map((row) => ({ episode: toEpisodeObject(row), action: states.get(row.episodeId) }))
  }

  async function* released(
    userId: UserId,
    deviceId: number,
    since: number,
    max: number,
  ): AsyncGenerator<EpisodeUpdate[]> {
    const read = (last?: { id: PodcastId }) => nextHeld.all(deviceId, last?.id ?? 0)
    for await (const rows of pages(snapshot, PODCASTS_AT_ONCE, read)) {
      const ids = rows.map(({ id }) => id)
      yield await snapshot.read(() => updatesOf(userId, ids, since, max))
    }
  }

  return {
    async *favorites(userId) {
      const read = (last?: FavoriteRow) =>
        nextFavorites.all(userId, last?.at ?? Number.MAX_SAFE_INTEGER, last?.id ?? '')
      for await (const rows of pages(snapshot, FAVORITES_AT_ONCE, read)) yield rows.map(toFavorite)
    },

    podcasts: (userId, urls) =>
      snapshot.read(() =>
        urls.length === 0 ? [] : podcastsByUrl.all(userId, JSON.stringify(urls)).map(toPodcastObject),
      ),

    releasedSince: (userId, uid, since, max) =>
      snapshot.read(() => {
        const device = deviceOf.get(userId, uid)
        return device ? released(userId, device.id, since, max) : undefined
      }),
  }
}

/** Returns an episode without details, because they are unknown or private (docs/protocol.md#D54). */
function bareEpisode(podcastUrl: string, url: string): EpisodeObject {
  const texts = { title: '', description: '', website: '', guid: '', mimeType: '' }
  const addresses = { imageUrl: '', chaptersUrl: '', transcriptUrl: '', transcriptType: '', chapters: '' }
  const unknown = { released: undefined, duration: undefined, size: undefined, season: undefined, number: undefined }
  const flags = { isExplicit: false, hasPicture: false }
  return { ...texts, ...addresses, ...unknown, ...flags, url, podcastUrl, podcastTitle: podcastUrl }
}
