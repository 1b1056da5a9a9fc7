import type { Database } from 'bun:sqlite'
import type { PodcastObject } from '../../domain/podcast.ts'
import type { PodcastStore } from '../../domain/ports.ts'
import type { Snapshot } from './snapshot.ts'

export interface PodcastRow {
  readonly url: string
  readonly subscribers: number
}

/** Distinct active users with at least one device subscribed (protocol.md 3.1), for a query that names the podcast `p`. */
export const SUBSCRIBERS = `(SELECT COUNT(DISTINCT u.id)
   FROM subscriptions x JOIN devices d ON d.id = x.device_id JOIN users u ON u.id = d.user_id AND u.state = 'active'
  WHERE x.podcast_id = p.id AND x.subscribed = 1)`

export function toPodcastObject({ url, subscribers }: PodcastRow): PodcastObject {
  return {
    url,
    title: url,
    author: '',
    description: '',
    website: '',
    logoUrl: '',
    language: '',
    subscribers,
    subscribersLastWeek: subscribers,
  }
}

/** Makes sure there is a row for each of a JSON array of feed URLs. Belongs inside a unit of the write queue. */
export function prepareEnsurePodcasts(db: Database): (urls: string, at: number) => void {
  const insert = db.prepare<undefined, [string, number]>(
    'INSERT INTO podcasts (url, created_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT (url) DO NOTHING',
  )
  return (urls, at) => void insert.run(urls, at)
}

export function createPodcastStore(db: Database, snapshot: Snapshot): PodcastStore {
  const find = db.prepare<undefined, [string]>('SELECT 1 FROM podcasts WHERE url = ?1')
  return {
    async isKnown(url) {
      snapshot.use()
      return find.get(url) !== null
    },
  }
}
