import type { Database } from 'bun:sqlite'
import type { PodcastObject } from '../../../domain/shared/podcast.ts'
import { htmlToText } from '../../../platform/html-text.ts'
import { titleFor } from './provisional-titles.ts'

export interface PodcastRow {
  readonly url: string
  /** Distinct active users with at least one device subscribed (docs/protocol.md#podcast-object). */
  readonly subscribers: number
  readonly subscribersLastWeek: number
  /** Missing, like all the rest, until the feed has been fetched. */
  readonly title: string | null
  readonly author: string | null
  readonly description: string | null
  readonly website: string | null
  readonly logoUrl: string | null
  readonly language: string | null
}

/** The columns of a `PodcastRow`, for a query that names the podcast `p` and joins `PODCAST_DETAILS`. */
export const PODCAST_COLUMNS = podcastColumns('pd.title')

/** The same for the lists of one user, whom the SQL expression names: with the titles they brought along. */
export function podcastColumnsFor(user: string): string {
  return podcastColumns(`${titleFor(user)} AS title`)
}

function podcastColumns(title: string): string {
  return `p.url, p.subscribers, IFNULL(p.subscribers_last_week, p.subscribers) AS subscribersLastWeek,
  ${title}, pd.author, pd.description, pd.website, pd.logo_url AS logoUrl, pd.language`
}

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

/** Makes sure there is a row for each of a JSON array of feed URLs. Belongs inside a unit of the write queue. */
export function prepareEnsurePodcasts(db: Database): (urls: string, at: number) => void {
  const insert = db.prepare<undefined, [string, number]>(
    'INSERT INTO podcasts (url, created_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT (url) DO NOTHING',
  )
  return (urls, at) => void insert.run(urls, at)
}
