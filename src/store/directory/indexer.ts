import type { IndexStore } from '../../domain/directory/ports/directory.ts'
import { isSecretUrl } from '../../domain/directory/privacy.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import { fold } from '../../domain/shared/text.ts'
import { htmlToText } from '../../platform/html-text.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import type { AddressEdges } from '../feeds/address-edges.ts'
import { orderedBy } from '../shared/sql.ts'
import { PODCAST_DETAILS } from '../sync/podcast-rows.ts'
import { BY_TITLE, EVERYTHING, IS_ALIVE, prepareTagWriter, tagsOf } from './podcast-tags.ts'
import { preparePrivacy } from './privacy.ts'
import { prepareEpisodeIndex } from './search/episode-index.ts'
import { documentIdOf, prepareSearchIndex, type SearchChange } from './search/search-index.ts'
import { matchesTerms, matchKnown, type Searched } from './search/search-terms.ts'

interface ChangedRow {
  readonly id: PodcastId
  readonly url: string | null
  readonly isSecret: number | null
  readonly wasLocal: number
  readonly isLocal: number
  readonly subscribedBefore: number
  readonly subscribers: number
  readonly isOther: number
  readonly title: string | null
  readonly author: string | null
  readonly description: string | null
  readonly tags: string | null
}

const SORT_KEY_LENGTH = 40
const SEARCHED_LENGTH = 10_000
const PLACES = 1000
const WEEK = 7
/** Podcasts with fewer subscribers cannot be among them. Most have few, and need not be sorted. */
const LEAST_OF_TOP = `max(1, IFNULL((SELECT subscribers_last_week FROM podcasts
  WHERE is_local = 1 AND is_private = 0 ORDER BY subscribers_last_week DESC NULLS LAST LIMIT 1 OFFSET ${PLACES - 1}), 1))`
const AT_ANY_TIME = Number.MAX_SAFE_INTEGER
/** Podcasts and episodes removed per transaction, which takes a few milliseconds even on a slow SD card. */
const ORPHANED = 10
const ORPHANED_EPISODES = 200

export function createIndexStore(
  db: Database,
  snapshot: Snapshot,
  queue: WriteQueue,
  edges: Pick<AddressEdges, 'forget'>,
): IndexStore {
  const anyChange = db.prepare<{ id: number }, []>('SELECT podcast_id AS id FROM directory_changes LIMIT 1')
  const changed = db.prepare<ChangedRow, [number]>(
    orderedBy(
      'c.podcast_id',
      `SELECT c.podcast_id AS id, p.url, p.is_secret AS isSecret, p.is_local AS wasLocal,
              EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = c.podcast_id) AS isLocal,
              p.subscribers AS subscribedBefore, p.subscribers + c.sum AS subscribers, c.is_other AS isOther,
              pd.title, pd.author, pd.description, pd.tags
         FROM (SELECT q.podcast_id, CAST(SUM(q.subscribers) AS INTEGER) AS sum, MAX(CASE WHEN q.subscribers = 0 THEN 1 ELSE 0 END) AS is_other FROM directory_changes q
                GROUP BY q.podcast_id ORDER BY q.podcast_id LIMIT ?1) c
         LEFT JOIN podcasts p ON p.id = c.podcast_id LEFT JOIN podcast_details pd ON pd.podcast_id = p.id`,
    ),
  )
  const done = db.prepare<undefined, [number]>('DELETE FROM directory_changes WHERE podcast_id = ?1')
  const enqueue = db.prepare<undefined, [number]>(
    `INSERT INTO directory_changes (podcast_id, user_id, subscribers) VALUES (?1, 0, 0)
     ON CONFLICT (podcast_id, user_id) DO NOTHING`,
  )
  const setCounts = db.prepare<undefined, [PodcastId, number, number]>(
    'UPDATE podcasts SET subscribers = ?2, is_local = ?3 WHERE id = ?1',
  )
  const classify = db.prepare<undefined, [number, number]>('UPDATE podcasts SET is_secret = ?2 WHERE id = ?1')
  const classified = db.prepare<{ id: PodcastId; url: string; isSecret: number }, [number, number]>(
    'SELECT id, url, is_secret AS isSecret FROM podcasts WHERE id > ?1 AND is_secret IS NOT NULL ORDER BY id LIMIT ?2',
  )
  const version = db.prepare<{ version: number }, []>(`SELECT version FROM upkeep WHERE task = 'secret_rules'`)
  const saveVersion = db.prepare<undefined, [number]>(
    `INSERT INTO upkeep (task, version) VALUES ('secret_rules', ?1) ON CONFLICT (task) DO UPDATE SET version = excluded.version`,
  )
  const isPrivate = preparePrivacy(db)
  const setPrivate = db.prepare<undefined, [PodcastId, number]>(
    'UPDATE podcasts SET is_private = ?2 WHERE id = ?1 AND is_private <> ?2',
  )
  const write = prepareTagWriter(db)
  const search = prepareSearchIndex(db)

  // A clock that was ahead may have recorded future days.
  const removeFuture = db.prepare<undefined, [number]>('DELETE FROM subscriber_history WHERE day > ?1')
  const recordChanges = db.prepare<undefined, [number]>(
    `INSERT INTO subscriber_history (podcast_id, day, subscribers)
     SELECT p.id, ?1, p.subscribers FROM podcasts p
      WHERE p.subscribers <> IFNULL((SELECT h.subscribers FROM subscriber_history h WHERE h.podcast_id = p.id ORDER BY h.day DESC LIMIT 1), 0)
     ON CONFLICT (podcast_id, day) DO UPDATE SET subscribers = excluded.subscribers`,
  )
  const sqlForLastWeek = (latest: string) =>
    `UPDATE podcasts SET subscribers_last_week = h.subscribers FROM (${latest}) h
      WHERE h.podcast_id = podcasts.id AND podcasts.subscribers_last_week IS NOT h.subscribers`
  const updateLastWeek = db.prepare<undefined, [number]>({
    sqlite: sqlForLastWeek(
      'SELECT podcast_id, subscribers, MAX(day) FROM subscriber_history WHERE day <= ?1 GROUP BY podcast_id',
    ),
    postgres: sqlForLastWeek(
      'SELECT DISTINCT ON (podcast_id) podcast_id, subscribers FROM subscriber_history WHERE day <= ?1 ORDER BY podcast_id, day DESC',
    ),
  })
  const removeOld = db.prepare<undefined, [number]>(
    `DELETE FROM subscriber_history WHERE day < ?1
        AND EXISTS (SELECT 1 FROM subscriber_history later
                     WHERE later.podcast_id = subscriber_history.podcast_id AND later.day > subscriber_history.day AND later.day <= ?1)`,
  )
  const top = db.prepare<{ id: number }, []>(
    `SELECT t.podcast_id AS id FROM podcast_tags t JOIN podcasts p ON p.id = t.podcast_id ${PODCAST_DETAILS}
      WHERE t.tag_id = ${EVERYTHING} AND t.is_listed = 1 AND ${IS_ALIVE} AND p.subscribers_last_week >= ${LEAST_OF_TOP}
      ORDER BY p.subscribers_last_week DESC NULLS LAST, ${BY_TITLE} LIMIT ${PLACES}`,
  )
  const updatePositions = db.prepare<undefined, [string]>(
    `WITH moved AS MATERIALIZED
       (SELECT CAST(value AS INTEGER) AS id, key + 1 AS place FROM json_each(?1)
         UNION ALL SELECT id, 0 FROM podcasts WHERE position_last_week > 0 AND id NOT IN (SELECT CAST(value AS INTEGER) FROM json_each(?1)))
     UPDATE podcasts SET position_last_week = moved.place
       FROM moved WHERE moved.id = podcasts.id AND podcasts.position_last_week <> moved.place`,
  )

  const countOrphaned = db.prepare<{ count: number }, []>('SELECT COUNT(*) AS count FROM podcasts WHERE is_local = 0')
  const orphaned = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT p.id FROM podcasts p
      WHERE p.is_local = 0 AND p.created_at < ?1
        AND (p.has_aliases = 0 OR NOT EXISTS (SELECT 1 FROM address_relations r CROSS JOIN podcasts o ON o.id = r.other_id
                                               WHERE r.podcast_id = p.id AND o.is_local = 1))
        AND NOT EXISTS (SELECT 1 FROM directory_changes q WHERE q.podcast_id = p.id)
        AND NOT EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = p.id)
        AND NOT EXISTS (SELECT 1 FROM episodes e JOIN user_episodes ue ON ue.episode_id = e.id WHERE e.podcast_id = p.id)
        AND NOT EXISTS (SELECT 1 FROM episodes e JOIN queue_items i ON i.episode_id = e.id WHERE e.podcast_id = p.id)
      ORDER BY p.created_at, p.id LIMIT ?2`,
  )
  // A podcast that has lost a part of its episodes is forgotten altogether, so that the next lookup fetches all.
  const removeDetails = db.prepare<undefined, [number]>('DELETE FROM podcast_details WHERE podcast_id = ?1')
  const clearAnswer = db.prepare<undefined, [number]>(
    'UPDATE podcasts SET etag = NULL, last_modified = NULL, body_hash = NULL WHERE id = ?1',
  )
  const removeEpisodes = db.prepare<undefined, [number, number]>(
    'DELETE FROM episodes WHERE id IN (SELECT id FROM episodes WHERE podcast_id = ?1 LIMIT ?2)',
  )
  const removePodcast = db.prepare<undefined, [number]>('DELETE FROM podcasts WHERE id = ?1')

  const episodes = prepareEpisodeIndex(db)
  const pruneWords = prepareVocabularyPruning(db, 'search_words', 'search_terms')
  const pruneEpisodeWords = prepareVocabularyPruning(db, 'episode_words', 'episode_titles')

  /** Indexes all but the search, and returns what changes there; undefined if nothing does. */
  function index(row: ChangedRow): SearchChange | undefined {
    const { id, url, isLocal, subscribers } = row
    done.run(id)
    if (url === null) return undefined
    if (subscribers !== row.subscribedBefore || isLocal !== row.wasLocal) setCounts.run(id, subscribers, isLocal)
    if (row.isSecret === null) classify.run(id, Number(isSecretUrl(url)))
    setPrivate.run(id, Number(isPrivate(id)))
    const documentId = documentIdOf(id, subscribers)
    const isSame = row.isOther === 0 && isLocal === row.wasLocal && row.isSecret !== null
    if (isSame && documentId === documentIdOf(id, row.subscribedBefore)) {
      write.refresh(id)
      return undefined
    }
    if (!isLocal) {
      write.clear(id)
      return { podcastId: id, documentId, searched: undefined }
    }
    const tags = tagsOf(row.tags)
    write.set(id, tags, fold(row.title || url).slice(0, SORT_KEY_LENGTH))
    return { podcastId: id, documentId, searched: searchedOf({ ...row, url }, tags) }
  }

  function removeSome(podcasts: readonly { readonly id: PodcastId }[]): number {
    let episodes = ORPHANED_EPISODES
    for (const [index, { id }] of podcasts.entries()) {
      removeDetails.run(id)
      clearAnswer.run(id)
      episodes -= removeEpisodes.run(id, episodes).changes
      if (episodes === 0) return index
      edges.forget(id)
      write.clear(id)
      removePodcast.run(id)
    }
    return podcasts.length
  }

  return {
    hasPending: () => snapshot.read(() => anyChange.get() !== null),

    indexBatch: (limit) =>
      queue.runDeferred('server', () => {
        const rows = changed.all(limit)
        search(db.each(rows, index).flatMap((change) => change ?? []))
        return rows.length
      }),

    classifierVersion: () => snapshot.read(() => version.get()?.version),

    saveClassifierVersion: (version) => queue.run('server', () => void saveVersion.run(version)),

    reclassify: (after, limit) =>
      queue.runDeferred('server', () => {
        const rows = classified.all(after, limit)
        for (const { id, url, isSecret } of rows) {
          const now = Number(isSecretUrl(url))
          if (now === isSecret) continue
          classify.run(id, now)
          setPrivate.run(id, 1)
          enqueue.run(id)
        }
        return rows.at(-1)?.id
      }),

    recordDailyStats: (day) =>
      queue.run('server', () => {
        removeFuture.run(day)
        recordChanges.run(day)
        updateLastWeek.run(day - WEEK)
        removeOld.run(day - WEEK)
        updatePositions.run(JSON.stringify(top.all().map(({ id }) => id)))
      }),

    removeOrphaned: (madeBefore, keep) =>
      queue.runDeferred('server', () => {
        const beyond = (countOrphaned.get()?.count ?? 0) - keep
        const rows = orphaned.all(
          beyond > 0 ? AT_ANY_TIME : madeBefore,
          beyond > 0 ? Math.min(beyond, ORPHANED) : ORPHANED,
        )
        return rows.length === 0 ? undefined : removeSome(rows)
      }),

    hasPendingEpisodes: () => snapshot.read(episodes.hasPending),

    indexEpisodes: (limit) => queue.runDeferred('server', () => episodes.indexBatch(limit)),

    pruneVocabulary: (from, limit) => queue.run('server', () => pruneWords(from, limit)),

    pruneEpisodeVocabulary: (from, limit) => queue.run('server', () => pruneEpisodeWords(from, limit)),
  }
}

function prepareVocabularyPruning(
  db: Database,
  words: 'search_words' | 'episode_words',
  terms: 'search_terms' | 'episode_titles',
): (from: string, limit: number) => string {
  const selectWords = db.prepare<{ word: string }, [string, number]>(
    `SELECT word FROM ${words} WHERE word > ?1 ORDER BY word LIMIT ?2`,
  )
  const isUsed = db.prepare<{ one: number }, [string]>({
    sqlite: `SELECT 1 AS one FROM ${terms} WHERE ${terms} MATCH ?1 LIMIT 1`,
    postgres: `SELECT 1 AS one FROM ${terms} WHERE ${matchesTerms('terms', '?1')} LIMIT 1`,
  })
  const remove = db.prepare<undefined, [string]>(`DELETE FROM ${words} WHERE word = ?1`)
  return (from, limit) => {
    const found = selectWords.all(from, limit)
    for (const { word } of found) if (isUsed.get(matchKnown(word)) === null) remove.run(word)
    return found.at(-1)?.word ?? ''
  }
}

function searchedOf(
  { url, title, author, description }: Pick<ChangedRow, 'title' | 'author' | 'description'> & { readonly url: string },
  tags: ReadonlyMap<string, string>,
): Searched {
  return {
    // An unfetched feed is found by its address without the scheme, which all share, and without the query, which may
    // contain secrets.
    title: title || url.replace(/^https?:\/\//, '').replace(/[?#].*$/, ''),
    author: author ?? '',
    tags: [...tags.values()].join(' '),
    description: htmlToText(description ?? '').slice(0, SEARCHED_LENGTH),
  }
}
