import type { Database } from 'bun:sqlite'
import type { DirectoryUpkeep } from '../../domain/directory-ports.ts'
import { fold } from '../../domain/fold.ts'
import { plainText } from '../../domain/plain-text.ts'
import { isSecretUrl } from '../../domain/secret-url.ts'
import { EVERYTHING, prepareTagWriter, tagsOf } from './podcast-tags.ts'
import { documentIdOf, prepareSearchIndex } from './search-index.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

interface QueuedRow {
  readonly id: number
  readonly url: string
  readonly isSecret: number | null
  readonly isLocal: number
  readonly subscribers: number
  readonly title: string | null
  readonly author: string | null
  readonly description: string | null
  readonly tags: string | null
}

const SORT_KEY_LENGTH = 40
/** Characters of a description that are searched. */
const SEARCHED_LENGTH = 10_000
/** Places of the toplist that are remembered. */
const PLACES = 1000
const WEEK = 7

export function createDirectoryUpkeep(db: Database, snapshot: Snapshot, queue: WriteQueue): DirectoryUpkeep {
  const anyQueued = db.prepare<{ id: number }, []>('SELECT podcast_id AS id FROM directory_queue LIMIT 1')
  const queued = db.prepare<QueuedRow, [number]>(
    `SELECT p.id, p.url, p.is_secret AS isSecret, p.is_local AS isLocal, p.subscribers,
            pd.title, pd.author, pd.description, pd.tags
       FROM directory_queue q JOIN podcasts p ON p.id = q.podcast_id LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      ORDER BY q.podcast_id LIMIT ?1`,
  )
  const done = db.prepare<undefined, [number]>('DELETE FROM directory_queue WHERE podcast_id = ?1')
  const classify = db.prepare<undefined, [number, number]>('UPDATE podcasts SET is_secret = ?2 WHERE id = ?1')
  const write = prepareTagWriter(db)
  const index = prepareSearchIndex(db)

  const noteChanges = db.prepare<undefined, [number]>(
    `INSERT INTO subscriber_history (podcast_id, day, subscribers)
     SELECT p.id, ?1, p.subscribers FROM podcasts p
      WHERE p.subscribers <> IFNULL((SELECT h.subscribers FROM subscriber_history h WHERE h.podcast_id = p.id ORDER BY h.day DESC LIMIT 1), 0)
     ON CONFLICT (podcast_id, day) DO UPDATE SET subscribers = excluded.subscribers`,
  )
  const lookBack = db.prepare<undefined, [number]>(
    `UPDATE podcasts SET subscribers_last_week = h.subscribers
       FROM (SELECT podcast_id, subscribers, MAX(day) FROM subscriber_history WHERE day <= ?1 GROUP BY podcast_id) h
      WHERE h.podcast_id = podcasts.id AND podcasts.subscribers_last_week IS NOT h.subscribers`,
  )
  const forgetOld = db.prepare<undefined, [number]>(
    `DELETE FROM subscriber_history WHERE day < ?1
        AND EXISTS (SELECT 1 FROM subscriber_history later
                     WHERE later.podcast_id = subscriber_history.podcast_id AND later.day > subscriber_history.day AND later.day <= ?1)`,
  )
  const rank = db.prepare<undefined, []>(
    `WITH ranked AS MATERIALIZED
       (SELECT t.podcast_id AS id, ROW_NUMBER() OVER (ORDER BY p.subscribers_last_week DESC, t.sort_key, t.podcast_id) AS place
          FROM podcast_tags t JOIN podcasts p ON p.id = t.podcast_id
         WHERE t.tag_id = ${EVERYTHING} AND t.is_listed = 1 AND p.subscribers_last_week > 0
         ORDER BY place LIMIT ${PLACES}),
     moved AS
       (SELECT id, place FROM ranked
         UNION ALL SELECT id, 0 FROM podcasts WHERE position_last_week > 0 AND id NOT IN (SELECT id FROM ranked))
     UPDATE podcasts SET position_last_week = moved.place
       FROM moved WHERE moved.id = podcasts.id AND podcasts.position_last_week <> moved.place`,
  )

  const strangers = db.prepare<{ id: number }, [number, number, number]>(
    `SELECT p.id FROM podcasts p
      WHERE p.is_local = 0 AND NOT EXISTS (SELECT 1 FROM episodes e JOIN episode_actions a ON a.episode_id = e.id WHERE e.podcast_id = p.id)
        AND (p.created_at < ?1
             OR p.id IN (SELECT id FROM podcasts WHERE is_local = 0 ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?2))
      ORDER BY p.created_at LIMIT ?3`,
  )
  const removeEpisodes = db.prepare<undefined, [number]>('DELETE FROM episodes WHERE podcast_id = ?1')
  const removePodcast = db.prepare<undefined, [number]>('DELETE FROM podcasts WHERE id = ?1')

  const someWords = db.prepare<{ word: string }, [string, number]>(
    'SELECT word FROM search_words WHERE word > ?1 ORDER BY word LIMIT ?2',
  )
  const isUsed = db.prepare<{ rowid: number }, [string]>(
    'SELECT rowid FROM search_texts WHERE search_texts MATCH ?1 LIMIT 1',
  )
  const forgetWord = db.prepare<undefined, [string]>('DELETE FROM search_words WHERE word = ?1')

  function takeIn(row: QueuedRow): void {
    done.run(row.id)
    if (row.isSecret === null) classify.run(row.id, Number(isSecretUrl(row.url)))
    if (!row.isLocal) {
      write.none(row.id)
      index.remove(row.id)
      return
    }
    const title = row.title || row.url
    const tags = tagsOf(row.tags)
    write.some(row.id, tags, fold(title).slice(0, SORT_KEY_LENGTH))
    index.put(row.id, documentIdOf(row.id, row.subscribers), {
      // Of a feed nobody has fetched yet, where it is: without what all addresses have, and without a query that is nobody's business.
      title: row.title || row.url.replace(/^https?:\/\//, '').replace(/[?#].*$/, ''),
      author: row.author ?? '',
      tags: [...tags.values()].join(' '),
      description: plainText(row.description ?? '').slice(0, SEARCHED_LENGTH),
    })
  }

  return {
    async isBehind() {
      snapshot.use()
      return anyQueued.get() !== null
    },

    catchUp: (limit) =>
      queue.run(() => {
        const rows = queued.all(limit)
        for (const row of rows) takeIn(row)
        return rows.length
      }),

    turnDay: (day) =>
      queue.run(() => {
        noteChanges.run(day)
        lookBack.run(day - WEEK)
        forgetOld.run(day - WEEK)
        rank.run()
      }),

    removeStrangers: (madeBefore, keep, limit) =>
      queue.run(() => {
        const rows = strangers.all(madeBefore, keep, limit)
        for (const { id } of rows) {
          removeEpisodes.run(id)
          removePodcast.run(id)
        }
        return rows.length
      }),

    forgetWords: (from, limit) =>
      queue.run(() => {
        const words = someWords.all(from, limit)
        for (const { word } of words) if (isUsed.get(`"${word}"`) === null) forgetWord.run(word)
        return words.at(-1)?.word ?? ''
      }),
  }
}
