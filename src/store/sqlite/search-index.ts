import type { Database } from 'bun:sqlite'
import { indexWords, isSpelled, wholeTitle } from '../../domain/search-words.ts'
import { fingerprintOf } from './fingerprint.ts'

/** A shorter word is never what a longer one was meant to be (misspellings.ts). */
const SPELLED_MIN = 4

/**
 * Rows of the search are numbered so that the podcasts with most subscribers come first, roughly, and a query can stop early: a common
 * word is in half of all podcasts. By powers of two, so that hardly ever one has to be given another number.
 */
const PODCAST_IDS = 2 ** 40
const MAGNITUDES = 40

/** The podcast of a row, in SQL. */
export const PODCAST_OF_DOCUMENT = `rowid % ${PODCAST_IDS}`

export function documentIdOf(podcastId: number, subscribers: number): number {
  const magnitude = subscribers === 0 ? 0 : 1 + Math.min(MAGNITUDES - 1, Math.floor(Math.log2(subscribers)))
  return (MAGNITUDES - magnitude) * PODCAST_IDS + podcastId
}

/** Plain text. */
export interface Searched {
  readonly title: string
  readonly author: string
  readonly tags: string
  readonly description: string
}

export interface SearchIndex {
  put(podcastId: number, documentId: number, searched: Searched): void
  remove(podcastId: number): void
}

/** Keeps the tables of the search; what has not changed is not written. Belongs inside a unit of the write queue. */
export function prepareSearchIndex(db: Database): SearchIndex {
  const find = db.prepare<{ documentId: number; fingerprint: string }, [number]>(
    'SELECT document_id AS documentId, fingerprint FROM search_documents WHERE podcast_id = ?1',
  )
  const note = db.prepare<undefined, [number, number, string]>(
    `INSERT INTO search_documents (podcast_id, document_id, fingerprint) VALUES (?1, ?2, ?3)
     ON CONFLICT (podcast_id) DO UPDATE SET document_id = excluded.document_id, fingerprint = excluded.fingerprint`,
  )
  const forget = db.prepare<undefined, [number]>('DELETE FROM search_documents WHERE podcast_id = ?1')
  const addNames = db.prepare<undefined, [number, string, string, string]>(
    'INSERT INTO search_names (rowid, title, author, tags) VALUES (?1, ?2, ?3, ?4)',
  )
  const addTexts = db.prepare<undefined, [number, string]>('INSERT INTO search_texts (rowid, words) VALUES (?1, ?2)')
  const removeNames = db.prepare<undefined, [number]>('DELETE FROM search_names WHERE rowid = ?1')
  const removeTexts = db.prepare<undefined, [number]>('DELETE FROM search_texts WHERE rowid = ?1')
  const learn = db.prepare<undefined, [string]>(
    'INSERT INTO search_words (word) SELECT value FROM json_each(?1) WHERE true ON CONFLICT (word) DO NOTHING',
  )

  function removeDocument(id: number): void {
    removeNames.run(id)
    removeTexts.run(id)
  }

  return {
    put(podcastId, documentId, { title, author, tags, description }) {
      const known = find.get(podcastId)
      const fingerprint = fingerprintOf([title, author, tags, description])
      if (known?.documentId === documentId && known.fingerprint === fingerprint) return
      if (known) removeDocument(known.documentId)
      const columns = [indexWords(title), indexWords(author), indexWords(tags)] as const
      const all = new Set([...columns[0], ...columns[1], ...columns[2], ...indexWords(description)])
      const [titleWords, authorWords, tagWords] = columns
      addNames.run(documentId, `${textOf(titleWords)} ${wholeTitle(title)}`, textOf(authorWords), textOf(tagWords))
      addTexts.run(documentId, textOf(all))
      learn.run(JSON.stringify([...all].filter((word) => word.length >= SPELLED_MIN && isSpelled(word))))
      note.run(podcastId, documentId, fingerprint)
    },
    remove(podcastId) {
      const known = find.get(podcastId)
      if (!known) return
      removeDocument(known.documentId)
      forget.run(podcastId)
    },
  }
}

function textOf(words: ReadonlySet<string>): string {
  return [...words].join(' ')
}
