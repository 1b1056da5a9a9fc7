import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { PodcastObject } from '../../domain/shared/podcast.ts'
import type { ProvisionalTitles } from '../../domain/sync/provisional-titles.ts'
import { htmlToText } from '../../platform/html-text.ts'
import type { Database } from '../engine.ts'
import { inserted } from '../shared/rows.ts'

export interface PodcastRow {
  readonly url: string
  /** Distinct active users with at least one device subscribed (docs/protocol.md#podcast-object). */
  readonly subscribers: number
  readonly subscribersLastWeek: number
  readonly title: string | null
  readonly author: string | null
  readonly description: string | null
  readonly website: string | null
  readonly logoUrl: string | null
  readonly language: string | null
}

export const PODCAST_COLUMNS = podcastColumns('pd.title')

export function podcastColumnsFor(user: string): string {
  return podcastColumns(`${titleFor(user)} AS title`)
}

function podcastColumns(title: string): string {
  return `p.url, p.subscribers, IFNULL(p.subscribers_last_week, p.subscribers) AS subscribersLastWeek,
  ${title}, pd.author, pd.description, pd.website, pd.logo_url AS logoUrl, pd.language`
}

const HAS_NEW_SUBSCRIBER = 'EXISTS (SELECT 1 FROM directory_changes q WHERE q.podcast_id = p.id AND q.subscribers > 0)'

export const IS_LOCAL = `(p.is_local = 1 OR ${HAS_NEW_SUBSCRIBER})`

export const IS_WANTED = `(p.subscribers > 0 OR ${HAS_NEW_SUBSCRIBER})`

export const PODCAST_DETAILS = 'LEFT JOIN podcast_details pd ON pd.podcast_id = p.id'

export function toPodcastObject(row: PodcastRow): PodcastObject {
  const { url, subscribers, subscribersLastWeek, title, author, description, website, logoUrl, language } = row
  return {
    url,
    title: title || url,
    author: author ?? '',
    description: htmlToText(description ?? ''),
    website: website ?? '',
    logoUrl: logoUrl ?? '',
    language: language ?? '',
    subscribers,
    subscribersLastWeek,
  }
}

export interface AddressRow {
  readonly id: PodcastId
  /** Its podcast has other addresses (docs/protocol.md#D83). */
  readonly hasAliases: number
  readonly isChecked: number
}

export interface PodcastIds {
  find(url: string): PodcastId | undefined
  /** Returns the known ones. */
  findAddresses(urls: readonly string[]): readonly AddressRow[]
  ensureAddresses(urls: readonly string[], at: number): readonly AddressRow[]
  ensure(url: string, at: number): PodcastId
}

export function preparePodcastIds(db: Database): PodcastIds {
  const select = db.prepare<{ id: PodcastId }, [string]>('SELECT id FROM podcasts WHERE url = ?1')
  const insert = db.prepare<{ id: PodcastId }, [string, number]>({
    sqlite: 'INSERT INTO podcasts (url, created_at) VALUES (?1, ?2) RETURNING id',
    // Another transaction may have added the row since the lookup.
    postgres: `INSERT INTO podcasts (url, created_at) VALUES (?1, ?2)
                 ON CONFLICT (url) DO UPDATE SET url = excluded.url RETURNING id`,
  })
  const ADDRESS = 'p.id, p.has_aliases AS hasAliases, p.checked_at IS NOT NULL AS isChecked'
  const selectAddress = db.prepare<AddressRow, [string]>(`SELECT ${ADDRESS} FROM podcasts p WHERE p.url = ?1`)
  const selectAddresses = db.prepare<AddressRow, [string]>(
    `SELECT ${ADDRESS} FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ORDER BY j.key`,
  )
  // Sorted, so that rows are inserted in index order.
  const insertMissing = db.prepare<undefined, [string, number]>(
    `INSERT INTO podcasts (url, created_at) SELECT j.value, ?2 FROM json_each(?1) j WHERE true ORDER BY j.value
     ON CONFLICT (url) DO NOTHING`,
  )
  const find = (url: string) => select.get(url)?.id
  const add = (url: string, at: number) => inserted(insert.get(url, at)).id

  function findAddresses(urls: readonly string[]): readonly AddressRow[] {
    const [only] = urls
    if (only === undefined) return []
    if (urls.length > 1) return selectAddresses.all(JSON.stringify(urls))
    const row = selectAddress.get(only)
    return row ? [row] : []
  }

  function ensureAddresses(urls: readonly string[], at: number): readonly AddressRow[] {
    const [only] = urls
    if (only === undefined) return []
    if (urls.length === 1) return [selectAddress.get(only) ?? { id: add(only, at), hasAliases: 0, isChecked: 0 }]
    const list = JSON.stringify(urls)
    const existing = selectAddresses.all(list)
    if (existing.length === urls.length) return existing
    insertMissing.run(list, at)
    return selectAddresses.all(list)
  }

  return {
    find,
    findAddresses,
    ensure: (url, at) => find(url) ?? add(url, at),
    ensureAddresses,
  }
}

/** Limit per user, above any realistic number of podcasts. Protects the disk. */
export const TITLES_MAX = 10_000

/** SQL: the title of the podcast `p` for a user: from the feed, otherwise provisional. */
export function titleFor(user: string): string {
  return `COALESCE(NULLIF(pd.title, ''), ${provisionalTitleOf(user)})`
}

/** SQL: the user's provisional title of the podcast `p`. */
export function provisionalTitleOf(user: string): string {
  return `(SELECT pt.title FROM provisional_titles pt WHERE pt.user_id = ${user} AND pt.podcast_id = p.id)`
}

/** Stores titles of subscribed podcasts whose feeds have none, up to `TITLES_MAX`. Belongs inside a job. */
export function prepareKeepTitles(db: Database): (userId: UserId, titles: ProvisionalTitles | undefined) => void {
  // Titles of removed podcasts are kept until then, so that undoing the removal restores the title.
  const removeUnsubscribed = db.prepare<undefined, [UserId]>(
    `DELETE FROM provisional_titles WHERE user_id = +?1 AND NOT EXISTS
       (SELECT 1 FROM listeners l WHERE l.user_id = +?1 AND l.podcast_id = provisional_titles.podcast_id AND l.devices > 0)`,
  )
  const insert = db.prepare<undefined, [UserId, string]>(
    `INSERT INTO provisional_titles (user_id, podcast_id, title)
     SELECT ?1, p.id, j.value ->> 1
       FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
       CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = p.id AND l.devices > 0
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE IFNULL(pd.title, '') = ''
      LIMIT max(0, ${TITLES_MAX} - (SELECT COUNT(*) FROM provisional_titles WHERE user_id = +?1))
     ON CONFLICT (user_id, podcast_id) DO UPDATE SET title = excluded.title WHERE provisional_titles.title <> excluded.title`,
  )
  return (userId, titles) => {
    if (titles === undefined || titles.size === 0) return
    removeUnsubscribed.run(userId)
    insert.run(userId, JSON.stringify([...titles]))
  }
}

/** Copies a user's visible title from one address to another. Belongs inside a job. */
export function prepareCopyTitle(db: Database): (userId: UserId, from: string, to: string) => void {
  const copy = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO provisional_titles (user_id, podcast_id, title)
     SELECT ?1, n.id, ${titleFor('+?1')}
       FROM podcasts n LEFT JOIN podcast_details nd ON nd.podcast_id = n.id
       CROSS JOIN podcasts p ON p.url = +?2 LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE n.url = +?3 AND IFNULL(nd.title, '') = '' AND ${titleFor('+?1')} IS NOT NULL
     ON CONFLICT (user_id, podcast_id) DO NOTHING`,
  )
  return (userId, from, to) => void copy.run(userId, from, to)
}
