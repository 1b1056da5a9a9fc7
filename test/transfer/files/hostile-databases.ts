import type { Database } from 'bun:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { bytesOf, SHOW } from './databases.ts'

/* gPodder databases with pages or a schema that SQLite would not write. */

const PAGE = 512
const [INNER, LEAF] = [5, 13]

/** Pages of a database with one podcast and an empty history, and the root page of the history. */
function empty() {
  let root = 0
  const bytes = bytesOf((db) => {
    db.run('CREATE TABLE podcast (id INTEGER PRIMARY KEY, url, title)')
    db.run('CREATE TABLE episode (podcast_id, url, state, total_time, current_position, published)')
    db.query("INSERT INTO podcast VALUES (1, ?, 'Show')").run(SHOW)
    const query = "SELECT rootpage FROM sqlite_schema WHERE name = 'episode'"
    root = db.query<{ rootpage: number }, []>(query).get()?.rootpage ?? 0
  }, `PRAGMA page_size = ${PAGE}`)
  return {
    pages: Array.from({ length: bytes.length / PAGE }, (_, n) => bytes.subarray(PAGE * n, PAGE * (n + 1))),
    root,
  }
}

/** A file of these pages, with the right number of pages in its header. */
function fileWith(pages: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(pages)
  bytes.writeUInt32BE(pages.length, 28)
  return bytes
}

/** A page of a table. Cells are written from its end. */
function pageOf(type: number, cells: readonly Buffer[], last = 0): Buffer {
  const page = Buffer.alloc(PAGE)
  const header = type === INNER ? 12 : 8
  page[0] = type
  page.writeUInt16BE(cells.length, 3)
  if (type === INNER) page.writeUInt32BE(last, 8)
  let at = PAGE
  for (const [index, cell] of cells.entries()) {
    at -= cell.length
    cell.copy(page, at)
    page.writeUInt16BE(at, header + 2 * index)
  }
  page.writeUInt16BE(at, 5)
  return page
}

/** An inner page with these children, each with the highest row ID in it. */
function innerPage(children: readonly (readonly [page: number, rowid: number])[]): Buffer {
  const cells = children.slice(0, -1).map(([page, rowid]) => {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(page)
    return Buffer.concat([number, varint(rowid)])
  })
  return pageOf(INNER, cells, children.at(-1)?.[0])
}

/** SQLite's encoding of integers below 2 ** 28. */
function varint(value: number): Buffer {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return Buffer.from(bytes)
}

/** The history is an inner page that is its own child. */
export function cyclicPages(): Buffer {
  const { pages, root } = empty()
  pages[root - 1] = innerPage(Array.from({ length: 40 }, (_, n) => [root, n + 1] as const))
  return fileWith(pages)
}

/** Each level of the history points 40 times to the next one, so 40 to the power of `levels` paths lead to one leaf. */
export function sameChildren(levels: number): Buffer {
  const { pages, root } = empty()
  let number = root
  for (let level = 0; level < levels; level++) {
    const child = pages.length + 1
    pages[number - 1] = innerPage(Array.from({ length: 40 }, (_, n) => [child, n + 1] as const))
    pages.push(pageOf(LEAF, []))
    number = child
  }
  return fileWith(pages)
}

/** Overflow pages of each row, and bytes of a row on its own page. */
const SHARED_PAGES = 15
const LOCAL = 39

/** Rows with addresses of 7,600 characters, which share their overflow pages. */
export function sharedOverflow(rows: number): Buffer {
  const { pages, root } = empty()
  const chain = pages.length + 1
  for (let n = 0; n < SHARED_PAGES; n++) {
    const page = Buffer.alloc(PAGE, 'x')
    page.writeUInt32BE(n === SHARED_PAGES - 1 ? 0 : chain + n + 1)
    pages.push(page)
  }
  const size = LOCAL + SHARED_PAGES * (PAGE - 4)
  // Types: the number 1, a text, and the numbers 0, 0, 1 and 0, which take no bytes.
  const types = (length: number) =>
    Buffer.concat([Buffer.from([0]), Buffer.from([9]), varint(13 + 2 * length), Buffer.from([8, 8, 9, 8])])
  const header = types(size - types(size).length)
  header[0] = header.length
  const cell = (rowid: number) => {
    const pointer = Buffer.alloc(4)
    pointer.writeUInt32BE(chain)
    const local = Buffer.concat([header, Buffer.from(`https://x/${rowid}/`.padEnd(LOCAL, 'x'))]).subarray(0, LOCAL)
    return Buffer.concat([varint(size), varint(rowid), local, pointer])
  }
  let level: (readonly [page: number, rowid: number])[] = []
  for (let rowid = 1; rowid <= rows; rowid += 9) {
    const ids = Array.from({ length: Math.min(9, rows + 1 - rowid) }, (_, n) => rowid + n)
    level.push([pages.push(pageOf(LEAF, ids.map(cell))), ids.at(-1) ?? 0])
  }
  while (level.length > 1) {
    const above: (readonly [page: number, rowid: number])[] = []
    for (let from = 0; from < level.length; from += 40) {
      const children = level.slice(from, from + 40)
      above.push([pages.push(innerPage(children)), children.at(-1)?.[1] ?? 0])
    }
    level = above
  }
  const top = pages[(level[0]?.[0] ?? 1) - 1]
  if (top) pages[root - 1] = top
  return fileWith(pages)
}

/** A database whose schema has been changed directly. */
export function withSchema(fill: (db: Database) => void, sql: string): Buffer {
  const db = new DatabaseSync(':memory:', { defensive: false })
  db.deserialize(bytesOf(fill))
  db.exec(`PRAGMA writable_schema = ON; ${sql}`)
  const bytes = Buffer.from(db.serialize())
  db.close()
  return bytes
}

/** A schema whose definitions consist of open brackets. */
export function bracketSchema(tables: number): Buffer {
  return withSchema(
    (db) => db.run('CREATE TABLE podcast (id INTEGER PRIMARY KEY, url)'),
    `INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${tables})
      SELECT 'table', 'x' || n, 'x' || n, 2, 'CREATE TABLE x(' || replace(hex(zeroblob(4050)), '0', '[') FROM c`,
  )
}

/**
 * The schema is a tree whose levels all point 40 times to the next one. SQLite reads it before anything can be checked.
 * Its leaf is the index of a unique column, a row that may be repeated.
 */
export function endlessSchema(): Buffer {
  const { pages } = empty()
  const table = pages.push(pageOf(LEAF, [schemaRow(1, 'podcast', 'CREATE TABLE podcast (id, url UNIQUE)')]))
  const first = pages.length + 1
  for (let level = 1; level < 18; level++)
    pages.push(innerPage(Array.from({ length: 40 }, (_, n) => [first + level, n + 2] as const)))
  pages.push(pageOf(LEAF, [schemaRow(2, 'sqlite_autoindex_podcast_1', '')]))
  const [top] = pages
  const page = innerPage([
    [table, 1],
    [first, 2],
  ])
  // The first page begins with the header of the file, but offsets of cells are relative to its start.
  if (top) Buffer.concat([page.subarray(0, 14), Buffer.alloc(PAGE - 119), page.subarray(PAGE - 5)]).copy(top, 100)
  return fileWith(pages)
}

/** A cell of the table of tables: type, name, table, root page and definition. */
function schemaRow(rowid: number, name: string, sql: string): Buffer {
  const texts = [sql === '' ? 'index' : 'table', name, 'podcast']
  const header = Buffer.concat([
    Buffer.alloc(1),
    ...texts.map((text) => varint(13 + 2 * text.length)),
    varint(1),
    varint(13 + 2 * sql.length),
  ])
  header[0] = header.length
  const record = Buffer.concat([header, Buffer.from(texts.join('')), Buffer.from([2]), Buffer.from(sql)])
  return Buffer.concat([varint(record.length), varint(rowid), record])
}
