import type { Database } from 'bun:sqlite'
import type { DirectoryStore, RankedPodcast, Tag } from '../../../domain/directory/ports.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { PodcastObject } from '../../../domain/shared/podcast.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { PODCAST_COLUMNS, PODCAST_DETAILS, type PodcastRow, toPodcastObject } from '../sync/podcast-rows.ts'
import { BY_TITLE, EVERYTHING } from './podcast-tags.ts'
import { prepareSearch } from './search/search.ts'
import { prepareSuggestions } from './suggestions.ts'

type RankedRow = PodcastRow & { readonly positionLastWeek: number }

/** The first `?1` podcasts of a tag, most subscribed first. They are picked by what is small: descriptions are not to be sorted. */
function ofTag(tag: string, condition = ''): string {
  const podcasts = `FROM podcast_tags t JOIN podcasts p ON p.id = t.podcast_id ${PODCAST_DETAILS} WHERE t.tag_id = ${tag}`
  const order = `ORDER BY t.subscribers DESC, ${BY_TITLE}`
  return `SELECT ${PODCAST_COLUMNS}, p.position_last_week AS positionLastWeek ${podcasts}
     AND t.podcast_id IN (SELECT t.podcast_id ${podcasts} AND t.is_listed = 1 ${condition} ${order} LIMIT ?1) ${order}`
}

/** Nothing here counts: the numbers are kept where they change, so that an answer costs the same however much there is. */
export function createDirectoryStore(db: Database, snapshot: Snapshot): DirectoryStore {
  const toplist = db.prepare<RankedRow, [number]>(ofTag(String(EVERYTHING), 'AND t.subscribers > 0'))
  const podcastsOfTag = db.prepare<RankedRow, [number, string]>(ofTag('(SELECT id FROM tags WHERE slug = ?2)'))
  const tags = db.prepare<Tag, [number]>(
    'SELECT slug, title, usage FROM tags WHERE usage > 0 ORDER BY usage DESC, slug LIMIT ?1',
  )
  const byId = db.prepare<PodcastRow, [number]>(
    `SELECT ${PODCAST_COLUMNS} FROM podcasts p ${PODCAST_DETAILS} WHERE p.id = +?1`,
  )
  const listed = db.prepare<{ url: string }, [string, UserId | null]>(
    `SELECT p.url FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value
      WHERE (p.is_local = 1 AND p.is_private = 0)
         OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = p.id AND l.devices > 0)`,
  )
  const search = prepareSearch(db)
  const suggest = prepareSuggestions(db)

  const podcastOf = (id: number): PodcastObject[] => {
    const row = byId.get(id)
    return row ? [toPodcastObject(row)] : []
  }

  return {
    async toplist(count) {
      snapshot.use()
      return toplist.all(count).map(toRanked)
    },

    async tags(count) {
      snapshot.use()
      return tags.all(count)
    },

    async podcastsOfTag(slug, count) {
      snapshot.use()
      return podcastsOfTag.all(count, slug).map(toPodcastObject)
    },

    async suggestions(userId, count) {
      snapshot.use()
      return suggest(userId, count).flatMap(({ id, because }) => podcastOf(id).map((podcast) => ({ podcast, because })))
    },

    async search(query, userId, count) {
      snapshot.use()
      return search(query, userId, count).flatMap(podcastOf)
    },

    async findListed(urls, userId) {
      snapshot.use()
      return new Set(listed.all(JSON.stringify(urls), userId ?? null).map(({ url }) => url))
    },
  }
}

function toRanked(row: RankedRow): RankedPodcast {
  return { ...toPodcastObject(row), positionLastWeek: row.positionLastWeek }
}
