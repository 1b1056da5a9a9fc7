import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { EpisodeAction } from '../../../src/domain/sync/ports/episode-actions.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { countedDatabase, planOf } from '../../support/database.ts'
import { action, addUser, listActions, report, T } from '../contract/fixtures.ts'

/** Actions of one upload. Two of them are more than a page of the history may reach (10,000). */
const COUNT = 5000

/** Plays of different episodes, all in one second. */
const plays = (name: string, count = COUNT, at = T): EpisodeAction[] =>
  Array.from({ length: count }, (_, n) =>
    action({ kind: 'play', at, episode: `https://cdn.example/${name}-${n}`, started: 0, position: n + 1, total: 9000 }),
  )

/** Two users with actions in the same second, and one action each before and after it. */
async function openCrowded() {
  const { db, during } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store, 'ida')
  const ole = await addUser(store, 'ole')
  const lists = [plays('one'), plays('later', 1, T + 1), plays('two'), plays('earlier', 1, T - 1)]
  for (const [index, list] of lists.entries()) {
    await report(store, ida, list, T + index)
    await report(store, ole, plays('others', 100), T + index)
  }
  return { db, during, store, ida, lists }
}

const { db, during, store, ida, lists } = await openCrowded()
const [one = [], later = [], two = [], earlier = []] = lists

const READS: readonly (readonly [string, (store: Store, userId: UserId) => Promise<unknown>])[] = [
  ['all actions', listActions],
  ['all actions of an archive', () => listActions(store, ida, { isArchive: true })],
  ['statistics', async () => await Array.fromAsync(store.listening.plays(ida, T - 9, T + 9))],
  ['a page of the history', () => store.listening.history(ida, { offset: 2000, limit: 50 })],
  ['a page of episodes in progress', () => store.inbox.inProgress(ida, { before: { at: T, id: 3000 }, limit: 50 })],
]

describe('thousands of actions within one second', () => {
  test('are returned in upload order, between earlier and later ones', async () => {
    const names = (await listActions(store, ida)).map(({ episode }) => episode)
    expect(names).toEqual([earlier, one, two, later].flat().map(({ episode }) => episode))
  })

  test('keep that order when only later uploads are requested', async () => {
    const since = await listActions(store, ida, { since: T + 1, isArchive: true })
    expect(since.map(({ episode }) => episode)).toEqual([earlier, two, later].flat().map(({ episode }) => episode))
  })

  test('are each in the history once, last uploaded first', async () => {
    const found: string[] = []
    for (let offset = 0; offset < 10_000; offset += 2500) {
      const { total, events } = await store.listening.history(ida, { offset, limit: 2500 })
      expect(total).toBe(10_000)
      found.push(...events.map(({ episode }) => episode))
    }
    const newestFirst = [earlier, one, two, later]
      .flat()
      .map(({ episode }) => episode)
      .reverse()
    const isFound = new Set(found)
    expect(newestFirst.filter((episode) => isFound.has(episode))).toEqual(found)
    expect(found.length).toBe(10_000)
  })

  for (const [title, read] of READS)
    test(`are not sorted for each chunk: ${title}`, async () => {
      const statements = new Set(await during(() => read(store, ida)))
      const plans = [...statements].map((sql) => planOf(db, sql)).filter((plan) => /actions_time|_progress/.test(plan))
      expect(plans).not.toEqual([])
      for (const plan of plans) {
        expect(plan).not.toContain('TEMP B-TREE')
        // The index is searched for the place to continue.
        expect(plan).toMatch(/\(at,hash\)[<>]\(\?,\?\)|progress_at=\? AND rowid<\?/)
      }
    })
})
