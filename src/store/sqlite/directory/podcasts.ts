import type { Database } from 'bun:sqlite'
import type { Tag } from '../../../domain/directory/ports/directory.ts'
import type { PodcastStore } from '../../../domain/directory/ports/podcasts.ts'
import { isHiddenFrom } from '../../../domain/directory/privacy.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type { Snapshot } from '../core/snapshot.ts'
import {
  IS_LOCAL,
  IS_WANTED,
  PODCAST_DETAILS,
  type PodcastRow,
  podcastColumnsFor,
  toPodcastObject,
} from '../sync/podcast-rows.ts'
import { EPISODE_COLUMNS, type EpisodeRow, toEpisodeObject } from './episode-rows.ts'
import { prepareOwnEpisodes } from './own-episodes.ts'
import { tagsOf } from './podcast-tags.ts'
import { IS_UNDECIDED, preparePrivacy } from './privacy.ts'

type EntryRow = PodcastRow & {
  readonly id: PodcastId
  readonly isPrivate: number
  readonly isUndecided: number
  /** It comes from the private network of the server, and nobody here has it or had it. */
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

/** A podcast that nobody has or had, and never fetched, is known from episode actions alone, which are private. */
const IS_SOMEBODYS = `(${IS_LOCAL} OR pd.podcast_id IS NOT NULL)`

/** An episode without details is known from episode actions alone, which are private to their user. */
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
  // Looked up by slug and not by podcast, for podcasts that nobody has or had are not in podcast_tags.
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
      WHERE ed.podcast_id = +?1 AND ed.is_listed = 1 ORDER BY ed.released DESC, ed.episode_id DESC LIMIT ?2 OFFSET ?3`,
  )
  const count = db.prepare<{ total: number }, [PodcastId]>(
    `SELECT COUNT(*) - (SELECT COUNT(*) FROM episode_details WHERE podcast_id = +?1 AND is_listed = 0) AS total
       FROM episode_details WHERE podcast_id = +?1`,
  )

  return {
    async find(url, userId) {
      snapshot.use()
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
    },

    async details(id) {
      snapshot.use()
      const row = details.get(id)
      if (!row) return { notes: '', tags: [], fundingUrl: '' }
      const tags = tagsOf(row.tags)
      const used = new Map(usages.all(JSON.stringify([...tags.keys()])).map(({ slug, usage }) => [slug, usage]))
      return {
        notes: row.description,
        tags: [...tags].map(([slug, title]) => ({ slug, title, usage: used.get(slug) ?? 0 })),
        fundingUrl: row.fundingUrl,
      }
    },

    async episode(id, url) {
      snapshot.use()
      const row = episode.get(id, url)
      return row ? { ...toEpisodeObject(row), notes: row.description } : undefined
    },

    async episodePicture(id, url) {
      snapshot.use()
      return episodePicture.get(id, url)?.imageUrl
    },

    async episodes(id, { offset, limit }) {
      snapshot.use()
      const total = count.get(id)?.total ?? 0
      return { total, episodes: offset < total ? page.all(id, limit, offset).map(toEpisodeObject) : [] }
    },

    ownEpisodes: prepareOwnEpisodes(db, snapshot),
  }
}
