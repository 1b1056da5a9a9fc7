import { describe, expect, test } from 'bun:test'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const urlOf = (path: string) => `https://cdn.example/${path}`
const episode = (path: string, fields: Partial<FeedEpisode> = {}) =>
  feedEpisode({ url: urlOf(path), guid: 'fog', title: 'Fog', ...fields })
const DAY = 24 * HOUR
const YEAR = 365 * DAY
/** Episode number `n`, dated by its feed. */
const dated = (n: number, released: number, title = `Fog ${n}`) =>
  episode(`${n}.mp3`, { guid: `${n}`, title, released })

/** Ida has feeds A and B, whose contents are set with `publish`. */
async function open(settings: Record<string, string> = {}) {
  const options = { settings: { rate_limit: 'false', ...settings } }
  const { app, ida, script, feeds, row } = await openFeedScene([A, B], options)
  const count = (what: string) => app.db.query<{ n: number }, []>(`SELECT ${what} AS n`).get()?.n ?? Number.NaN
  /** Number of rows written since the start. */
  const written = () => count('total_changes()')
  return {
    app,
    ida,
    row,
    async publish(episodes: readonly FeedEpisode[], url = A) {
      script.answer = async () => feedOf('', { document: feedDocument({ episodes }), bodyHash: `${written()}` })
      await feeds.refresh(url)
    },
    rows: () => ['episodes', 'episode_details'].map((table) => count(`(SELECT COUNT(*) FROM ${table})`)),
    written,
    idOf: (path: string) =>
      app.db.query<{ id: number }, [string]>('SELECT id FROM episodes WHERE url = ?').get(urlOf(path))?.id,
    async listed(url = A) {
      const { json } = await ida.get(`/api/2/data/podcast/episodes.json?url=${encodeURIComponent(url)}`)
      return json
    },
    /** Titles with seconds since the start, in the order of the list. */
    dates: () =>
      app.db
        .query('SELECT title, released - ? FROM episode_details ORDER BY released DESC, episode_id DESC')
        .values(START),
    lookUp: (path: string) =>
      ida.get(`/api/2/data/episode.json?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(urlOf(path))}`),
    play: (path: string) =>
      ida.post('/api/2/episodes/ida.json', [{ podcast: A, episode: urlOf(path), action: 'play', position: 9 }]),
  }
}

describe('a feed whose episode addresses change each time', () => {
  test('has its episodes written once, if only the query differs', async () => {
    const { publish, rows, written, listed } = await open()
    await publish([episode('1.mp3?sig=1'), episode('2.mp3?sig=1', { guid: 'ebb' })])
    const before = written()
    for (const n of [2, 3, 4]) await publish([episode(`1.mp3?sig=${n}`), episode(`2.mp3?sig=${n}`, { guid: 'ebb' })])
    // Each check writes one small row.
    expect(written() - before).toBe(3)
    expect(rows()).toEqual([2, 2])
    expect(await listed()).toMatchObject({ total: 2 })
  })

  test('has each episode once, with its ID, under its last address', async () => {
    const { publish, rows, listed, idOf } = await open()
    await publish([episode('host1/1.mp3')])
    const id = idOf('host1/1.mp3')
    for (const n of [2, 3, 4]) await publish([episode(`host${n}/1.mp3`)])
    expect(rows()).toEqual([1, 1])
    expect(idOf('host4/1.mp3')).toBe(id)
    expect(await listed()).toMatchObject({ total: 1, episodes: [{ url: urlOf('host4/1.mp3') }] })
  })

  test('does not affect other podcasts that use the same guids', async () => {
    const { publish, listed } = await open()
    await publish([episode('a.mp3')], A)
    await publish([episode('b.mp3')], B)
    await publish([episode('c.mp3')], B)
    expect(await listed(A)).toMatchObject({ total: 1, episodes: [{ url: urlOf('a.mp3') }] })
    expect(await listed(B)).toMatchObject({ total: 1, episodes: [{ url: urlOf('c.mp3') }] })
  })

  test('keeps episodes without guids, up to the limit, and no rows beyond that', async () => {
    const { publish, rows } = await open({ feed_max_episodes: '10' })
    for (let n = 0; n < 15; n++) await publish([episode(`${n}.mp3`, { guid: '' })])
    expect(rows()).toEqual([10, 10])
  })
})

describe('an episode known to an app or user by its old address', () => {
  test.each([true, false])('keeps it, and is listed only by the new one; heard, not marked: %p', async (isHeard) => {
    const { ida, publish, play, listed, lookUp } = await open()
    await publish([episode('old.mp3')])
    const settings = `/api/2/settings/ida/episode.json?podcast=${A}&episode=${urlOf('old.mp3')}`
    await (isHeard ? play('old.mp3') : ida.post(settings, { set: { is_favorite: true } }))
    await publish([episode('new.mp3', { title: 'Fog lifts' })])
    expect(await listed()).toMatchObject({ total: 1, episodes: [{ url: urlOf('new.mp3'), title: 'Fog lifts' }] })
    expect(await lookUp('old.mp3')).toMatchObject({ status: 200, json: { title: 'Fog' } })
    expect(await lookUp('new.mp3')).toMatchObject({ status: 200, json: { title: 'Fog lifts' } })
    const known = { episode: urlOf('old.mp3'), episode_title: 'Fog' }
    expect((await ida.get('/api/2/me/history')).json).toMatchObject({ events: isHeard ? [known] : [] })
  })

  test('is listed by the old address when the feed returns to it, and does not count twice', async () => {
    const { publish, play, listed, lookUp, rows } = await open({ feed_max_episodes: '10' })
    const others = Array.from({ length: 9 }, (_, n) => episode(`${n}.mp3`, { guid: `${n}` }))
    await publish([episode('old.mp3'), ...others])
    await play('old.mp3')
    await publish([episode('new.mp3'), ...others])
    expect(await listed()).toMatchObject({ total: 10 })
    expect(await lookUp('old.mp3')).toMatchObject({ status: 200 })
    await publish([episode('old.mp3'), ...others])
    expect(await listed()).toMatchObject({
      total: 10,
      episodes: expect.arrayContaining([expect.objectContaining({ url: urlOf('old.mp3') })]),
    })
    expect(rows()).toEqual([10, 10])
  })
})

test('an address that an app has named before the feed keeps its row', async () => {
  const { publish, play, rows, idOf, listed } = await open()
  await publish([episode('old.mp3')])
  await play('new.mp3')
  const id = idOf('new.mp3')
  await publish([episode('new.mp3')])
  expect(idOf('new.mp3')).toBe(id)
  expect(rows()).toEqual([1, 1])
  expect(await listed()).toMatchObject({ total: 1, episodes: [{ url: urlOf('new.mp3') }] })
})

describe('an episode dated in the future', () => {
  test.each([1, DAY, 70 * YEAR])('is dated when it was first seen: %i seconds ahead', async (ahead) => {
    const { app, publish, dates } = await open()
    await publish([dated(1, START - HOUR)])
    app.clock.advance(HOUR)
    await publish([dated(2, START + HOUR + ahead), dated(1, START - HOUR)])
    expect(dates()).toEqual([
      ['Fog 2', HOUR],
      ['Fog 1', -HOUR],
    ])
  })

  test('is not written again as time passes', async () => {
    const { app, publish, written, dates } = await open()
    await publish([dated(1, START + HOUR)])
    const before = written()
    for (const _ of [1, 2, 3]) {
      app.clock.advance(HOUR)
      await publish([dated(1, START + HOUR)])
    }
    // Each check writes one small row.
    expect(written() - before).toBe(3)
    expect(dates()).toEqual([['Fog 1', 0]])
  })

  test('by more than a day gets the date of its feed once that has passed, since the clock may have been behind', async () => {
    const { app, publish, written, dates } = await open()
    const [late, soon] = [dated(2, START + 18 * DAY), dated(1, START + DAY)]
    await publish([late, soon])
    app.clock.advance(17 * DAY)
    await publish([late, soon])
    expect(dates()).toEqual([
      ['Fog 2', 0],
      ['Fog 1', 0],
    ])
    app.clock.advance(3 * DAY)
    for (const _ of [1, 2]) await publish([late, soon])
    expect(dates()).toEqual([
      ['Fog 2', 18 * DAY],
      ['Fog 1', 0],
    ])
    const before = written()
    await publish([late, soon])
    expect(written() - before).toBe(1)
  })

  test('keeps its date when it changes, and follows a corrected date', async () => {
    const { app, publish, dates } = await open()
    await publish([dated(1, START + YEAR)])
    app.clock.advance(HOUR)
    await publish([dated(1, START + YEAR, 'Fog lifts')])
    expect(dates()).toEqual([['Fog lifts', 0]])
    await publish([dated(1, START - HOUR)])
    expect(dates()).toEqual([['Fog 1', -HOUR]])
  })

  test('is not the first to be deleted beyond the limit', async () => {
    const { publish, dates } = await open({ feed_max_episodes: '10' })
    const old = Array.from({ length: 10 }, (_, n) => dated(n, START - (n + 1) * HOUR))
    await publish(old)
    await publish([dated(11, START + YEAR), ...old])
    expect(dates()[0]).toEqual(['Fog 11', 0])
    expect(dates()).toHaveLength(10)
  })

  test('does not make its feed look active for ever', async () => {
    const { app, publish, row } = await open()
    await publish([dated(1, START + 70 * YEAR)])
    app.clock.advance(400 * DAY)
    await publish([dated(1, START + 70 * YEAR)])
    expect((await row(A))?.['next_check_at']).toBeGreaterThanOrEqual(START + 400 * DAY + 0.9 * DAY)
  })
})
