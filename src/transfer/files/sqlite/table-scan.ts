import { damaged, type Pages } from './pages.ts'
import { type Cell, readColumns, readVarint } from './record.ts'

/** As deep as SQLite itself goes. */
const DEPTH_MAX = 20
const LEAF = 13
const INNER = 5

export interface ScannedRow {
  readonly rowid: number
  readonly cells: readonly Cell[]
}

interface Node {
  readonly page: Buffer
  readonly isLeaf: boolean
  /** Cells, of which an inner page has one child more. */
  readonly count: number
  cellAt(index: number): number
  childAt(index: number): number
}

function readNode(pages: Pages, number: number): Node {
  const page = pages.get(number)
  const start = number === 1 ? 100 : 0
  const type = page[start]
  if (type !== LEAF && type !== INNER) throw damaged(`page ${number} is of no table`)
  const isLeaf = type === LEAF
  const count = page.readUInt16BE(start + 3)
  const pointers = start + (isLeaf ? 8 : 12)
  if (pointers + 2 * count > pages.usable) throw damaged(`page ${number} has too many rows`)
  const cellAt = (index: number) => {
    const at = page.readUInt16BE(pointers + 2 * index)
    if (at + 4 > pages.usable) throw damaged(`a row of page ${number} is not on it`)
    return at
  }
  return {
    ...{ page, isLeaf, count, cellAt },
    childAt: (index) => page.readUInt32BE(index === count ? start + 8 : cellAt(index)),
  }
}

/** All rows of the table whose tree begins at `root`, by ascending row IDs. */
export function* scanTable(pages: Pages, root: number, columns: readonly number[]): Generator<ScannedRow> {
  let last = Number.NEGATIVE_INFINITY

  function* scan(number: number, depth: number): Generator<ScannedRow> {
    if (depth > DEPTH_MAX) throw damaged('its tables are too deep')
    const node = readNode(pages, number)
    for (let index = 0; index < node.count; index++) {
      if (!node.isLeaf) {
        yield* scan(node.childAt(index), depth + 1)
        continue
      }
      const row = readRow(pages, node, index, columns)
      if (row.rowid <= last) throw damaged('its rows are out of order')
      last = row.rowid
      yield row
    }
    if (!node.isLeaf) yield* scan(node.childAt(node.count), depth + 1)
  }

  yield* scan(root, 1)
}

/** The row of this ID; undefined if there is none. */
export function findRow(pages: Pages, root: number, rowid: number, columns: readonly number[]): ScannedRow | undefined {
  let number = root
  for (let depth = 1; depth <= DEPTH_MAX; depth++) {
    const node = readNode(pages, number)
    const index = firstFrom(node, rowid)
    if (node.isLeaf) {
      const row = index < node.count ? readRow(pages, node, index, columns) : undefined
      return row?.rowid === rowid ? row : undefined
    }
    number = node.childAt(index)
  }
  throw damaged('its tables are too deep')
}

/** The first cell of the page that is not before the row. */
function firstFrom(node: Node, rowid: number): number {
  let [from, to] = [0, node.count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (keyAt(node, middle) < rowid) from = middle + 1
    else to = middle
  }
  return from
}

function keyAt({ page, isLeaf, cellAt }: Node, index: number): number {
  const at = cellAt(index)
  return readVarint(page, isLeaf ? readVarint(page, at).next : at + 4).value
}

function readRow(pages: Pages, { page, cellAt }: Node, index: number, columns: readonly number[]): ScannedRow {
  const size = readVarint(page, cellAt(index))
  if (size.value < 0) throw damaged('a row of no size')
  const rowid = readVarint(page, size.next)
  return { rowid: rowid.value, cells: readColumns(pages, page, { start: rowid.next, size: size.value }, columns) }
}
