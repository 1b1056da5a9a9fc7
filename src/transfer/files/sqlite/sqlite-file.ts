import { DomainError } from '../../../domain/shared/errors.ts'
import { damaged, openPages, type Pages } from './pages.ts'
import type { Cell } from './record.ts'
import { findRow, type ScannedRow, scanTable } from './table-scan.ts'

/** Of any table; the largest history that we have heard of has a tenth. */
const ROWS_MAX = 2_000_000
const TABLES_MAX = 1000

/** The columns that were asked for, by name, and `rowid`. */
export type Row<Column extends string> = Readonly<Record<Column, Cell>> & { readonly rowid: number }

export type SqliteFile = ReturnType<typeof openSqliteFile>

/**
 * A database that an app made, read by what the file's format says, without SQLite: nothing that the schema defines,
 * such as views, triggers, virtual tables, checks and generated columns, is ever executed. It has tables with ordinary
 * row IDs only. All methods throw `validation_failed` for a damaged file. `visitsMax` bounds the work.
 */
export function openSqliteFile(path: string, visitsMax?: number) {
  const pages = openPages(path, visitsMax)
  try {
    const tables = readTables(pages)
    const tableOf = (name: string) => {
      const table = tables.get(name)
      if (!table) throw damaged(`it has no table ${name}`)
      return table
    }
    return {
      has: (name: string, ...columns: readonly string[]): boolean =>
        columns.every((column) => tables.get(name)?.columns.has(column) === true) && tables.has(name),

      /** All rows, by ascending row ID. Columns that the table does not have are undefined. */
      *rows<Column extends string>(name: string, columns: readonly Column[]): Generator<Row<Column>> {
        const { root, columns: known } = tableOf(name)
        const plan = planColumns(known, columns)
        let count = 0
        for (const row of checked(scanTable(pages, root, plan.numbers))) {
          if (++count > ROWS_MAX)
            throw new DomainError('validation_failed', `the table ${name} has more than ${ROWS_MAX} rows`)
          yield plan.rowOf(row)
        }
      },

      find<Column extends string>(name: string, rowid: number, columns: readonly Column[]): Row<Column> | undefined {
        const { root, columns: known } = tableOf(name)
        const plan = planColumns(known, columns)
        const [row] = checked(one(() => findRow(pages, root, rowid, plan.numbers)))
        return row && plan.rowOf(row)
      },

      close: pages.close,
    }
  } catch (error) {
    pages.close()
    throw error
  }
}

function* one<T>(get: () => T | undefined): Generator<T> {
  const found = get()
  if (found !== undefined) yield found
}

/** Offsets that lead out of a page are damage, too. */
function* checked<T>(values: Iterable<T>): Generator<T> {
  try {
    yield* values
  } catch (error) {
    throw error instanceof RangeError ? damaged('something in it leads out of its page') : error
  }
}

interface Table {
  readonly root: number
  /** Numbers of the columns; undefined for the one that is the row ID. */
  readonly columns: ReadonlyMap<string, number | undefined>
}

function planColumns<Column extends string>(known: Table['columns'], wanted: readonly Column[]) {
  const numbers = [...new Set(wanted.flatMap((name) => known.get(name) ?? []))].toSorted((a, b) => a - b)
  const places = wanted.map((name) => {
    const number = known.get(name)
    return { name, isRowid: known.has(name) && number === undefined, place: numbers.indexOf(number ?? -1) }
  })
  return {
    numbers,
    rowOf({ rowid, cells }: ScannedRow): Row<Column> {
      const row: Record<string, Cell> = {}
      for (const { name, isRowid, place } of places) row[name] = isRowid ? rowid : cells[place]
      return { ...(row as Record<Column, Cell>), rowid }
    },
  }
}

/** The table of tables begins on the first page: type, name, table, root page and text. */
function readTables(pages: Pages): ReadonlyMap<string, Table> {
  const tables = new Map<string, Table>()
  let count = 0
  for (const { cells } of checked(scanTable(pages, 1, [0, 1, 3, 4]))) {
    if (++count > TABLES_MAX) throw damaged('it has too many tables')
    const [type, name, root, sql] = cells
    if (type !== 'table' || typeof name !== 'string' || typeof root !== 'number' || typeof sql !== 'string') continue
    const columns = readDefinition(sql)
    if (columns && root > 0) tables.set(name, { root, columns })
  }
  return tables
}

/** Words, quoted names, and marks of a definition; comments and white space are passed over. */
const TOKEN =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*')|([^\s"'`[\](),]+)|([(),])|(.)/gy
const CONSTRAINTS: ReadonlySet<string> = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN'])

/**
 * Column names of a `CREATE TABLE`, with their numbers in the record. Undefined for tables whose rows we cannot read:
 * virtual ones, those without row IDs, and those with generated columns.
 */
function readDefinition(sql: string): ReadonlyMap<string, number | undefined> | undefined {
  const tokens = [...sql.matchAll(TOKEN)].flatMap(([, quoted, word, mark, odd]) =>
    quoted === undefined && word === undefined && mark === undefined && odd === undefined
      ? []
      : [{ text: quoted === undefined ? (word ?? mark ?? odd ?? '').toUpperCase() : '', quoted, word, mark }],
  )
  const begin = tokens.findIndex(({ mark }) => mark === '(')
  const heading = tokens.slice(0, begin).map(({ text }) => text)
  if (begin === -1 || heading.includes('VIRTUAL') || heading[0] !== 'CREATE') return undefined
  const columns = new Map<string, number | undefined>()
  let depth = 0
  let number = 0
  let part: typeof tokens = []
  for (const token of tokens.slice(begin)) {
    if (token.mark === '(' && depth++ === 0) continue
    if (token.mark === ')') depth--
    const isOver = depth === 0 && token.mark === ')'
    if (!isOver && !(depth === 1 && token.mark === ',')) {
      // After the columns: WITHOUT ROWID.
      if (depth === 0 && token.text === 'WITHOUT') return undefined
      part.push(token)
      continue
    }
    if (part.some(({ text }) => text === 'GENERATED' || text === 'AS')) return undefined
    const [first, ...type] = part
    part = []
    if (!first || CONSTRAINTS.has(first.text)) continue
    const isRowid =
      type
        .slice(0, 3)
        .map(({ text }) => text)
        .join(' ') === 'INTEGER PRIMARY KEY'
    columns.set(nameOf(first), isRowid ? undefined : number)
    number++
  }
  return columns
}

function nameOf({ quoted, word = '' }: { readonly quoted: string | undefined; readonly word: string | undefined }) {
  if (quoted === undefined) return word
  const mark = quoted[0] ?? ''
  const inner = quoted.slice(1, -1)
  return mark === '[' ? inner : inner.replaceAll(mark + mark, mark)
}
