import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type {
  ExportStore,
  FeedChange,
  StoredFavorite,
  StoredList,
  StoredQueued,
  StoredSettings,
  StoredTitle,
} from '../../domain/sync/ports/export.ts'
import type { Database, Snapshot } from '../engine.ts'
import { pages } from '../shared/pages.ts'
import { CHAPTER_COLUMNS, type ChapterRow, toChapter } from './app-data/chapters.ts'
import { PODCAST_DETAILS, titleFor } from './podcast-rows.ts'

type FeedRow = FeedChange & { readonly id: number }
interface ReplacedRow {
  readonly id: number
  readonly url: string
}
type TitleRow = StoredTitle & { readonly id: number }
type TargetChapterRow = ChapterRow & { readonly target: string }
type ListRow = Omit<StoredList, 'urls'> & { readonly urls: string }

/** `id` breaks ties: a row number on SQLite, the target on PostgreSQL. */
type FavoriteRow = StoredFavorite & { readonly id: number | string }

interface WebhookRow {
  readonly url: string
  readonly format: string
  readonly events: string
}

const ROWS_AT_ONCE = 1000
const SETTINGS_AT_ONCE = 50
const LISTS_AT_ONCE = 1

export function createExportStore(db: Database, snapshot: Snapshot): ExportStore {
  const createdAt = db.prepare<{ at: number }, [UserId]>('SELECT created_at AS at FROM users WHERE id = ?1')
  const nextFeeds = db.prepare<FeedRow, [UserId, string, number, number, number]>(
    `SELECT s.podcast_id AS id, p.url, s.seq
       FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id CROSS JOIN podcasts p ON p.id = s.podcast_id
      WHERE d.user_id = +?1 AND d.uid = +?2 AND s.subscribed = +?3 AND (s.seq, s.podcast_id) > (?4, ?5)
      ORDER BY s.seq, s.podcast_id LIMIT ${ROWS_AT_ONCE}`,
  )
  const nextReplaced = db.prepare<ReplacedRow, [UserId, string, number]>(
    `SELECT a.podcast_id AS id, p.url
       FROM devices d CROSS JOIN replaced_addresses a ON a.device_id = d.id CROSS JOIN podcasts p ON p.id = a.podcast_id
      WHERE d.user_id = +?1 AND d.uid = +?2 AND a.podcast_id > ?3 ORDER BY a.podcast_id LIMIT ${ROWS_AT_ONCE}`,
  )
  const nextSettings = db.prepare<StoredSettings, [UserId, string, string]>(
    `SELECT scope, target, value FROM settings
      WHERE user_id = ?1 AND (scope, target) > (?2, ?3) ORDER BY scope, target LIMIT ${SETTINGS_AT_ONCE}`,
  )
  const nextFavorites = db.prepare<FavoriteRow, [UserId, number, number | string]>({
    sqlite: `SELECT rowid AS id, target, favorite_at AS at FROM settings
              WHERE user_id = +?1 AND favorite_at IS NOT NULL AND (favorite_at, rowid) < (?2, ?3)
              ORDER BY favorite_at DESC, rowid DESC LIMIT ${ROWS_AT_ONCE}`,
    postgres: `SELECT target AS id, target, favorite_at AS at FROM settings
                WHERE user_id = ?1 AND favorite_at IS NOT NULL AND (favorite_at, target) < (?2, CAST(?3 AS TEXT))
                ORDER BY favorite_at DESC, target DESC LIMIT ${ROWS_AT_ONCE}`,
  })
  const foldersWith = (podcasts: string) =>
    `SELECT f.name, (SELECT ${podcasts} FROM folder_podcasts c
              CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = c.podcast_id
              CROSS JOIN podcasts p ON p.id = c.podcast_id WHERE c.folder_id = f.id) AS podcasts
       FROM folders f WHERE f.user_id = +?1 ORDER BY f.key`
  const folders = db.prepare<{ name: string; podcasts: string }, [UserId]>({
    sqlite: foldersWith('json_group_array(p.url)'),
    postgres: foldersWith('json_group_array(p.url ORDER BY p.id)'),
  })
  const queued = db.prepare<StoredQueued, [UserId]>(
    `SELECT p.url AS podcast, e.url AS episode
       FROM queue_items q CROSS JOIN episodes e ON e.id = q.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
      WHERE q.user_id = +?1 ORDER BY q.position`,
  )
  const nextTitles = db.prepare<TitleRow, [UserId, number]>(
    `SELECT t.podcast_id AS id, p.url AS podcast, t.title FROM provisional_titles t CROSS JOIN podcasts p ON p.id = t.podcast_id
      WHERE t.user_id = ?1 AND t.podcast_id > ?2 AND EXISTS
        (SELECT 1 FROM devices d CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = t.podcast_id WHERE d.user_id = ?1)
      ORDER BY t.podcast_id LIMIT ${ROWS_AT_ONCE}`,
  )
  const nextLists = db.prepare<ListRow, [UserId, string]>(
    `SELECT name, title, urls FROM podcast_lists WHERE user_id = ?1 AND name > ?2 ORDER BY name LIMIT ${LISTS_AT_ONCE}`,
  )
  const nextChapters = db.prepare<TargetChapterRow, [UserId, string, number, number]>(
    `SELECT target, ${CHAPTER_COLUMNS} FROM chapters
      WHERE user_id = ?1 AND (target, starts_at, ends_at) > (?2, ?3, ?4) ORDER BY target, starts_at, ends_at LIMIT ${ROWS_AT_ONCE}`,
  )
  const webhook = db.prepare<WebhookRow, [UserId]>({
    sqlite: `SELECT w.url, w.format, (SELECT json_group_array(j.key) FROM json_each(json_object('new_episode', tells_episodes,
                      'new_device', tells_devices, 'feed_failing', tells_failures)) j WHERE j.value = 1) AS events
               FROM webhooks w WHERE w.user_id = ?1`,
    postgres: `SELECT w.url, w.format, (SELECT json_group_array(e.event) FROM (VALUES ('new_episode', w.tells_episodes),
                        ('new_device', w.tells_devices), ('feed_failing', w.tells_failures)) AS e (event, is_told)
                        WHERE e.is_told = 1) AS events
                 FROM webhooks w WHERE w.user_id = ?1`,
  })

  const titles = db.prepare<{ readonly podcast: string | null; readonly episode: string | null }, [UserId, string]>(
    `SELECT ${titleFor('+?1')} AS podcast, ed.title AS episode
       FROM json_each(?2) j LEFT JOIN podcasts p ON p.url = j.value ->> 0 ${PODCAST_DETAILS}
       LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1
       LEFT JOIN episode_details ed ON ed.episode_id = e.id
      ORDER BY j.key`,
  )

  return {
    createdAt: (userId) =>
      snapshot.read(() => {
        const row = createdAt.get(userId)
        if (!row) throw new DomainError('unauthorized', 'the account no longer exists')
        return row.at
      }),

    feeds: (userId, uid, isSubscribed) =>
      pages(snapshot, ROWS_AT_ONCE, (last?: FeedRow) =>
        nextFeeds.all(userId, uid, Number(isSubscribed), last?.seq ?? -1, last?.id ?? -1),
      ),
    async *replacedAddresses(userId, uid) {
      const read = (last?: ReplacedRow) => nextReplaced.all(userId, uid, last?.id ?? -1)
      for await (const page of pages(snapshot, ROWS_AT_ONCE, read)) yield page.map(({ url }) => url)
    },
    titlesOf: (userId, episodes) =>
      snapshot.read(() => {
        const pairs = JSON.stringify(episodes.map(({ podcast, episode }) => [podcast, episode]))
        return titles.all(userId, pairs).map((row) => ({ podcast: row.podcast ?? '', episode: row.episode ?? '' }))
      }),
    settings: (userId) =>
      pages(snapshot, SETTINGS_AT_ONCE, (last?: StoredSettings) =>
        nextSettings.all(userId, last?.scope ?? '', last?.target ?? ''),
      ),
    favorites: (userId) =>
      pages(snapshot, ROWS_AT_ONCE, (last?: FavoriteRow) =>
        nextFavorites.all(userId, last?.at ?? Number.MAX_SAFE_INTEGER, last?.id ?? 0),
      ),
    folders: (userId) =>
      snapshot.read(() => folders.all(userId).map(({ name, podcasts }) => ({ name, podcasts: JSON.parse(podcasts) }))),
    queue: (userId) => snapshot.read(() => queued.all(userId)),
    async *lists(userId) {
      const read = (last?: ListRow) => nextLists.all(userId, last?.name ?? '')
      for await (const rows of pages(snapshot, LISTS_AT_ONCE, read))
        yield rows.map((row) => ({ ...row, urls: row.urls === '' ? [] : row.urls.split('\n') }))
    },
    async *chapters(userId) {
      const read = (last?: TargetChapterRow) =>
        nextChapters.all(userId, last?.target ?? '', last?.start ?? 0, last?.end ?? 0)
      for await (const rows of pages(snapshot, ROWS_AT_ONCE, read)) yield rows.map(toChapter)
    },
    webhook: (userId) =>
      snapshot.read(() => {
        const row = webhook.get(userId)
        return row ? { origin: new URL(row.url).origin, format: row.format, events: JSON.parse(row.events) } : undefined
      }),
    titles: (userId) => pages(snapshot, ROWS_AT_ONCE, (last?: TitleRow) => nextTitles.all(userId, last?.id ?? -1)),
  }
}
