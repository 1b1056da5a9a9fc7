import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addAccount, addUser, BY_COMMAND_LINE, index, upload } from '../contract/fixtures.ts'

async function open() {
  const db = openMemoryDatabase()
  const breaking = breakable(db)
  const store = createSqliteStore(db)
  await addAccount(store, 'admin', true)
  const join = async (name: string) => void (await upload(store, await addUser(store, name), 'phone', { add: [A] }))
  const shown = db.query<{ n: number }, []>('SELECT subscribers AS n FROM podcast_tags WHERE is_listed = 1')
  return {
    store,
    ...breaking,
    join,
    leave: (name: string) => store.users.remove(name, BY_COMMAND_LINE),
    indexAll: () => index(store),
    changes: () => db.query<{ n: number }, []>('SELECT COUNT(*) AS n FROM directory_changes').get()?.n,
    shown: () => shown.all().map(({ n }) => n),
  }
}

test('the directory sums up subscribers who come and go before they are indexed', async () => {
  const { join, leave, shown, indexAll, changes } = await open()
  for (let n = 1; n <= 5; n++) await join(`user${n}`)
  for (let n = 1; n <= 2; n++) await leave(`user${n}`)
  expect([shown(), changes()]).toEqual([[], 5])
  await indexAll()
  expect([shown(), changes()]).toEqual([[3], 0])
  for (let n = 3; n <= 5; n++) await leave(`user${n}`)
  await indexAll()
  expect(shown()).toEqual([])
})

/** Makes the nth statement after `breakAt` fail. */
function breakable(db: Database) {
  let left = Number.POSITIVE_INFINITY
  const prepare = db.prepare.bind(db)
  const broken = (sql: string) => {
    const statement = prepare(sql)
    const counted =
      <R>(execute: (...values: never[]) => R) =>
      (...values: never[]): R => {
        if (--left === 0) throw new Error('the power is gone')
        return execute.apply(statement, values)
      }
    const { get, all, run, values } = statement
    return { get: counted(get), all: counted(all), run: counted(run), values: counted(values) }
  }
  Object.defineProperty(db, 'prepare', { configurable: true, writable: true, value: broken })
  return {
    breakAt: (statement: number) => {
      left = statement
    },
    left: () => left,
  }
}

test('a failure of any statement of the indexer leaves the counters correct', async () => {
  for (let statement = 1; ; statement++) {
    const { store, join, leave, shown, indexAll, changes, breakAt, left } = await open()
    await join('ida')
    await indexAll()
    await join('ole')
    await join('eva')
    await leave('ida')
    breakAt(statement)
    await store.indexStore.indexBatch(10).catch(() => undefined)
    const isBeyond = left() > 0
    breakAt(Number.POSITIVE_INFINITY)
    await indexAll()
    expect([statement, shown(), changes()]).toEqual([statement, [2], 0])
    if (!isBeyond) continue
    expect(statement).toBeGreaterThan(10)
    return
  }
})
