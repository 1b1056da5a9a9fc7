import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser, report, T } from '../contract/fixtures.ts'

const MINUTE = 60
const COUNT = 9000
const EPISODE = { podcast: 'https://feeds.example/harbour', episode: 'https://cdn.example/fog.mp3' }

test('years of what was heard by actions that are gone are read piece by piece, by time, between those that are left', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const left = [0, 4500, 8999].map((minute) => ({ ...EPISODE, kind: 'play' as const, at: T + minute * MINUTE }))
  await report(
    store,
    ida,
    left.map((action) => ({ ...action, started: 7, position: 9 })),
  )
  const minutes = Array.from({ length: COUNT }, (_, minute) => minute)
  await store.transfer.addHeard(
    ida,
    minutes.map((minute) => ({ ...EPISODE, at: T + minute * MINUTE, from: minute, to: minute + 1 })),
  )

  const found: { readonly at: number }[] = []
  for (const plays of store.listening.plays(ida, T, T + COUNT * MINUTE)) {
    expect(plays.length).toBeLessThanOrEqual(4000)
    found.push(...plays)
  }
  const times = minutes.map((minute) => T + minute * MINUTE)
  expect(found.map(({ at }) => at)).toEqual([...times, ...left.map(({ at }) => at)].sort((one, other) => one - other))
})
