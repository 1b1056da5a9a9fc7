import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const FEED = 'https://feeds.example/a?x=1&y=%2F'
const EPISODE = 'https://cdn.example/1.mp3?part=2'

const at = (name: string, scope: string, target: Record<string, string> = {}) =>
  `/api/2/settings/${name}/${scope}.json?${new URLSearchParams(target)}`

/** One thing of each scope. */
const THINGS: readonly (readonly [scope: string, target: Record<string, string>])[] = [
  ['account', {}],
  ['device', { device: 'phone' }],
  ['podcast', { podcast: FEED }],
  ['episode', { podcast: FEED, episode: EPISODE }],
]

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.post('/api/2/devices/ida/phone.json')
  return { app, ida }
}

describe.each(THINGS)('the settings of scope %s', (scope, target) => {
  const path = at('ida', scope, target)

  test('are an empty object at first', async () => {
    const { ida } = await open()
    const { status, text, headers } = await ida.get(path)
    expect([status, text]).toEqual([200, '{}'])
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('are set key by key; the answer is what there is then, and stays', async () => {
    const { ida } = await open()
    expect((await ida.post(path, { set: { speed: 1.5, skip: 30 } })).text).toBe('{"speed":1.5,"skip":30}')
    expect((await ida.post(path, { set: { speed: 2, on: true } })).text).toBe('{"speed":2,"skip":30,"on":true}')
    expect((await ida.get(path)).text).toBe('{"speed":2,"skip":30,"on":true}')
  })

  test('are removed key by key, after all that is set; what is not there does no harm', async () => {
    const { ida } = await open()
    await ida.post(path, { set: { a: 1, b: 2, c: 3 } })
    expect((await ida.post(path, { remove: ['a', 'nothing'] })).text).toBe('{"b":2,"c":3}')
    expect((await ida.post(path, { set: { b: 9, d: 4 }, remove: ['b', 'd'] })).text).toBe('{"c":3}')
  })

  test('belong to nothing and to nobody else', async () => {
    const { app, ida } = await open()
    const ole = await signUp(app, 'ole')
    await ole.post('/api/2/devices/ole/phone.json')
    await ole.post('/api/2/devices/ole/desk.json')
    await ida.post('/api/2/devices/ida/desk.json')
    await ida.post(path, { set: { mine: scope } })
    const others: readonly (readonly [string, Record<string, string>])[] = [
      ['device', { device: 'desk' }],
      ['podcast', { podcast: 'https://feeds.example/b' }],
      ['podcast', { podcast: EPISODE }],
      ['episode', { podcast: FEED, episode: FEED }],
      ['episode', { podcast: EPISODE, episode: EPISODE }],
      ['episode', { podcast: EPISODE, episode: FEED }],
      ...THINGS.filter(([name]) => name !== scope),
    ]
    for (const [name, other] of others) expect((await ida.get(at('ida', name, other))).text).toBe('{}')
    for (const [name, other] of [...others, ...THINGS]) expect((await ole.get(at('ole', name, other))).text).toBe('{}')
    await ole.post(at('ole', scope, target), { set: { mine: 'ole' }, remove: [] })
    expect((await ida.get(path)).json).toEqual({ mine: scope })
  })

  test.each<[string, string, string]>([
    ['nothing', '', 'invalid_json'],
    ['white space', ' \n', 'invalid_json'],
    ['half an object', '{"set":{"a":1}', 'invalid_json'],
    ['a list', '[]', 'body'],
    ['null', 'null', 'body'],
    ['a number', '1', 'body'],
    ['a number that is kept exactly', '1.0', 'body'],
    ['a text', '"set"', 'body'],
    ['null to set', '{"set":null}', 'set'],
    ['a list to set', '{"set":[{"a":1}]}', 'set'],
    ['a text to set', '{"set":"a"}', 'set'],
    ['a number to set', '{"set":1}', 'set'],
    ['a number to set that is kept exactly', '{"set":1.0}', 'set'],
    ['null to remove', '{"set":{"a":2},"remove":null}', 'remove'],
    ['an object to remove', '{"set":{"a":2},"remove":{"a":1}}', 'remove'],
    ['one key to remove', '{"set":{"a":2},"remove":"a"}', 'remove'],
    ['a number to remove', '{"set":{"a":2},"remove":["a",1]}', 'remove'],
    ['null among what to remove', '{"set":{"a":2},"remove":[null]}', 'remove'],
  ])('are not changed by %s', async (_what, body, blamed) => {
    const { app, ida } = await open()
    await ida.post(path, { set: { a: 1 } })
    const before = stored(app)
    const answer = await ida.post(path, body)
    if (blamed === 'invalid_json') expectRefusal(answer, 400, 'invalid_json')
    else expectRefusal(answer, 400, 'validation_failed', blamed)
    expect(stored(app)).toBe(before)
  })
})

describe.each(['GET', 'POST'])('%s is refused', (method) => {
  const body = method === 'POST' ? { set: { a: 1 } } : undefined

  test.each<[string, string, number, string, string | undefined]>([
    ['an unknown scope', 'user.json', 404, 'not_found', undefined],
    ['a scope in capitals', 'Account.json', 404, 'not_found', undefined],
    ['a scope that every object knows', 'constructor.json', 404, 'not_found', undefined],
    ['no scope', '.json', 404, 'not_found', undefined],
    ['another format', 'account.xml', 404, 'not_found', undefined],
    ['no format', 'account', 404, 'not_found', undefined],
    ['no device', 'device.json', 400, 'validation_failed', 'device'],
    ['a device without a name', 'device.json?device=', 400, 'validation_failed', 'device'],
    ['a device that nobody knows', 'device.json?device=desk', 404, 'unknown_device', undefined],
    ['a device in another case', 'device.json?device=Phone', 404, 'unknown_device', undefined],
    ['a device that only others have', 'device.json?device=boat', 404, 'unknown_device', undefined],
    ['no device ID', 'device.json?device=a%20b', 400, 'validation_failed', 'device'],
    ['no podcast', 'podcast.json?device=phone', 400, 'validation_failed', 'podcast'],
    ['a podcast without a URL', 'podcast.json?podcast=', 400, 'validation_failed', 'podcast'],
    ['a podcast of blanks', 'podcast.json?podcast=%20', 400, 'validation_failed', 'podcast'],
    ['no URL', 'podcast.json?podcast=harbour', 400, 'validation_failed', 'podcast'],
    [
      'a URL of another kind',
      'podcast.json?podcast=ftp%3A%2F%2Ffeeds.example%2Fa',
      400,
      'validation_failed',
      'podcast',
    ],
    [
      'an endless URL',
      `podcast.json?podcast=https://a.example/${'a'.repeat(2048)}`,
      400,
      'validation_failed',
      'podcast',
    ],
    ['no podcast of an episode', `episode.json?episode=${EPISODE}`, 400, 'validation_failed', 'podcast'],
    ['no episode', 'episode.json?podcast=https://feeds.example/a', 400, 'validation_failed', 'episode'],
    ['no URL of an episode', 'episode.json?podcast=https://a.example&episode=1', 400, 'validation_failed', 'episode'],
    ['an episode of no podcast', `episode.json?podcast=1&episode=${EPISODE}`, 400, 'validation_failed', 'podcast'],
  ])('%s', async (_what, path, status, word, field) => {
    const { app, ida } = await open()
    await (await signUp(app, 'ole')).post('/api/2/devices/ole/boat.json')
    const before = stored(app)
    expectRefusal(await ida.call(method, `/api/2/settings/ida/${path}`, { body }), status, word, field)
    expect(stored(app)).toBe(before)
  })
})

describe('a feed is the same one however its URL is written:', () => {
  test('and nothing becomes known by it: neither podcast nor episode nor device', async () => {
    const { app, ida } = await open()
    const rows = () =>
      ['podcasts', 'episodes', 'devices'].map((table) => app.db.query(`SELECT * FROM ${table}`).values())
    const before = rows()
    for (const [scope, target] of THINGS) await ida.post(at('ida', scope, target), { set: { a: 1 } })
    expect(rows()).toEqual(before)
  })
})

test('the settings of a device go with it; a new one of the same name has none', async () => {
  const { ida } = await open()
  for (const [scope, target] of THINGS) await ida.post(at('ida', scope, target), { set: { of: scope } })
  await ida.delete('/api/2/devices/ida/phone.json')
  expectRefusal(await ida.get(at('ida', 'device', { device: 'phone' })), 404, 'unknown_device')
  await ida.post('/api/2/devices/ida/phone.json')
  for (const [scope, target] of THINGS)
    expect((await ida.get(at('ida', scope, target))).json).toEqual(scope === 'device' ? {} : { of: scope })
})
