import { expect, test } from 'bun:test'
import { SHORT_LIST } from '../../../src/domain/shared/lists.ts'
import { readOpml } from '../../../src/formats/opml.ts'
import { basic, type Client, signUp } from '../../support/client.ts'
import { CHANGES, EPISODES, openSync, timestampOf } from './scene.ts'

/** Lists that are too long for one go are read and sent piece by piece; they look like short ones. */

const feeds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `https://feeds.example/${String(from + n).padStart(6, '0')}`)

const LATE = 'https://late.example/f'
const PHONE = '/subscriptions/ida/phone'
const DESK = '/subscriptions/ida/desk.json'
const OWN = '/api/2/me/subscriptions'

const jsonOf = async (client: Client, path: string) => [(await client.get(path)).json].flat()
const textOf = async (client: Client, path: string) => (await client.get(path)).text
const opmlOf = async (client: Client, path: string) => [...readOpml(await textOf(client, path))].flat()

const READERS: Readonly<Record<string, (client: Client) => Promise<readonly unknown[]>>> = {
  'JSON of a device': (client) => jsonOf(client, `${PHONE}.json`),
  text: async (client) => (await textOf(client, `${PHONE}.txt`)).trimEnd().split('\n'),
  'OPML of a device': (client) => opmlOf(client, `${PHONE}.opml`),
  'OPML of a user': (client) => opmlOf(client, '/subscriptions/ida.opml'),
  'JSON of a user': (client) => jsonOf(client, '/subscriptions/ida.json'),
  XML: async (client) => (await textOf(client, '/subscriptions/ida.xml')).match(/<url>.*<\/url>/g) ?? [],
  'own subscriptions': (client) => jsonOf(client, OWN),
  'a delta': async (client) => Reflect.get(Object((await client.get(`${CHANGES}?since=0`)).json), 'add'),
}

test('a list with one more than is sent in one go is the same list with one more, in every form', async () => {
  const { app, ida } = await openSync()
  const readAll = async () =>
    new Map(await Promise.all(Object.entries(READERS).map(async ([name, read]) => [name, await read(ida)] as const)))
  await ida.put(`${PHONE}.json`, feeds(0, SHORT_LIST))
  await ida.put(DESK, feeds(500, 900))
  // Over all devices there are too many already; over one there are not.
  const long = await readAll()
  await ida.delete('/api/2/devices/ida/desk.json')
  const short = await readAll()
  app.clock.advance(60)
  await ida.post(CHANGES, { add: [LATE] })
  const longer = await readAll()
  for (const [name, list] of short) {
    expect([name, list.length, longer.get(name)?.length]).toEqual([name, SHORT_LIST, SHORT_LIST + 1])
    // The short list was read when there was one device less.
    expect(JSON.stringify(long.get(name)).replaceAll('["phone","desk"]', '["phone"]')).toBe(JSON.stringify(list))
    expect(longer.get(name)?.slice(0, -1)).toEqual([...list])
    expect(JSON.stringify(longer.get(name)?.at(-1))).toContain(LATE)
  }
  // It follows the end of a device as well.
  await ida.put(DESK, [`${LATE}/2`])
  expect(await jsonOf(ida, OWN)).toHaveLength(SHORT_LIST + 2)
  await ida.delete('/api/2/devices/ida/desk.json')
  expect(await jsonOf(ida, OWN)).toHaveLength(SHORT_LIST + 1)
})

test('a long list of changes names what is gone; what comes while it is being sent comes with the next one', async () => {
  const { app, ida, changesSince } = await openSync()
  await ida.put(`${PHONE}.json`, feeds(0, 1500))
  const since = timestampOf(await changesSince(0))
  await ida.put(`${PHONE}.json`, feeds(750, SHORT_LIST + 1000))
  const headers = basic('ida', 'seaglass')
  const response = await app.fetch(new Request(`http://localhost${CHANGES}?since=${since}`, { headers }))
  // Nothing of the answer has been asked for yet.
  const late = { add: [LATE], remove: feeds(2500, 2501) }
  await ida.post(CHANGES, late)
  const changes = Object(await response.json())
  expect(new Set(changes.add)).toEqual(new Set(feeds(1500, SHORT_LIST + 1000)))
  expect(new Set(changes.remove)).toEqual(new Set(feeds(0, 750)))
  expect((await changesSince(changes.timestamp)).json).toMatchObject(late)
})

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

/** Ida with a long history, which somebody else has as well, and of which the first piece has been sent. */
async function openHistory() {
  const { app, ida } = await openSync()
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

test('while a long history is being sent others are served, and a reader that goes away harms nobody', async () => {
  const { app, ida, reader } = await openHistory()
  expect((await ida.get(`${EPISODES}?since=1999999999`)).json).toMatchObject({ actions: [] })
  await reader.cancel()
  expect((await ida.post(EPISODES, LATER)).status).toBe(200)
  expect(app.logs.filter((line) => line.includes('"error"'))).toEqual([])
})

test('a user may fetch ten long lists at a time, whatever others fetch, and short ones beside them', async () => {
  const { app, ida } = await openSync()
  await ida.put(`${PHONE}.json`, feeds(0, SHORT_LIST + 1))
  const path = `${PHONE}.json`
  const open = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        headers: { ...basic('ida', 'seaglass'), ...headers },
        ...(signal && { signal }),
      }),
    )
  const gone = new AbortController()
  const downloads = [
    await open({ 'accept-encoding': 'gzip' }),
    await open({}, gone.signal),
    ...(await Promise.all(Array.from({ length: 8 }, () => open()))),
  ]
  expect(downloads.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const refused = await ida.get(path)
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
  expect(await jsonOf(ida, path)).toHaveLength(SHORT_LIST + 1)
})
