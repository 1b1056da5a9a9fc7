import { describe, expect, test } from 'bun:test'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const DAY = 24 * HOUR
const YEAR = 365 * DAY

const episode = (n: number, released: number | undefined, title = `Fog ${n}`): FeedEpisode =>
  feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `${n}`, title, released })

/** Ida has feed A, which is what it is told to be, and is refreshed when it is told. */
async function open() {
  const { app, script, feeds, row } = await openFeedScene([A], { settings: { feed_max_episodes: '10' } })
  return {
    app,
    row,
    async publish(...episodes: readonly FeedEpisode[]) {
      script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
      await feeds.refresh(A)
    },
    written: () => app.db.query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n ?? Number.NaN,
    /** Titles with the seconds since the beginning, in the order of the list. */
    listed: () =>
      app.db
        .query<{ title: string; released: number | null }, []>(
          'SELECT title, released FROM episode_details ORDER BY released DESC, episode_id DESC',
        )
        .all()
        .map(({ title, released }) => [title, released === null ? undefined : released - START]),
  }
}

describe('an episode that is dated later than now', () => {
  test.each([
    ['a second', 1],
    ['a day', DAY],
    ['years', 70 * YEAR],
  ])('came out when it was first seen: %s', async (_how, ahead) => {
    const { app, publish, listed } = await open()
    await publish(episode(1, START - HOUR))
    app.clock.advance(HOUR)
    await publish(episode(2, START + HOUR + ahead), episode(1, START - HOUR))
    expect(listed()).toEqual([
      ['Fog 2', HOUR],
      ['Fog 1', -HOUR],
    ])
  })

  test('is not written again, whatever the time', async () => {
    const { app, publish, written, listed } = await open()
    await publish(episode(1, START + HOUR))
    const before = written()
    for (const _ of [1, 2, 3]) {
      app.clock.advance(HOUR)
      await publish(episode(1, START + HOUR))
    }
    // The small row of each check.
    expect(written() - before).toBe(3)
    expect(listed()).toEqual([['Fog 1', 0]])
  })

  test('keeps that time when it changes', async () => {
    const { app, publish, listed } = await open()
    await publish(episode(1, START + YEAR))
    app.clock.advance(HOUR)
    await publish(episode(1, START + YEAR, 'Fog lifts'))
    expect(listed()).toEqual([['Fog lifts', 0]])
  })

  test('gets its date when that is mended', async () => {
    const { publish, listed } = await open()
    await publish(episode(1, START + YEAR))
    await publish(episode(1, START - HOUR))
    expect(listed()).toEqual([['Fog 1', -HOUR]])
  })

  test('is not the first to go when there are too many', async () => {
    const { publish, listed } = await open()
    const old = Array.from({ length: 10 }, (_, n) => episode(n, START - (n + 1) * HOUR))
    await publish(...old)
    await publish(episode(11, START + YEAR), ...old)
    expect(listed()[0]).toEqual(['Fog 11', 0])
    expect(listed()).toHaveLength(10)
  })

  test('does not make its feed a lively one for ever', async () => {
    const { app, publish, row } = await open()
    await publish(episode(1, START + 70 * YEAR))
    app.clock.advance(400 * DAY)
    await publish(episode(1, START + 70 * YEAR))
    expect(row(A)?.['next_check_at']).toBeGreaterThanOrEqual(START + 400 * DAY + 0.9 * DAY)
  })
})

test('an episode without a date has none', async () => {
  const { publish, listed } = await open()
  await publish(episode(1, undefined))
  expect(listed()).toEqual([['Fog 1', undefined]])
})
