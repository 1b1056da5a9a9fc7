import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { basic, signUp } from '../../support/client.ts'
import { EPISODES, openSync } from './scene.ts'

/** Answers that are too long for one go are read and sent piece by piece. */

const T = 1_740_000_000

/** The action number `n`, with which hundreds share a second; its position is the order of uploading. */
function play(n: number, second = T + (n % 4 === 0 ? (n * 7) % 5000 : (n % 4) * 1000), episode = `${(n * 7) % 701}`) {
  return {
    ...{ podcast: `https://feeds.example/${n % 3}`, episode: `https://cdn.example/${episode}`, device: 'phone' },
    ...{ action: 'play', timestamp: new Date(second * 1000).toISOString().slice(0, 19), position: n },
  }
}

/** One action before, between and after all others. */
const LATER = [T - 1, T + 2000, T + 9_999_999].map((second, n) => play(3600 + n, second, `late${n}`))

/** Opens Ida's long history and reads its first piece. Bo has the same history. */
async function openHistory(options: TestAppOptions = {}) {
  const { app, ida } = await openSync(options)
  const bo = await signUp(app, 'bo')
  const all = Array.from({ length: 3600 }, (_, n) => play(n))
  for (const actions of [all.slice(0, 2995), all.slice(2995)]) {
    expect(await ida.post(EPISODES, actions)).toMatchObject({ status: 200 })
    await bo.post('/api/2/episodes/bo.json', actions)
    app.clock.advance(60)
  }
  const headers = { ...basic('ida', 'seaglass'), 'user-agent': 'slow reader' }
  const reader = (await app.fetch(new Request(`http://localhost${EPISODES}`, { headers }))).body?.getReader()
  if (!reader) throw new Error('the answer has no body')
  const pieces = [(await reader.read()).value]
  return { app, ida, all, reader, pieces }
}

test('what is uploaded while a long history is being sent is not in it, but found with its timestamp', async () => {
  const { ida, all, reader, pieces } = await openHistory()
  expect((await ida.post(EPISODES, LATER)).status).toBe(200)
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value)
  expect(pieces.length).toBeGreaterThan(3)
  const { actions, timestamp } = JSON.parse(Buffer.concat(pieces.flatMap((piece) => piece ?? [])).toString())
  const byTime = all.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp) || a.position - b.position)
  expect(actions).toEqual(byTime)
  for (const since of [timestamp, timestamp + 1])
    expect((await ida.get(`${EPISODES}?since=${since}`)).json).toMatchObject({ actions: LATER })
})

test('other requests are served during a long download, and a client that disconnects causes no error', async () => {
  const { app, ida, reader } = await openHistory()
  expect((await ida.get(`${EPISODES}?since=1999999999`)).json).toMatchObject({ actions: [] })
  await reader.cancel()
  expect((await ida.post(EPISODES, LATER)).status).toBe(200)
  expect(app.logs.filter((line) => line.includes('"error"'))).toEqual([])
})

test('a user may fetch ten long answers at a time, independent of other users, and any number of short ones', async () => {
  // Only on SQLite are they opened sooner than read.
  const { app, ida, reader } = await openHistory({ db: openMemoryDatabase() })
  await reader.cancel()
  const open = (more: Record<string, string> = {}, signal: AbortSignal | null = null) => {
    const headers = { ...basic('ida', 'seaglass'), ...more }
    return app.fetch(new Request(`http://localhost${EPISODES}`, { headers, signal }))
  }
  const gone = new AbortController()
  const downloads = [
    await open({ 'accept-encoding': 'gzip' }),
    await open({}, gone.signal),
    ...(await Promise.all(Array.from({ length: 8 }, () => open()))),
  ]
  expect(downloads.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const refused = await ida.get(EPISODES)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(refused.text).toContain('"rate_limited"')
  expect((await ida.get('/api/2/devices/ida.json')).status).toBe(200)

  // Room is there again when one is read to its end, is given up, or has lost its client.
  const [first, , third] = downloads
  await first?.arrayBuffer()
  await third?.body?.cancel()
  gone.abort()
  const more = [await open(), await open(), await open()]
  expect(more.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await open()).status).toBe(429)
  for (const response of [...downloads.slice(3), ...more]) await response.body?.cancel()
  expect((await ida.get(EPISODES)).status).toBe(200)
})
