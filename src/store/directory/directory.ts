import type { DirectoryStore, RankedPodcast, Tag } from '../../domain/directory/ports/directory.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { PodcastObject } from '../../domain/shared/podcast.ts'
import type { Database, Snapshot } from '../engine.ts'
import { PODCAST_COLUMNS, PODCAST_DETAILS, type PodcastRow, toPodcastObject } from '../sync/podcast-rows.ts'
import { BY_TITLE, EVERYTHING, IS_ALIVE } from './podcast-tags.ts'
import { prepareSearch } from './search/search.ts'

type RankedRow = PodcastRow & { readonly positionLastWeek: number }

function ofTag(tag: string, condition = ''): string {
  const podcasts = `FROM podcast_tags t JOIN podcasts p ON p.id = t.podcast_id ${PODCAST_DETAILS} WHERE t.tag_id = ${tag}`
  const order = `ORDER BY t.subscribers DESC, ${BY_TITLE}`
  return `SELECT ${PODCAST_COLUMNS}, p.position_last_week AS positionLastWeek ${podcasts}
     AND t.podcast_id IN (SELECT t.podcast_id ${podcasts} AND t.is_listed = 1 AND ${IS_ALIVE} ${condition} ${order} LIMIT ?1) ${order}`
}

/** Does not count rows: counters are maintained on writes, so the cost of a list does not grow with the data. */
export function createDirectoryStore(db: Database, snapshot: Snapshot): DirectoryStore {
  const toplist = db.prepare<RankedRow, [number]>(ofTag(String(EVERYTHING), 'AND t.subscribers > 0'))
  const podcastsOfTag = db.prepare<RankedRow, [number, string]>(ofTag('(SELECT id FROM tags WHERE slug = ?2)'))
  const tags = db.prepare<Tag, [number]>(
    'SELECT slug, title, usage FROM tags WHERE usage > 0 ORDER BY usage DESC, slug LIMIT ?1',
  )
  const byIds = db.prepare<PodcastRow & { id: number }, [string]>(
    `SELECT p.id, ${PODCAST_COLUMNS} FROM json_each(?1) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER) ${PODCAST_DETAILS} ORDER BY j.key`,
  )
  const listed = db.prepare<{ url: string }, [string, UserId | null]>(
    `SELECT p.url FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value
      WHERE (p.is_local = 1 AND p.is_private = 0)
         OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = p.id AND l.devices > 0)`,
  )
  const search = prepareSearch(db)
  const suggest = prepareSuggestions(db)

  const podcastsById = (ids: readonly number[]): Map<number, PodcastObject> =>
    new Map(byIds.all(JSON.stringify(ids)).map((row) => [row.id, toPodcastObject(row)]))

  return {
    toplist: (count) => snapshot.read(() => toplist.all(count).map(toRanked)),

    tags: (count) => snapshot.read(() => tags.all(count)),

    podcastsOfTag: (slug, count) => snapshot.read(() => podcastsOfTag.all(count, slug).map(toPodcastObject)),

    suggestions: (userId, count) =>
      snapshot.read(() => {
        const suggested = suggest(userId, count)
        const podcasts = podcastsById(suggested.map(({ id }) => id))
        return suggested.flatMap(({ id, because }) => {
          const podcast = podcasts.get(id)
          return podcast ? [{ podcast, because }] : []
        })
      }),

    search: (query, userId, count) => snapshot.read(() => [...podcastsById(search(query, userId, count)).values()]),

    findListed: (urls, userId) =>
      snapshot.read(() => new Set(listed.all(JSON.stringify(urls), userId ?? null).map(({ url }) => url))),
  }
}

function toRanked(row: RankedRow): RankedPodcast {
  return { ...toPodcastObject(row), positionLastWeek: row.positionLastWeek }
}

interface WeightedTag {
  readonly id: number
  readonly title: string
  readonly usage: number
  readonly weight: number
}

interface Finalist {
  readonly id: number
  readonly score: number
}

interface SuggestedId {
  readonly id: number
  readonly because: readonly string[]
}

const TAGS_MAX = 50
/** Limit of podcasts examined over all tags, most subscribed first. Small servers stay below it. */
const CANDIDATES_MAX = 1500
const REASONS_MAX = 3

/** Listed podcasts that the user has on no device, best first (docs/protocol.md#D53). */
function prepareSuggestions(db: Database): (userId: UserId, count: number) => SuggestedId[] {
  const tags = db.prepare<WeightedTag, [UserId]>(
    `SELECT tags.id, tags.title, tags.usage, COUNT(*) AS weight
       FROM listeners l JOIN podcast_tags t ON t.podcast_id = l.podcast_id AND t.tag_id <> ${EVERYTHING} JOIN tags ON tags.id = t.tag_id
      WHERE l.user_id = +?1 AND l.devices > 0
      GROUP BY tags.id ORDER BY weight DESC, tags.id LIMIT ${TAGS_MAX}`,
  )
  // One text with all numbers, since a row for each would take most of the time.
  const own = db.prepare<{ readonly ids: string }, [UserId]>(
    'SELECT json_group_array(podcast_id) AS ids FROM listeners WHERE user_id = +?1 AND devices > 0',
  )
  const candidates = db.prepare<{ readonly ids: string }, [number, number]>(
    `SELECT json_group_array(podcast_id) AS ids FROM (
       SELECT t.podcast_id FROM podcast_tags t CROSS JOIN podcasts p ON p.id = t.podcast_id
        WHERE t.tag_id = +?1 AND t.is_listed = 1 AND ${IS_ALIVE}
        ORDER BY t.subscribers DESC, t.sort_key, t.podcast_id LIMIT ?2) best`,
  )
  const finalists = db.prepare<Finalist, [string, number]>(
    `SELECT t.podcast_id AS id, CAST(chosen.value ->> 1 AS INTEGER) AS score
       FROM json_each(+?1) chosen CROSS JOIN podcast_tags t ON t.podcast_id = CAST(chosen.value ->> 0 AS INTEGER) AND t.tag_id = ${EVERYTHING}
      ORDER BY score DESC, t.subscribers DESC, t.podcast_id DESC LIMIT ?2`,
  )
  const tagsOf = db.prepare<{ readonly tagId: number }, [number]>(
    'SELECT tag_id AS tagId FROM podcast_tags WHERE podcast_id = +?1',
  )

  /** Scores over all tags. The unused share of a small tag goes to the larger ones. */
  function scores(userId: UserId, mine: readonly WeightedTag[]): Map<number, number> {
    const has = new Set(numbersOf(own.get(userId)?.ids))
    const found = new Map<number, number>()
    let budget = CANDIDATES_MAX
    let tagsLeft = mine.length
    for (const { id: tagId, weight } of mine.toSorted((a, b) => a.usage - b.usage)) {
      const each = Math.ceil(budget / tagsLeft--)
      // The user has `weight` of the podcasts with this tag, and these are left out.
      const others = numbersOf(candidates.get(tagId, each + weight)?.ids).filter((id) => !has.has(id))
      budget = Math.max(1, budget - others.length)
      for (const id of others) found.set(id, (found.get(id) ?? 0) + weight)
    }
    return found
  }

  function reasons(podcastId: number, mine: readonly WeightedTag[]): string[] {
    const carried = new Set(tagsOf.all(podcastId).map(({ tagId }) => tagId))
    const speaking = mine.filter(({ id }) => carried.has(id))
    return speaking.slice(0, REASONS_MAX).map(({ title }) => title)
  }

  return (userId, count) => {
    const mine = tags.all(userId)
    const best = bestOf(scores(userId, mine), count)
    return finalists.all(JSON.stringify(best), count).map(({ id }) => ({ id, because: reasons(id, mine) }))
  }
}

/** Returns pairs of podcast and score: the `count` best, and all with the same score as the last of them. */
function bestOf(scores: ReadonlyMap<number, number>, count: number): [number, number][] {
  const least = [...scores.values()].sort((a, b) => b - a)[count - 1] ?? 0
  return [...scores].filter(([, score]) => score >= least)
}

function numbersOf(json: string | undefined): number[] {
  const value: unknown = json === undefined ? [] : JSON.parse(json)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : []
}
