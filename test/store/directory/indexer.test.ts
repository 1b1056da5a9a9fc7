import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addAccount, addUser, BY_COMMAND_LINE, change } from '../contract/fixtures.ts'

/** A podcast that so many people have, of which the directory knows all there is to know. */
async function open(listeners: number) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const { indexStore: upkeep } = store
  await addAccount(store, 'admin', true)
  const join = async (name: string) => void (await change(store, await addUser(store, name), 'phone', { add: [A] }))
  const indexBatch = async () => {
    while (await upkeep.hasPending()) await upkeep.indexBatch(100)
  }
  for (let n = 0; n < listeners; n++) await join(`user${n}`)
  await indexBatch()
  const shown = db.query<{ n: number }, []>('SELECT subscribers AS n FROM podcast_tags WHERE is_listed = 1')
  return {
    join,
    leave: (name: string) => store.users.remove(name, BY_COMMAND_LINE),
    indexBatch,
    isTold: () => upkeep.hasPending(),
    shown: () => shown.all().map(({ n }) => n),
  }
}

describe('what has to be made anew in the directory is made when', () => {
  // The search numbers podcasts by the power of two that their subscribers have reached.
  test.each([
    ['the first comes', 0, true],
    ['the second comes', 1, true],
    ['the third comes', 2, false],
    ['the fourth comes', 3, true],
    ['the fifth comes', 4, false],
    ['the sixth comes', 5, false],
  ])('%s: %i before, %p', async (_case, listeners, expected) => {
    const { join, isTold, shown, indexBatch } = await open(listeners)
    await join('ida')
    expect(await isTold()).toBe(expected)
    await indexBatch()
    expect(shown()).toEqual([listeners + 1])
  })

  test.each([
    ['the last account that had it goes', 1, true],
    ['the second last goes', 2, true],
    ['the third last goes', 3, false],
    ['the fourth last goes', 4, true],
    ['the sixth last goes', 6, false],
  ])('%s: %i before, %p', async (_case, listeners, expected) => {
    const { leave, isTold, shown, indexBatch } = await open(listeners)
    await leave('user0')
    expect(await isTold()).toBe(expected)
    await indexBatch()
    expect(shown()).toEqual(listeners === 1 ? [] : [listeners - 1])
  })
})
