import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

/** Addresses that are offered in place of those that people have: after a move, and by https instead of http. */

const MOVES = '/api/2/me/moves'
const UPGRADES = '/api/2/me/upgrades'
const OLD = 'https://feeds.example/old'
const NEW = 'https://elsewhere.example/new'
const HTTP = 'http://feeds.example/a'
const HTTPS = 'https://feeds.example/a'
const MOVE = { url: OLD, new_url: NEW }
const UPGRADE = { http_url: HTTP, https_url: HTTPS }

const add = (client: Client, name: string, device: string, ...urls: string[]) =>
  client.post(`/api/2/subscriptions/${name}/${device}.json`, { add: urls })

const settingsOf = (url: string) => `/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(url)}`

async function open() {
  const app = startTestApp({ settings: { registration: 'open' } })
  const ida = await signUp(app, 'ida')
  return {
    app,
    ida,
    ole: await signUp(app, 'ole'),
    offered: async (path: string) => (await ida.get(path)).json,
    changes: async (device: string, since: unknown = 1) =>
      (await ida.get(`/api/2/subscriptions/ida/${device}.json?since=${since}`)).json,
  }
}

/** Ida has `from` on the phone; its last fetch ended for good at `to`. */
async function openMoved(from = OLD, to = NEW) {
  const scene = await open()
  await add(scene.ida, 'ida', 'phone', from)
  await scene.app.idle()
  await scene.app.rowsOf('UPDATE podcasts SET moved_to = $1 WHERE url = $2', to, from)
  return scene
}

test('a move is offered once to each subscriber of the feed, on however many devices', async () => {
  const { ida, ole, offered } = await openMoved()
  await add(ida, 'ida', 'desk', OLD)
  expect(await offered(MOVES)).toEqual([{ ...MOVE, title: OLD }])
  expect((await ole.get(MOVES)).json).toEqual([])
})

test.each([
  ['from http to http', 'http://a.example/f', 'http://b.example/f', true],
  ['to another path', OLD, 'https://feeds.example/other', true],
  ['to https at the same address, which is an upgrade', 'http://a.example/f', 'https://a.example/f', false],
  ['back to http', OLD, 'http://elsewhere.example/new', false],
  ['to what nobody could subscribe to', OLD, 'https://somebody:secret@elsewhere.example/new', false],
])('a move is offered or not: %s', async (_what, from, to, isOffered) => {
  const { offered } = await openMoved(from, to)
  expect(await offered(MOVES)).toEqual(isOffered ? [{ url: from, new_url: to, title: from }] : [])
})

const insert = (columns: string, values: string) =>
  `INSERT INTO podcasts (url, created_at, ${columns}) VALUES ('${HTTPS}', 0, ${values})`

test.each([
  ['the https feed was fetched once', insert('succeeded_at, is_secret, is_private', '1, 0, 0'), true],
  ['the http feed leads there', `UPDATE podcasts SET moved_to = '${HTTPS}'`, true],
  ['the http feed leads elsewhere', "UPDATE podcasts SET moved_to = 'https://feeds.example/b'", false],
  ['nobody has had the https feed', insert('is_secret, is_private', '0, 0'), false],
])('an upgrade is offered or not: %s', async (_how, sql, isOffered) => {
  const { app, ida, offered } = await open()
  await add(ida, 'ida', 'phone', HTTP)
  expect(await offered(UPGRADES)).toEqual([])
  await app.rowsOf(sql)
  expect(await offered(UPGRADES)).toEqual(isOffered ? [{ ...UPGRADE, title: HTTP }] : [])
})

test('an upgrade is offered for the same address by https, which somebody has, unless the device has both', async () => {
  const { ida, ole, offered } = await open()
  await add(ole, 'ole', 'phone', HTTPS)
  await add(ida, 'ida', 'phone', HTTP, HTTPS, 'http://feeds.example/A', 'http://feeds.example:8080/a', `${HTTP}?b`)
  expect(await offered(UPGRADES)).toEqual([])
  for (const device of ['desk', 'car']) await add(ida, 'ida', device, HTTP)
  expect(await offered(UPGRADES)).toEqual([{ ...UPGRADE, title: HTTP }])
  for (const device of ['phone', 'desk', 'car'])
    await ida.post(`/api/2/subscriptions/ida/${device}.json`, { remove: [HTTP] })
  expect(await offered(UPGRADES)).toEqual([])
})

describe('a change of address that is asked for', () => {
  test('exchanges the feeds on every device that has it, and every one of them learns of it', async () => {
    const { ida, ole, offered, changes } = await open()
    await add(ole, 'ole', 'phone', HTTPS)
    await add(ida, 'ida', 'phone', HTTP, 'https://feeds.example/x')
    await add(ida, 'ida', 'desk', HTTP, HTTPS)
    await add(ida, 'ida', 'car', 'https://feeds.example/x')
    await ida.post(settingsOf(HTTP), { set: { public_subscription: false } })
    const since = Object(await changes('car')).timestamp
    const { status, json } = await ida.post(UPGRADES, UPGRADE)
    expect([status, json]).toEqual([200, { status: 'ok', devices: ['phone', 'desk'], timestamp: expect.any(Number) }])
    expect(await changes('phone', since)).toMatchObject({ add: [HTTPS], remove: [HTTP] })
    expect(await changes('desk', since)).toMatchObject({ add: [], remove: [HTTP] })
    expect(await changes('car', since)).toMatchObject({ add: [], remove: [] })
    expect(await offered(UPGRADES)).toEqual([])
    expect((await ida.get(settingsOf(HTTPS))).json).toEqual({ public_subscription: false })
  })

  test('does so in their sync groups, and keeps what was set for the podcast', async () => {
    const { ida, offered, changes } = await openMoved()
    await add(ida, 'ida', 'desk', 'https://feeds.example/x')
    await add(ida, 'ida', 'car', OLD, NEW)
    await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    await ida.post(settingsOf(OLD), { set: { public_subscription: false } })
    const moved = { status: 'ok', devices: expect.arrayContaining(['phone', 'desk', 'car']) }
    expect((await ida.post(MOVES, MOVE)).json).toMatchObject(moved)
    for (const device of ['phone', 'desk', 'car'])
      expect(await changes(device)).toMatchObject({ add: expect.arrayContaining([NEW]), remove: [OLD] })
    expect(await offered(MOVES)).toEqual([])
    expect((await ida.get(settingsOf(NEW))).json).toEqual({ public_subscription: false })
  })

  const twins = (path: string) => ({
    http_url: `http://feeds.example/${path}`,
    https_url: `https://feeds.example/${path}`,
  })

  test.each<[string, string, unknown, string | undefined]>([
    ['another new address', MOVES, { ...MOVE, new_url: 'https://mine.example/' }, 'new_url'],
    ['a feed only others have', UPGRADES, twins('o'), undefined],
    ['another https feed', UPGRADES, { ...UPGRADE, https_url: 'https://feeds.example/b' }, 'https_url'],
    ['a feed whose https twin is unknown', UPGRADES, twins('u'), 'https_url'],
  ])('with %s is refused and changes nothing', async (_case, path, body, field) => {
    const { app, ida, ole } = await openMoved()
    await add(ida, 'ida', 'phone', HTTP, 'http://feeds.example/u')
    await add(ole, 'ole', 'desk', 'http://feeds.example/o', 'https://feeds.example/o', HTTPS)
    await app.indexed()
    const before = await stored(app)
    const answer = await ida.post(path, body)
    if (field === undefined) expectError(answer, 404, 'unknown_podcast')
    else expectError(answer, 400, 'validation_failed', field)
    expect(await stored(app)).toBe(before)
  })
})
