import type { Tag } from '../../domain/directory/ports/directory.ts'
import type { OwnEpisode, PodcastStore } from '../../domain/directory/ports/podcasts.ts'
import { isHiddenFrom } from '../../domain/directory/privacy.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { slices } from '../../domain/shared/lists.ts'
import { excerptOf, fold } from '../../domain/shared/text.ts'
import { listenStateOf } from '../../domain/sync/episode-actions.ts'
import { nextTurn } from '../../platform/clock.ts'
import type { Database, Snapshot } from '../engine.ts'
import { prepareStates } from '../sync/actions/episode-states.ts'
import {
  IS_LOCAL,
  IS_WANTED,
  PODCAST_DETAILS,
  type PodcastRow,
  podcastColumnsFor,
  toPodcastObject,
} from '../sync/podcast-rows.ts'
import { EPISODE_COLUMNS, type EpisodeRow, toEpisodeObject } from './episode-rows.ts'
import { tagsOf } from './podcast-tags.ts'
import { IS_UNDECIDED, preparePrivacy } from './privacy.ts'

type EntryRow = PodcastRow & {
  readonly id: PodcastId
  readonly isPrivate: number
  readonly isUndecided: number
  /** Fetched from the server's private network, and never subscribed to. */
  readonly isInside: number
  readonly isOwn: number
  readonly isWanted: number
  readonly isFetched: number
  readonly checkedAt: number | null
}

interface DetailsRow {
  readonly description: string
  readonly tags: string
  readonly fundingUrl: string
}

/** SQL: excludes podcasts known only from episode actions, which are private: never subscribed to and never fetched. */
const IS_SOMEBODYS = `(${IS_LOCAL} OR pd.podcast_id IS NOT NULL)`

/** SQL: excludes episodes without details, which are known only from episode actions, and so private to a user. */
const EPISODES = `episode_details ed JOIN episodes e ON e.id = ed.episode_id JOIN podcasts p ON p.id = ed.podcast_id ${PODCAST_DETAILS}`

export function createPodcastStore(db: Database, snapshot: Snapshot): PodcastStore {
  const find = db.prepare<EntryRow, [string, UserId | null]>(
    `SELECT p.id, ${podcastColumnsFor('+?2')}, pd.podcast_id IS NOT NULL AS isFetched, p.checked_at AS checkedAt, p.is_private AS isPrivate,
            ${IS_UNDECIDED} AS isUndecided,
            p.is_inside = 1 AND NOT ${IS_LOCAL} AS isInside, ${IS_WANTED} AS isWanted,
            EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = p.id AND l.devices > 0) AS isOwn
       FROM podcasts p ${PODCAST_DETAILS} WHERE p.url = +?1 AND ${IS_SOMEBODYS}`,
  )
  const decide = preparePrivacy(db)
  const details = db.prepare<DetailsRow, [PodcastId]>(
    'SELECT description, tags, funding_url AS fundingUrl FROM podcast_details WHERE podcast_id = +?1',
  )
  // By slug instead of podcast, since podcasts that were never subscribed to are not in podcast_tags.
  const usages = db.prepare<Pick<Tag, 'slug' | 'usage'>, [string]>(
    'SELECT slug, usage FROM tags WHERE slug IN (SELECT value FROM json_each(?1))',
  )
  const episode = db.prepare<EpisodeRow, [PodcastId, string]>(
    `SELECT ${EPISODE_COLUMNS} FROM ${EPISODES}
      WHERE ed.episode_id = (SELECT id FROM episodes WHERE podcast_id = ?1 AND url = ?2)`,
  )
  const episodePicture = db.prepare<{ imageUrl: string }, [PodcastId, string]>(
    `SELECT image_url AS imageUrl FROM episode_details
      WHERE episode_id = (SELECT id FROM episodes WHERE podcast_id = ?1 AND url = ?2)`,
  )
  const page = db.prepare<EpisodeRow, [PodcastId, number, number]>(
    `SELECT ${EPISODE_COLUMNS} FROM ${EPISODES}
      WHERE ed.podcast_id = +?1 AND ed.is_listed = 1 ORDER BY ed.released DESC NULLS LAST, ed.episode_id DESC LIMIT ?2 OFFSET ?3`,
  )
  const count = db.prepare<{ total: number }, [PodcastId]>(
    `SELECT COUNT(*) - (SELECT COUNT(*) FROM episode_details WHERE podcast_id = +?1 AND is_listed = 0) AS total
       FROM episode_details WHERE podcast_id = +?1`,
  )

  return {
    find: (url, userId) =>
      snapshot.read(() => {
        const row = find.get(url, userId ?? null)
        if (!row) return undefined
        const isPrivate = row.isUndecided === 1 ? decide(row.id) : row.isPrivate === 1
        return {
          id: row.id,
          podcast: toPodcastObject(row),
          isPrivate,
          isHidden: isHiddenFrom({
            isPrivate,
            isOwn: row.isOwn === 1,
            isInside: row.isInside === 1,
            isAnonymous: userId === undefined,
          }),
          isWanted: row.isWanted === 1,
          isFetched: row.isFetched === 1,
          checkedAt: row.checkedAt ?? undefined,
        }
      }),

    details: (id) =>
      snapshot.read(() => {
        const row = details.get(id)
        if (!row) return { notes: '', tags: [], fundingUrl: '' }
        const tags = tagsOf(row.tags)
        const used = new Map(usages.all(JSON.stringify([...tags.keys()])).map(({ slug, usage }) => [slug, usage]))
        return {
          notes: row.description,
          tags: [...tags].map(([slug, title]) => ({ slug, title, usage: used.get(slug) ?? 0 })),
          fundingUrl: row.fundingUrl,
        }
      }),

    episode: (id, url) =>
      snapshot.read(() => {
        const row = episode.get(id, url)
        return row ? { ...toEpisodeObject(row), notes: row.description } : undefined
      }),

    episodePicture: (id, url) => snapshot.read(() => episodePicture.get(id, url)?.imageUrl),

    episodes: (id, { offset, limit }) =>
      snapshot.read(() => {
        const total = count.get(id)?.total ?? 0
        return { total, episodes: offset < total ? page.all(id, limit, offset).map(toEpisodeObject) : [] }
      }),

    ownEpisodes: prepareOwnEpisodes(db, snapshot),
  }
}

interface TitleRow {
  readonly id: number
  readonly title: string
  readonly season: number | null
}

type OwnRow = EpisodeRow & { readonly episodeId: number; readonly isFavorite: number }

const TITLES_AT_ONCE = 2000
const STATES_AT_ONCE = 250
const NOTES_READ = 3000
const DESCRIPTION_MAX = 300
const PICTURE_LINK = /<a [^<>]*>🖼[^<]*<\/a>/gu

function prepareOwnEpisodes(db: Database, snapshot: Snapshot): PodcastStore['ownEpisodes'] {
  const statesOf = prepareStates(db)
  const listed = 'FROM episode_details WHERE podcast_id = +?1 AND is_listed = 1'
  const titles = db.prepare<TitleRow, [PodcastId, number, number]>(
    `SELECT episode_id AS id, title, season ${listed} ORDER BY released DESC NULLS LAST, episode_id DESC LIMIT ?2 OFFSET ?3`,
  )
  const seasonsOf = db.prepare<{ season: number }, [PodcastId]>(
    `SELECT DISTINCT season ${listed} AND season IS NOT NULL ORDER BY season DESC LIMIT 100`,
  )
  const byId = db.prepare<OwnRow, [UserId, string]>(
    `SELECT ed.episode_id AS episodeId, ${EPISODE_COLUMNS.replace('ed.description', `substr(ed.description, 1, ${NOTES_READ}) AS description`)},
            EXISTS (SELECT 1 FROM settings s WHERE s.user_id = +?1 AND s.scope = 'episode' AND s.favorite_at IS NOT NULL
                       AND s.target = p.url || ' ' || e.url) AS isFavorite
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = CAST(j.value AS INTEGER) CROSS JOIN episode_details ed ON ed.episode_id = e.id
       CROSS JOIN podcasts p ON p.id = e.podcast_id ${PODCAST_DETAILS} ORDER BY j.key`,
  )

  async function matching(podcast: PodcastId, text: string, season: number | undefined): Promise<number[]> {
    const needle = fold(text.trim())
    const found: number[] = []
    for (let offset = 0; ; offset += TITLES_AT_ONCE) {
      const from = offset
      const rows = await snapshot.read(() => titles.all(podcast, TITLES_AT_ONCE, from))
      for (const row of rows)
        if ((season === undefined || row.season === season) && (needle === '' || fold(row.title).includes(needle)))
          found.push(row.id)
      if (rows.length < TITLES_AT_ONCE) return found
      await nextTurn()
    }
  }

  async function unplayed(userId: UserId, ids: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const batch of slices(ids, STATES_AT_ONCE)) {
      const states = await snapshot.read(() => statesOf(userId, batch))
      for (const id of batch) if (listenStateOf(states.get(id)) !== 'played') found.push(id)
      await nextTurn()
    }
    return found
  }

  return async (userId, podcast, { text, season, onlyUnplayed, isOldestFirst }, { offset, limit }) => {
    const all = await matching(podcast, text, season)
    const selected = onlyUnplayed ? await unplayed(userId, all) : all
    const ids = (isOldestFirst ? selected.toReversed() : selected).slice(offset, offset + limit)
    const { states, rows, seasons } = await snapshot.read(() => ({
      states: statesOf(userId, ids),
      rows: byId.all(userId, JSON.stringify(ids)),
      seasons: seasonsOf.all(podcast),
    }))
    const episodes = rows.map(({ episodeId, isFavorite, ...row }): OwnEpisode => {
      // Drops a tag that was cut off, and pictures, which are links here.
      const description = row.description.replace(/<[^>]*$/, '').replaceAll(PICTURE_LINK, '')
      const episode = toEpisodeObject({ ...row, description })
      return {
        ...episode,
        description: excerptOf(episode.description, DESCRIPTION_MAX),
        action: states.get(episodeId),
        isFavorite: isFavorite === 1,
      }
    })
    return { total: selected.length, seasons: seasons.map(({ season: number }) => number), episodes }
  }
}
