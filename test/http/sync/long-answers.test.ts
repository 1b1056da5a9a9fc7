import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { basic } from '../../support/client.ts'
import { DEVICES, EPISODES, openSync } from './scene.ts'

// Long histories are read and sent in pieces.

const T = 1_740_000_000

/** Action `n`; hundreds of them share a second. Their positions are the order of upload. */
function play(n: number, second = T + (n % 4 === 0 ? (n * 7) % 5000 : (n % 4) * 1000), episode = `${(n * 7) % 701}`) {
  return {
    ...{ podcast: `https://feeds.example/${n % 3}`, episode: `https://cdn.example/${episode}`, device: 'phone' },
    ...{ action: 'play', timestamp: new Date(second * 1000).toISOString().slice(0, 19), position: n },
  }
}

/** An action before, between and after all others. */
const LATER = [T - 1, T + 2000, T + 9_999_999].map((second, n) => play(3600 + n, second, `late${n}`))

const HISTORY = Array.from({ length: 3600 }, (_, n) => play(n))

/** Uploads a long history and reads its first piece. */
async function openHistory(options: TestAppOptions = {}) {
  const { app, ida } = await openSync(options)
  for (const actions of [HISTORY.slice(0, 2995), HISTORY.slice(2995)]) {
    expect(await ida.post(EPISODES, actions)).toMatchObject({ status: 200 })
    app.clock.advance(60)
  }
  const headers = { ...basic('ida', 'seaglass'), 'user-agent': 'slow reader' }
  const reader = (await app.fetch(new Request(`http://localhost${EPISODES}`, { headers }))).body?.getReader()
  if (!reader) throw new Error('the response has no body')
  const pieces = [(await reader.read()).value]
  return { app, ida, reader, pieces }
}

test('actions uploaded during a long download are not in it, but follow with its timestamp', async () => {
  const { ida, reader, pieces } = await openHistory()
  expect((await ida.post(EPISODES, LATER)).status).toBe(200)
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value)
  expect(pieces.length).toBeGreaterThan(3)
  const { actions, timestamp } = JSON.parse(Buffer.concat(pieces.flatMap((piece) => piece ?? [])).toString())
  const byTime = HISTORY.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp) || a.position - b.position)
  expect(actions).toEqual(byTime)
  for (const since of [timestamp, timestamp + 1])
    expect((await ida.get(`${EPISODES}?since=${since}`)).json).toMatchObject({ actions: LATER })
})

test('a user may have ten long downloads at a time, and any number of short ones', async () => {
  // Only SQLite opens downloads before they are read.
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
  expect((await ida.get(DEVICES)).status).toBe(200)

  // A download that is read to its end, cancelled or aborted makes room for another.
  const [first, , third] = downloads
  await first?.arrayBuffer()
  await third?.body?.cancel()
  gone.abort()
  const more = [await open(), await open(), await open()]
  expect(more.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await open()).status).toBe(429)
  for (const response of [...downloads.slice(3), ...more]) await response.body?.cancel()
  expect((await ida.get(EPISODES)).status).toBe(200)
  expect(app.logs.filter((line) => line.includes('"error"'))).toEqual([])
})
