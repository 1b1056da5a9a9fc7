import type { Tag } from '../../domain/directory/ports/directory.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import { slices } from '../../domain/shared/lists.ts'
import { slugOf } from '../../domain/shared/text.ts'
import { nextTurn } from '../../platform/clock.ts'
import type { Database, Snapshot } from '../engine.ts'

export const EVERYTHING = 0

/** SQL: order of podcasts with equal subscribers, for `podcast_tags` `t` and `p` with details: title, then URL. */
export const BY_TITLE = `t.sort_key, IFNULL(NULLIF(pd.title, ''), p.url), p.url`

const FAILURES_MAX = 12

/** SQL: whether the feed of the podcast `p` is probably available (docs/protocol.md#D110). */
export const IS_ALIVE = `p.failures <= ${FAILURES_MAX} AND p.error_reason IS NOT 'gone'`

const TAGS_MAX = 20

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

/** Maintains a podcast's tags and their usage, writing only differences. Inside a job. */
export function prepareTagWriter(db: Database) {
  const ensure = db.prepare<undefined, [string, string]>(
    'INSERT INTO tags (slug, title) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING',
  )
  const find = db.prepare<{ id: number }, [string]>('SELECT id FROM tags WHERE slug = ?1')
  const listing = db.prepare<{ subscribers: number; isListed: number }, [number]>(
    'SELECT p.subscribers, p.is_local = 1 AND p.is_private = 0 AS isListed FROM podcasts p WHERE p.id = ?1',
  )
  const current = db.prepare<TagRow, [number]>(
    `SELECT t.tag_id AS tagId, t.is_listed AS isListed, t.subscribers, t.sort_key AS sortKey FROM podcast_tags t
      WHERE t.podcast_id = ?1`,
  )
  const put = db.prepare<undefined, [number, number, number, number, string]>(
    `INSERT INTO podcast_tags (podcast_id, tag_id, is_listed, subscribers, sort_key) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (podcast_id, tag_id) DO UPDATE
        SET is_listed = excluded.is_listed, subscribers = excluded.subscribers, sort_key = excluded.sort_key`,
  )
  const remove = db.prepare<undefined, [number, number]>(
    'DELETE FROM podcast_tags WHERE podcast_id = ?1 AND tag_id = ?2',
  )
  const count = db.prepare<undefined, [number, number]>('UPDATE tags SET usage = usage + ?2 WHERE id = ?1')
  const removeUnused = db.prepare<undefined, [number]>(
    'DELETE FROM tags WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM podcast_tags t WHERE t.tag_id = ?1)',
  )

  function write(podcastId: number, sortKeys: ReadonlyMap<number, string>): void {
    const { subscribers, isListed } = listing.get(podcastId) ?? { subscribers: 0, isListed: 0 }
    const rows = new Map(current.all(podcastId).map((row) => [row.tagId, row]))
    for (const [tagId, sortKey] of sortKeys) {
      const row = rows.get(tagId)
      rows.delete(tagId)
      if (row?.isListed === isListed && row.subscribers === subscribers && row.sortKey === sortKey) continue
      put.run(podcastId, tagId, isListed, subscribers, sortKey)
      const more = isListed - (row?.isListed ?? 0)
      if (more !== 0) count.run(tagId, more)
    }
    for (const { tagId, isListed: wasListed } of rows.values()) {
      remove.run(podcastId, tagId)
      if (wasListed === 1) count.run(tagId, -1)
      removeUnused.run(tagId)
    }
  }

  return {
    clear: (podcastId: number): void => write(podcastId, new Map()),
    set(podcastId: number, tags: ReadonlyMap<string, string>, sortKey: string): void {
      const sortKeys = new Map([[EVERYTHING, sortKey]])
      for (const [slug, title] of tags) {
        ensure.run(slug, title)
        sortKeys.set(find.get(slug)?.id ?? EVERYTHING, sortKey)
      }
      write(podcastId, sortKeys)
    },
    refresh: (podcastId: number): void =>
      write(podcastId, new Map(current.all(podcastId).map(({ tagId, sortKey }) => [tagId, sortKey]))),
  }
}

interface TagRow {
  readonly tagId: number
  readonly isListed: number
  readonly subscribers: number
  readonly sortKey: string
}

/** Podcasts per lookup of tags, which takes a few milliseconds. */
const PODCASTS_AT_ONCE = 1000

/** Reads tags of given podcasts, including private ones, for users who have them. */
export function createTagReader(db: Database, snapshot: Snapshot) {
  const tagged = db.prepare<{ id: PodcastId }, [string, string]>(
    `SELECT CAST(j.value AS INTEGER) AS id FROM tags g CROSS JOIN json_each(?1) j CROSS JOIN podcast_tags t ON t.podcast_id = CAST(j.value AS INTEGER) AND t.tag_id = g.id
      WHERE g.slug = ?2 ORDER BY j.key`,
  )
  const counted = db.prepare<Tag, [string]>(
    `SELECT g.slug, g.title, COUNT(*) AS usage
       FROM json_each(?1) j CROSS JOIN podcast_tags t ON t.podcast_id = CAST(j.value AS INTEGER) AND t.tag_id <> ${EVERYTHING}
       CROSS JOIN tags g ON g.id = t.tag_id GROUP BY g.id`,
  )

  async function readInTurns<Row>(podcasts: readonly PodcastId[], read: (ids: string) => Row[]): Promise<Row[]> {
    const rows: Row[] = []
    for (const batch of slices(podcasts, PODCASTS_AT_ONCE)) {
      if (batch !== podcasts) await nextTurn()
      for (const row of await snapshot.read(() => read(JSON.stringify(batch)))) rows.push(row)
    }
    return rows
  }

  return {
    async withTag(podcasts: readonly PodcastId[], slug: string): Promise<PodcastId[]> {
      const rows = await readInTurns(podcasts, (ids) => tagged.all(ids, slug))
      return rows.map(({ id }) => id)
    },

    async tagsOfMany(podcasts: readonly PodcastId[]): Promise<Tag[]> {
      const tags = new Map<string, Tag>()
      for (const { slug, title, usage } of await readInTurns(podcasts, (ids) => counted.all(ids)))
        tags.set(slug, { slug, title, usage: usage + (tags.get(slug)?.usage ?? 0) })
      return [...tags.values()].sort((one, other) => other.usage - one.usage || (one.slug < other.slug ? -1 : 1))
    },
  }
}
