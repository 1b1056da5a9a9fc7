import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addAccount, addUser, BY_COMMAND_LINE, change } from '../contract/fixtures.ts'

async function open() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const { indexStore: upkeep } = store
  await addAccount(store, 'admin', true)
  const join = async (name: string) => void (await change(store, await addUser(store, name), 'phone', { add: [A] }))
  const indexBatch = async () => {
    while (await upkeep.hasPending()) await upkeep.indexBatch(100)
  }
  const shown = db.query<{ n: number }, []>('SELECT subscribers AS n FROM podcast_tags WHERE is_listed = 1')
  return {
    join,
    leave: (name: string) => store.users.remove(name, BY_COMMAND_LINE),
    indexBatch,
    isTold: () => upkeep.hasPending(),
    shown: () => shown.all().map(({ n }) => n),
  }
}

/** The search numbers podcasts by the power of two that their subscribers have reached. */
const isPower = (n: number) => Number.isInteger(Math.log2(n))

test('the directory is rebuilt where the first comes or the last goes, and at powers of two', async () => {
  const { join, leave, isTold, shown, indexBatch } = await open()
  const step = async (work: Promise<unknown>, listeners: number, expected: boolean) => {
    await work
    expect([listeners, await isTold()]).toEqual([listeners, expected])
    await indexBatch()
    expect(shown()).toEqual(listeners === 0 ? [] : [listeners])
  }
  for (let n = 1; n <= 6; n++) await step(join(`user${n}`), n, isPower(n))
  for (let n = 5; n >= 0; n--) await step(leave(`user${n + 1}`), n, isPower(n + 1))
})
