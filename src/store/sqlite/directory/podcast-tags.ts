import type { Database } from 'bun:sqlite'
import type { Tag } from '../../../domain/directory/ports/directory.ts'
import type { PodcastId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { slugOf } from '../../../domain/shared/text.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { Snapshot } from '../core/snapshot.ts'

/** The tag that all podcasts have: the toplist. */
export const EVERYTHING = 0

/**
 * The order of podcasts with as many subscribers, for a query that names their rows of `podcast_tags` `t` and joins the
 * podcasts as `p` with their details: by title, then by URL (docs/protocol.md#directory). The index knows it but for
 * titles that begin alike.
 */
export const BY_TITLE = `t.sort_key, IFNULL(NULLIF(pd.title, ''), p.url), p.url`

/** Failures in a row after which a feed counts as dead: a day of an outage of our own line has twelve of them. */
const FAILURES_MAX = 12

/** Whether the feed of a podcast `p` can be had, as far as anybody knows (docs/protocol.md#D110). */
export const IS_ALIVE = `p.failures <= ${FAILURES_MAX} AND p.error_reason IS NOT 'gone'`

const TAGS_MAX = 20

/** Of a podcast, by slug: as the feed writes them. `json` is an array of texts. */
export function tagsOf(json: string | null): Map<string, string> {
  const tags = new Map<string, string>()
  const list: unknown = JSON.parse(json ?? '[]')
  if (!Array.isArray(list)) return tags
  for (const title of list) {
    const slug = typeof title === 'string' ? slugOf(title) : ''
    if (slug !== '' && !tags.has(slug)) tags.set(slug, title)
    if (tags.size === TAGS_MAX) break
  }
  return tags
}

/** Keeps the tags of a podcast and its place among theirs; writes only what differs. Belongs inside a job. */
export function prepareTagWriter(db: Database) {
  const ensure = db.prepare<undefined, [string, string]>(
    'INSERT INTO tags (slug, title) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING',
  )
  const find = db.prepare<{ id: number }, [string]>('SELECT id FROM tags WHERE slug = ?1')
  const put = db.prepare<undefined, [number, number, string]>(
    `INSERT INTO podcast_tags (podcast_id, tag_id, is_listed, subscribers, sort_key)
     SELECT p.id, ?2, p.is_local AND NOT p.is_private, p.subscribers, ?3 FROM podcasts p WHERE p.id = ?1
     ON CONFLICT (podcast_id, tag_id) DO UPDATE SET sort_key = excluded.sort_key WHERE sort_key <> excluded.sort_key`,
  )
  const others = db.prepare<{ id: number }, [number, string]>(
    `SELECT tag_id AS id FROM podcast_tags WHERE podcast_id = ?1 AND tag_id NOT IN (SELECT value FROM json_each(?2))`,
  )
  const remove = db.prepare<undefined, [number, number]>(
    'DELETE FROM podcast_tags WHERE podcast_id = ?1 AND tag_id = ?2',
  )
  const removeUnused = db.prepare<undefined, [number]>(
    'DELETE FROM tags WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM podcast_tags WHERE tag_id = ?1)',
  )

  function removeOthers(podcastId: number, kept: readonly number[]): void {
    for (const { id } of others.all(podcastId, JSON.stringify(kept))) {
      remove.run(podcastId, id)
      removeUnused.run(id)
    }
  }

  return {
    none: (podcastId: number): void => removeOthers(podcastId, []),
    some(podcastId: number, tags: ReadonlyMap<string, string>, sortKey: string): void {
      const ids = [EVERYTHING]
      for (const [slug, title] of tags) {
        ensure.run(slug, title)
        ids.push(find.get(slug)?.id ?? EVERYTHING)
      }
      for (const id of ids) put.run(podcastId, id, sortKey)
      removeOthers(podcastId, ids)
    },
  }
}

/** Podcasts whose tags are looked up at once: some milliseconds' work. */
const PODCASTS_AT_ONCE = 1000

/** The tags of given podcasts, also of private ones: for users who have them. */
export function createTagReader(db: Database, snapshot: Snapshot) {
  const tagged = db.prepare<{ id: PodcastId }, [string, string]>(
    `SELECT j.value AS id FROM tags g CROSS JOIN json_each(?1) j CROSS JOIN podcast_tags t ON t.podcast_id = j.value AND t.tag_id = g.id
      WHERE g.slug = ?2 ORDER BY j.key`,
  )
  const counted = db.prepare<Tag, [string]>(
    `SELECT g.slug, g.title, COUNT(*) AS usage
       FROM json_each(?1) j CROSS JOIN podcast_tags t ON t.podcast_id = j.value AND t.tag_id <> ${EVERYTHING}
       CROSS JOIN tags g ON g.id = t.tag_id GROUP BY g.id`,
  )

  async function readInTurns<Row>(podcasts: readonly PodcastId[], read: (ids: string) => Row[]): Promise<Row[]> {
    const rows: Row[] = []
    for (const some of slices(podcasts, PODCASTS_AT_ONCE)) {
      if (some !== podcasts) await nextTurn()
      snapshot.use()
      for (const row of read(JSON.stringify(some))) rows.push(row)
    }
    return rows
  }

  return {
    /** Those with the tag, in the order given. */
    async withTag(podcasts: readonly PodcastId[], slug: string): Promise<PodcastId[]> {
      const rows = await readInTurns(podcasts, (ids) => tagged.all(ids, slug))
      return rows.map(({ id }) => id)
    },

    /** With how many of these podcasts carry each, most used first, then by slug. */
    async tagsOfMany(podcasts: readonly PodcastId[]): Promise<Tag[]> {
      const tags = new Map<string, Tag>()
      for (const { slug, title, usage } of await readInTurns(podcasts, (ids) => counted.all(ids)))
        tags.set(slug, { slug, title, usage: usage + (tags.get(slug)?.usage ?? 0) })
      return [...tags.values()].sort((one, other) => other.usage - one.usage || (one.slug < other.slug ? -1 : 1))
    },
  }
}
