import { indexWords, isSpelled } from '../../../domain/directory/words.ts'
import { htmlToText } from '../../../platform/html-text.ts'
import type { Database } from '../../engine.ts'
import { byText, prepareTerms } from './search-index.ts'
import { VOCABULARY_WORD_MIN } from './vocabulary.ts'

/** Indexed characters of the notes. Advertisements and links are at the end. */
const NOTES_LENGTH = 1000
/** Characters of HTML that are read for the notes. */
const HTML_LENGTH = 6 * NOTES_LENGTH

/*
 * Row numbers consist of the period (a third of a year, newest first), the podcast, and the day (newest first) with
 * room for four episodes. Episodes of a podcast are adjacent, so the differences of their numbers take one byte each,
 * and a query that stops early has still read the newest ones.
 */
const SLOTS_A_DAY = 4
const DAYS = 128
const SLOTS = SLOTS_A_DAY * DAYS
const PODCASTS = 2 ** 34
const PERIODS = 2 ** 9
const DAY = 24 * 3600
const SLOT_BITS = Math.log2(SLOTS)
const PERIOD_BITS = SLOT_BITS + Math.log2(PODCASTS)

/** SQL: parts of a row number. The values of `timeOfDocument` ascend from new to old. */
export const podcastOfDocument = (id: string) => `((${id} >> ${SLOT_BITS}) & ${PODCASTS - 1})`
export const timeOfDocument = (id: string) => `((${id} >> ${PERIOD_BITS}) << ${SLOT_BITS} | (${id} & ${SLOTS - 1}))`

/** Returns the period of a `timeOfDocument`. */
export const periodOf = (time: number) => Math.floor(time / SLOTS)

/** Returns the first row number for the day of the episode. Undated episodes are the oldest. */
export function firstDocumentId(podcastId: number, released: number | null): number {
  const day = Math.min(PERIODS * DAYS - 1, Math.max(0, Math.floor((released ?? 0) / DAY)))
  const age = PERIODS * DAYS - 1 - day
  return Math.floor(age / DAYS) * 2 ** PERIOD_BITS + podcastId * SLOTS + (age % DAYS) * SLOTS_A_DAY
}

interface ChangedRow {
  readonly id: number
  readonly documentId: number | null
  /** Null if the feed no longer has the episode. */
  readonly podcastId: number | null
  readonly title: string | null
  readonly description: string | null
  readonly released: number | null
}

/** Updates the index of episodes in batches. Both functions belong inside a job. */
export function prepareEpisodeIndex(db: Database) {
  const any = db.prepare<{ id: number }, []>('SELECT episode_id AS id FROM episode_changes LIMIT 1')
  const changed = db.prepare<ChangedRow, [number]>(
    `SELECT c.episode_id AS id, k.document_id AS documentId, d.podcast_id AS podcastId, d.title,
            substr(d.description, 1, ${HTML_LENGTH}) AS description, d.released
       FROM (SELECT episode_id FROM episode_changes ORDER BY episode_id LIMIT ?1) c
       LEFT JOIN episode_documents k ON k.episode_id = c.episode_id
       LEFT JOIN episode_details d ON d.episode_id = c.episode_id AND d.is_listed = 1
      ORDER BY c.episode_id`,
  )
  const done = db.prepare<undefined, [string]>(
    'DELETE FROM episode_changes WHERE episode_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?1))',
  )
  const usedNumbers = db.prepare<{ id: number }, [number, number]>(
    'SELECT document_id AS id FROM episode_documents WHERE document_id BETWEEN ?1 AND ?2 ORDER BY document_id',
  )
  const note = db.prepare<undefined, [number, number]>(
    'INSERT INTO episode_documents (document_id, episode_id) VALUES (?1, ?2)',
  )
  const forget = db.prepare<undefined, [number]>('DELETE FROM episode_documents WHERE document_id = ?1')
  const learn = db.prepare<undefined, [string]>(
    'INSERT INTO episode_words (word) SELECT value FROM json_each(?1) WHERE true ON CONFLICT (word) DO NOTHING',
  )
  const tables = (['episode_titles', 'episode_notes'] as const).map((table) => prepareTerms(db, table))

  /** Returns the next free row number. Episodes beyond the room for a day get numbers of older days. */
  function freeFrom(podcastId: number, first: number): number {
    let free = first
    for (;;) {
      const last = free - (free % SLOTS) + SLOTS - 1
      for (const { id } of usedNumbers.all(free, last)) if (id === free) free++
      if (free <= last) return free
      free = (Math.floor(last / 2 ** PERIOD_BITS) + 1) * 2 ** PERIOD_BITS + podcastId * SLOTS
    }
  }

  /** Returns the row number of the document, assigning one if needed; undefined for a removed episode. */
  function assignNumber({ id, podcastId, documentId, released }: ChangedRow): number | undefined {
    if (podcastId === null) {
      if (documentId !== null) forget.run(documentId)
      return undefined
    }
    const first = firstDocumentId(podcastId, released)
    if (documentId !== null && documentId >= first && documentId < first + SLOTS_A_DAY) return documentId
    const free = freeFrom(podcastId, first)
    if (documentId !== null) forget.run(documentId)
    note.run(free, id)
    return free
  }

  return {
    hasPending: () => any.get() !== null,

    /** Returns the number of indexed changes. */
    indexBatch(limit: number): number {
      const rows = changed.all(limit)
      const dropped: number[] = []
      const added: { readonly id: number; readonly terms: readonly [string, string] }[] = []
      const learned = new Set<string>()
      const places = db.each(rows, assignNumber)
      for (const [n, row] of rows.entries()) {
        const id = places[n]
        if (row.documentId !== null) dropped.push(row.documentId)
        if (id === undefined) continue
        const inTitle = indexWords(row.title ?? '')
        const inNotes = indexWords(htmlToText(row.description ?? '').slice(0, NOTES_LENGTH))
        for (const word of inTitle) if (word.length >= VOCABULARY_WORD_MIN && isSpelled(word)) learned.add(word)
        const anywhere = new Set([...inTitle, ...inNotes])
        added.push({ id, terms: [[...inTitle].join(' '), [...anywhere].join(' ')] })
      }
      done.run(JSON.stringify(rows.map(({ id }) => id)))
      if (learned.size > 0) learn.run(JSON.stringify([...learned].sort(byText)))
      // In order and table by table, since other writes in between make FTS5 write many small segments.
      dropped.sort(ascending)
      added.sort((one, other) => ascending(one.id, other.id))
      for (const [index, { add, drop }] of tables.entries()) {
        for (const id of dropped) drop.run(id)
        for (const { id, terms } of added) add.run(id, terms[index] ?? '')
      }
      return rows.length
    },
  }
}

function ascending(one: number, other: number): number {
  return one - other
}
