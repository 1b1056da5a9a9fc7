import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createListening } from '../../src/domain/directory/listening.ts'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { addUser, report, T } from '../store/contract/fixtures.ts'
import { fakeClock } from '../support/clock.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const TODAY = Math.floor(T / DAY)

const PODCASTS = ['a', 'b'].map((name) => `https://${name}.example/f`)
const seconds = fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined })

const action: fc.Arbitrary<EpisodeAction> = fc.record({
  podcast: fc.constantFrom(...PODCASTS),
  episode: fc.constantFrom(...[1, 2, 3].map((n) => `https://cdn.example/${n}`)),
  kind: fc.constantFrom('play', 'play', 'play', 'download' as const),
  at: fc.integer({ min: -4 * DAY, max: DAY }).map((seconds) => T + seconds),
  device: fc.constantFrom('phone', 'desk', undefined),
  started: seconds,
  position: seconds,
  total: fc.constantFrom(undefined, 0, 20, 60),
})

/** Ticks off every second played, by episode and day, and counts the ticks. */
function naive(actions: readonly EpisodeAction[], offset: number, isIn: (day: number) => boolean) {
  const ticks = new Map<string, { day: number; podcast: string; episode: string }>()
  for (const { kind, at, podcast, episode, started, position, total } of actions) {
    if (kind !== 'play' || started === undefined || position === undefined) continue
    if (total !== undefined && total > 0 && position - started > total) continue
    const day = Math.floor((at + offset * 60) / DAY)
    if (!isIn(day)) continue
    for (let second = started; second < position; second++)
      ticks.set(`${day} ${podcast} ${episode} ${second}`, { day, podcast, episode: `${podcast} ${episode}` })
  }
  const all = [...ticks.values()]
  const sums = <K>(groups: Map<K, unknown[]>) => [...groups].map(([key, { length }]) => ({ key, seconds: length }))
  return {
    seconds: all.length,
    days: sums(Map.groupBy(all, ({ day }) => day)).toSorted((a, b) => a.key - b.key),
    podcasts: new Map(sums(Map.groupBy(all, ({ podcast }) => podcast)).map(({ key, seconds }) => [key, seconds])),
    episodes: new Set(all.map(({ episode }) => episode)).size,
  }
}

test('each second of an episode counts once a day, in any order of uploads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 12 }), { maxLength: 4 }),
      fc.constantFrom(0, 60, -300, 345),
      fc.integer({ min: 0, max: 3 }),
      async (uploads, offset, daysBack) => {
        const db = openMemoryDatabase()
        const store = createSqliteStore(db)
        const ida = await addUser(store)
        const ole = await addUser(store, 'ole')
        for (const upload of uploads) for (const user of [ida, ida]) await report(store, user, upload)
        await report(store, ole, uploads.flat().slice(0, 3))
        const listening = createListening(store.listening, fakeClock())
        const [from, to] = [TODAY - daysBack, TODAY]
        const date = (day: number) => new Date(day * DAY * 1000).toISOString().slice(0, 10)
        const result = await listening.report(ida, { from: date(from), to: date(to), offset: String(offset) })
        const expected = naive(uploads.flat(), offset, (day) => day >= from && day <= to)
        expect(result.days.map(({ day, seconds }) => ({ key: day, seconds }))).toEqual(expected.days)
        expect(result).toMatchObject({ seconds: expected.seconds, episodes: expected.episodes })
        expect(new Map(result.podcasts.map(({ url, seconds }) => [url, seconds]))).toEqual(expected.podcasts)
        expect(result.weekdays.reduce((sum, part) => sum + part, 0)).toBe(expected.seconds)
        await store.idle()
        db.close()
      },
    ),
    { numRuns: 60 },
  )
})
