import { describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { is, type SQL } from 'drizzle-orm'
import { getTableConfig, SQLiteSyncDialect, type SQLiteTable, SQLiteTable as Table } from 'drizzle-orm/sqlite-core'
import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import * as schema from '../../../src/store/sqlite/core/schema.ts'
import { tempDirs } from '../temp-dir.ts'

const ROOT = resolve(import.meta.dir, '../../..')
const FOLDER = join(ROOT, 'migrations')

const dirs = tempDirs()

const declared: SQLiteTable[] = Object.values(schema).filter((value) => is(value, Table))
const db = openMemoryDatabase()

/** Rows of a pragma about `table`. */
const about = <Row>(pragma: string, table: string) =>
  db.query<Row, [string]>(`SELECT * FROM pragma_${pragma}(?1)`).all(table)

const byName = <T extends { readonly name: string }>(list: readonly T[]) =>
  list.toSorted((a, b) => (a.name < b.name ? -1 : 1))

describe('the list of migrations', () => {
  test('is the folder, in order, word by word', () => {
    const files = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
      .map((file) => ({ name: file.replace(/\.sql$/, ''), sql: readFileSync(join(FOLDER, file), 'utf8') }))
    expect([...MIGRATIONS]).toEqual(files)
  })

  test('has numbers without a gap', () => {
    expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, index) => index))
  })

  test('lacks nothing that the declared schema has', async () => {
    const cwd = dirs.make()
    cpSync(FOLDER, join(cwd, 'migrations'), { recursive: true })
    const before = readdirSync(join(cwd, 'migrations'), { recursive: true })
    const generate = Bun.spawn({
      // drizzle-kit takes the folder as relative to where it runs, always.
      cmd: [
        process.execPath,
        join(ROOT, 'node_modules/drizzle-kit/bin.cjs'),
        ...['generate', '--dialect', 'sqlite', '--out', 'migrations'],
        ...['--schema', join(ROOT, 'src/store/sqlite/core/schema.ts')],
      ],
      cwd,
      // With nobody to answer, a question about a renamed column ends it.
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env },
    })
    const [output, errors] = await Promise.all([generate.stdout.text(), generate.stderr.text()])
    expect({ code: await generate.exited, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toContain('No schema changes')
    expect(readdirSync(join(cwd, 'migrations'), { recursive: true }).toSorted()).toEqual(before.toSorted())
  }, 20_000)
})

describe('the migrated tables', () => {
  const tables = db
    .query<{ name: string; strict: number }, []>(
      `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .all()

  test('are the declared ones, and the record of migrations', () => {
    const names = [...declared.map((table) => getTableConfig(table).name), 'schema_migrations']
    expect(new Set(tables.map(({ name }) => name))).toEqual(new Set(names))
  })

  test('are all STRICT', () => {
    expect(tables.filter(({ strict }) => strict !== 1)).toEqual([])
  })

  test('have only those views, triggers and search tables beside them that keep the directory', () => {
    const found = db
      .query<{ name: string }, []>(
        `SELECT name FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY name`,
      )
      .all()
    expect(found.map(({ name }) => name)).toEqual([
      ...'devices_delete listeners_delete listeners_insert listeners_update'.split(' '),
      ...'podcast_details_insert podcast_details_update podcast_tags_delete'.split(' '),
      ...'podcast_tags_insert podcast_tags_update podcasts_listing podcasts_magnitude'.split(' '),
      ...'podcasts_undecided search_terms settings_delete settings_insert settings_update'.split(' '),
      ...'subscriptions_delete subscriptions_insert subscriptions_update users_delete'.split(' '),
      ...'users_state'.split(' '),
    ])
  })
})

describe.each(declared.map((table) => [getTableConfig(table).name, getTableConfig(table)] as const))(
  'the table %s',
  (name, config) => {
    test('has the declared columns', () => {
      const columns = about<{ name: string; type: string; notnull: number; dflt_value: string | null; pk: number }>(
        'table_info',
        name,
      )
      const keys = new Set(config.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name)))
      expect(
        columns.map((column) => ({
          name: column.name,
          type: column.type.toLowerCase(),
          notNull: column.notnull === 1,
          hasDefault: column.dflt_value !== null,
          isKey: column.pk > 0,
        })),
      ).toEqual(
        config.columns.map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          notNull: column.notNull,
          hasDefault: column.hasDefault && column.default !== undefined,
          isKey: column.primary || keys.has(column.name),
        })),
      )
    })

    test('has the declared indexes', () => {
      const found = about<{ name: string; unique: number; origin: string; partial: number }>('index_list', name)
        .filter(({ origin }) => origin === 'c')
        .map((index) => ({
          name: index.name,
          unique: index.unique === 1,
          partial: index.partial === 1,
          columns: about<{ name: string }>('index_info', index.name).map((column) => column.name),
        }))
      const indexes = config.indexes.map(({ config: { name: index, unique, columns, where } }) => ({
        name: index,
        unique,
        partial: where !== undefined,
        columns: columns.map((column) => ('name' in column ? column.name : columnOf(column))),
      }))
      const uniques = config.columns
        .filter((column) => column.isUnique)
        .map((column) => ({ name: column.uniqueName ?? '', unique: true, partial: false, columns: [column.name] }))
      expect(byName(found)).toEqual(byName<(typeof found)[number]>([...indexes, ...uniques].map(withNames)))
    })

    test('has the declared foreign keys, each with an index to find what goes with a removed row', () => {
      const found = about<{ table: string; from: string; to: string; on_delete: string }>('foreign_key_list', name)
      const plain = found.map(({ table, from, to, on_delete }) => ({
        table,
        from,
        to,
        onDelete: on_delete.toLowerCase(),
      }))
      const keys = config.foreignKeys.map((key) => {
        const { columns, foreignColumns, foreignTable } = key.reference()
        return {
          table: getTableConfig(foreignTable).name,
          from: columns[0]?.name ?? '',
          to: foreignColumns[0]?.name ?? '',
          onDelete: key.onDelete ?? 'no action',
        }
      })
      const bySource = (a: { from: string }, b: { from: string }) => (a.from < b.from ? -1 : 1)
      expect(plain.toSorted(bySource)).toEqual(keys.toSorted(bySource))

      // Only keys that cascade are followed when a row goes.
      const leading = new Set([
        // The primary key of one number is the row's own place.
        ...config.columns.filter(({ primary }) => primary),
        ...config.indexes.flatMap(({ config: { columns } }) => ('name' in (columns[0] ?? {}) ? [columns[0]] : [])),
        ...config.primaryKeys.map(({ columns }) => columns[0]),
      ])
      const indexed = [...leading].flatMap((column) => (column && 'name' in column ? column.name : []))
      for (const { from } of keys.filter(({ onDelete }) => onDelete !== 'no action')) expect(indexed).toContain(from)
    })
  },
)

/** Of an order, such as `subscribers DESC`. */
function columnOf(expression: SQL): string | undefined {
  return /^(\w+) DESC$/.exec(new SQLiteSyncDialect().sqlToQuery(expression).sql)?.[1]
}

/** An index over an expression has columns without a name; we declare none. */
function withNames(index: { name: string; unique: boolean; partial: boolean; columns: (string | undefined)[] }) {
  return { ...index, columns: index.columns.map((column) => column ?? 'an expression') }
}
