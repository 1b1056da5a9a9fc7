import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DomainError } from '../../../domain/shared/errors.ts'

/** The header on the first page. */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const UTF_8 = 1
const CACHE_BYTES = 8 * 1024 * 1024
/**
 * How often a page may be looked at: many times what the largest database of an app takes, and some minutes' work. Pages
 * that name each other in circles use it up.
 */
const VISITS_MAX = 100_000_000

export type Pages = ReturnType<typeof openPages>

/** Whether a file that begins so is a database of SQLite. */
export function isSqlite(head: Uint8Array): boolean {
  return new TextDecoder().decode(head.subarray(0, MAGIC.length)) === MAGIC
}

export function damaged(what: string): DomainError {
  return new DomainError('validation_failed', `the database is damaged: ${what}`)
}

/**
 * The pages of a database file, numbered from 1 (https://www.sqlite.org/fileformat.html). Throws `validation_failed` for
 * what is truncated, or has another encoding than UTF-8.
 */
export function openPages(path: string, visitsMax = VISITS_MAX) {
  const file = openSync(path, 'r')
  try {
    return describePages(file, statSync(path).size, visitsMax)
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function describePages(file: number, fileBytes: number, visitsMax: number) {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || !isSqlite(header)) throw damaged('it has no header')
  const encoded = header.readUInt16BE(16)
  const pageBytes = encoded === 1 ? 65_536 : encoded
  const usable = pageBytes - (header[20] ?? 0)
  if (pageBytes < 512 || !Number.isInteger(Math.log2(pageBytes)) || usable < 480)
    throw damaged('its pages have no size')
  // The number of pages counts only if the program that wrote last knew of it.
  const said = header.readUInt32BE(24) === header.readUInt32BE(92) ? header.readUInt32BE(28) : 0
  const count = Math.floor(fileBytes / pageBytes)
  if (said > count)
    throw damaged(`a part of it is missing, ${fileBytes} bytes are there and ${said * pageBytes} should be`)
  if (header.readUInt32BE(56) !== UTF_8)
    throw new DomainError('validation_failed', 'the database has another text encoding than UTF-8')

  const cache = new Map<number, Buffer>()
  const cachedMax = Math.max(32, Math.floor(CACHE_BYTES / pageBytes))
  let visits = 0

  return {
    /** Bytes of a page that hold something. */
    usable,
    count,
    get(number: number): Buffer {
      if (++visits > visitsMax) throw damaged('reading it would never end')
      const known = cache.get(number)
      if (known) return known
      if (number < 1 || number > count) throw damaged(`it has no page ${number}`)
      const page = Buffer.alloc(pageBytes)
      if (readSync(file, page, 0, pageBytes, (number - 1) * pageBytes) < pageBytes)
        throw damaged('it has become shorter')
      const oldest = cache.size >= cachedMax ? cache.keys().next().value : undefined
      if (oldest !== undefined) cache.delete(oldest)
      cache.set(number, page)
      return page
    },
    close: () => closeSync(file),
  }
}
