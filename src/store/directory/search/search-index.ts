import { hash } from 'node:crypto'
import { isSpelled } from '../../../domain/directory/words.ts'
import type { Database } from '../../engine.ts'
import { type Searched, termsOf } from './search-terms.ts'
import { VOCABULARY_WORD_MIN } from './vocabulary.ts'

/** Row numbers put the most subscribed podcasts first, by powers of two so that they rarely change. */
const PODCAST_IDS = 2 ** 40
const MAGNITUDES = 40

/** SQL: the podcast of a document. */
export const podcastOfDocument = (id: string) => `${id} % ${PODCAST_IDS}`

export function documentIdOf(podcastId: number, subscribers: number): number {
  const magnitude = subscribers === 0 ? 0 : 1 + Math.min(MAGNITUDES - 1, Math.floor(Math.log2(subscribers)))
  return (MAGNITUDES - magnitude) * PODCAST_IDS + podcastId
}

export interface SearchChange {
  readonly podcastId: number
  readonly documentId: number
  readonly searched: Searched | undefined
}

/** Rows of a full-text index, whose terms are separated by spaces. */
export function prepareTerms(db: Database, table: 'search_terms' | 'episode_titles' | 'episode_notes') {
  return {
    add: db.prepare<undefined, [number, string]>({
      sqlite: `INSERT INTO ${table} (rowid, terms) VALUES (?1, ?2)`,
      postgres: `INSERT INTO ${table} (document_id, terms) VALUES (?1, array_to_tsvector(string_to_array(?2, ' ')))`,
    }),
    drop: db.prepare<undefined, [number]>({
      sqlite: `DELETE FROM ${table} WHERE rowid = ?1`,
      postgres: `DELETE FROM ${table} WHERE document_id = ?1`,
    }),
  }
}

/** Updates the search index, skipping unchanged documents. Belongs inside a job. */
export function prepareSearchIndex(db: Database): (changes: readonly SearchChange[]) => void {
  const find = db.prepare<{ documentId: number; fingerprint: string }, [number]>(
    'SELECT document_id AS documentId, fingerprint FROM search_documents WHERE podcast_id = ?1',
  )
  const note = db.prepare<undefined, [number, number, string]>(
    `INSERT INTO search_documents (podcast_id, document_id, fingerprint) VALUES (?1, ?2, ?3)
     ON CONFLICT (podcast_id) DO UPDATE SET document_id = excluded.document_id, fingerprint = excluded.fingerprint`,
  )
  const forget = db.prepare<undefined, [number]>('DELETE FROM search_documents WHERE podcast_id = ?1')
  const { add, drop } = prepareTerms(db, 'search_terms')
  const learn = db.prepare<undefined, [string]>(
    'INSERT INTO search_words (word) SELECT value FROM json_each(?1) WHERE true ON CONFLICT (word) DO NOTHING',
  )

  return (changes) => {
    const dropped: number[] = []
    const added: [number, string][] = []
    const learned = new Set<string>()
    const before = db.together(
      changes.map(
        ({ podcastId }) =>
          () =>
            find.get(podcastId),
      ),
    )
    for (const [n, { podcastId, documentId, searched }] of changes.entries()) {
      const existing = before[n]
      const fingerprint =
        searched && fingerprintOf([searched.title, searched.author, searched.tags, searched.description])
      if (existing?.fingerprint === fingerprint && (!existing || existing.documentId === documentId)) continue
      if (existing) dropped.push(existing.documentId)
      if (searched === undefined || fingerprint === undefined) {
        forget.run(podcastId)
        continue
      }
      const { terms, words } = termsOf(searched)
      added.push([documentId, terms])
      for (const word of words) if (word.length >= VOCABULARY_WORD_MIN && isSpelled(word)) learned.add(word)
      note.run(podcastId, documentId, fingerprint)
    }
    // In order, since neighbouring words are on the same pages.
    if (learned.size > 0) learn.run(JSON.stringify([...learned].sort(byText)))
    // At the end and in order: other writes, or a lower row number, make FTS5 flush its buffer, and one large segment
    // is several times cheaper than many small ones.
    for (const id of dropped.sort(ascending)) drop.run(id)
    for (const [id, terms] of added.sort(([a], [b]) => ascending(a, b))) add.run(id, terms)
  }
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

function ascending(a: number, b: number): number {
  return a - b
}

function fingerprintOf(values: readonly unknown[]): string {
  return hash('sha1', JSON.stringify(values), 'base64')
}
