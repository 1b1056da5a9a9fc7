import { expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, signIn, signUp } from '../support/client.ts'
import { readMetrics, WITH_TOKEN } from '../support/metrics.ts'
import { fillPath, isRecord, needsBrowser, operationsOf } from '../support/openapi.ts'
import { stored } from './stored.ts'

/** Hostile values for all endpoints. */

const FEED = 'https://feeds.example/a'

const app = startTestApp({ settings: { rate_limit: 'false' } })
const ida = await signUp(app)
const browser = await signIn(app)
const { json: document } = await ida.get('/openapi.json')

/** All parameters in the query of a `GET`. */
const QUERIES = operationsOf(document).flatMap(({ method, path, operation }) => {
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].filter(isRecord) : []
  const names = parameters.filter((each) => each['in'] === 'query').map((each) => String(each['name']))
  const client = needsBrowser(operation) ? browser : ida
  return method === 'get' ? names.map((name) => ({ address: fillPath(path), name, client })) : []
})

test('a repeated query parameter is refused or one of its values is used', async () => {
  expect(QUERIES.length).toBeGreaterThan(40)
  const before = await stored(app)
  for (const { address, name, client } of QUERIES)
    for (const values of [
      ['1', '2'],
      ['1', "x'"],
      ['', '1'],
      [FEED, 'https://feeds.example/b'],
    ]) {
      const of = async (query: string) => {
        const { status } = await client.get(`${address}${address.includes('?') ? '&' : '?'}${query}`)
        return status
      }
      const single = await Promise.all(values.map((value) => of(`${name}=${encodeURIComponent(value)}`)))
      const both = await of(values.map((value) => `${name}=${encodeURIComponent(value)}`).join('&'))
      expect([address, name, values, [400, ...single].includes(both)]).toEqual([address, name, values, true])
    }
  expect(await stored(app)).toEqual(before)
})

/** Would end a statement that they are inserted into. */
const HOSTILE = ["'); DELETE FROM users; --", '"; DROP TABLE devices; --', "' OR '1'='1", '%_\\', '?1', ':name', '$a']

test('SQL in values is stored as text, and neither finds nor changes anything else', async () => {
  const users = () => app.rowsOf('SELECT id, username, password_hash FROM users')
  const before = await users()
  for (const [n, text] of HOSTILE.entries()) {
    const url = new URL(`${FEED}?${encodeURIComponent(text)}`).href
    const title = `Title ${text}`
    expect((await ida.post('/api/2/devices/ida/phone.json', { caption: text })).status).toBe(200)
    const { json: devices } = await ida.get('/api/2/devices/ida.json')
    expect(devices).toMatchObject([{ caption: text }])
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [url], titles: { [url]: title } })
    const { json: list } = await ida.get('/subscriptions/ida.json')
    expect(list).toContainEqual(expect.objectContaining({ url, title }))
    await ida.post('/api/2/settings/ida/account.json', { set: { [text]: text }, remove: [] })
    expect((await ida.get('/api/2/settings/ida/account.json')).json).toMatchObject({ [text]: text })
    const action = { podcast: url, episode: `${url}/1.mp3`, action: 'download', device: 'phone', guid: text }
    expect((await ida.post('/api/2/episodes/ida.json', [action])).status).toBe(200)
    const { json: actions } = await ida.get(`/api/2/episodes/ida.json?podcast=${encodeURIComponent(url)}`)
    expect(actions).toMatchObject({ actions: [{ podcast: url }] })
    const q = encodeURIComponent(text)
    for (const path of [
      `/search.json?q=${q}`,
      `/api/2/me/history?q=${q}`,
      `/api/2/tag/${q}/5.json`,
      '/api/2/tags/5.json',
    ])
      expect([path, (await ida.get(path)).status < 500]).toEqual([path, true])
    for (const name of [text, `ida${text}`])
      expect((await clientOf(app, basic(name, 'seaglass')).get('/api/2/me')).status).toBe(401)
    expect((await clientOf(app, { cookie: `sessionid=${q}` }).get('/api/2/me')).status).toBe(401)
    expect((await ida.get('/subscriptions/ida.json')).json).toHaveLength(n + 1)
  }
  expect(await users()).toEqual(before)
})

test('guessed passwords show in the metrics and in the log', async () => {
  const watched = startTestApp({ settings: { ...WITH_TOKEN, access_log: 'true' } })
  await signUp(watched)
  const thief = clientOf(watched, basic('ida', 'guess'))
  for (let n = 0; n < 12; n++) await thief.get('/api/2/me')
  await readMetrics(watched)
  const told = await readMetrics(watched)
  const countOf = (status: number) =>
    told.get(`podstep_http_requests_total{method="GET",route="/api/2/me",status="${status}"}`)
  expect([countOf(401), countOf(429)]).toEqual([10, 2])
  expect(watched.logs.join('').match(/"status":(?:401|429)/g)).toHaveLength(12)
})
