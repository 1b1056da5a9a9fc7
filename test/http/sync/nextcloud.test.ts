import { describe, expect, test } from 'bun:test'
import { basic, clientOf, cookieOf } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { A, B, EPISODES, OLD, openSync, timestampOf } from './scene.ts'

const PREFIX = '/index.php/apps/gpoddersync'
const SUBSCRIPTIONS = `${PREFIX}/subscriptions`
const CHANGE = `${PREFIX}/subscription_change/create`
const ACTIONS = `${PREFIX}/episode_action`
const REPORT = `${PREFIX}/episode_action/create`

const E1 = 'https://cdn.example/1'
const E2 = 'https://cdn.example/2'
const PLAY = {
  ...{ podcast: A, episode: E1, guid: 'g-1', action: 'PLAY', timestamp: '2025-03-02T09:00:00' },
  ...{ started: 0, position: 61, total: 1800 },
}
const UNKNOWN = { started: -1, position: -1, total: -1 }

test.each([PREFIX, '/apps/gpoddersync', '//index.php/apps//gpoddersync'])(
  'responses below %s have exactly the keys of GPodder Sync (D60)',
  async (prefix) => {
    const { ida } = await openSync()
    const changed = await ida.post(`${prefix}/subscription_change/create`, { add: [A], remove: [] })
    expect([changed.status, changed.json]).toEqual([200, { timestamp: 1740909601 }])
    const { status, json, headers } = await ida.get(`${prefix}/subscriptions`)
    expect([status, json]).toEqual([200, { add: [A], remove: [], timestamp: 1740909601 }])
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/)

    const reported = await ida.post(`${prefix}/episode_action/create`, [PLAY])
    expect([reported.status, reported.json]).toEqual([200, { timestamp: 1740909603 }])
    const listed = await ida.get(`${prefix}/episode_action?since=0`)
    expect([listed.status, listed.json]).toEqual([200, { actions: [PLAY], timestamp: 1740909603 }])
    expect(listed.headers.get('content-type')).toBe('application/json')
    expect(listed.headers.get('access-control-allow-origin')).toBeNull()
  },
)

test('other paths of Nextcloud do not exist, with or without credentials', async () => {
  const { app, ida } = await openSync()
  for (const client of [ida, clientOf(app)])
    for (const path of ['/index.php', PREFIX, `${PREFIX}/personal_settings/metrics`, '/apps/x'])
      expect([path, (await client.get(path)).status]).toEqual([path, 404])
  expect(await ida.get(CHANGE)).toMatchObject({ status: 405 })
})

test('accepts a cookie; refuses requests without credentials or with a wrong password', async () => {
  const { app, ida } = await openSync()
  const cookie = clientOf(app, cookieOf(await ida.get(SUBSCRIPTIONS)))
  expect((await cookie.get(ACTIONS)).status).toBe(200)
  const refused = await clientOf(app).get(ACTIONS)
  expectError(refused, 401, 'unauthorized')
  expect(refused.headers.get('www-authenticate')).toContain('Basic')
  expectError(await clientOf(app, basic('ida', 'wrong')).post(REPORT, [PLAY]), 401, 'invalid_credentials')
})

describe('the virtual device (D61)', () => {
  test.each([
    ['subscriptions', CHANGE, { add: [A] }, 1],
    ['actions', REPORT, [PLAY], 0],
  ])('is created only by an upload of %s', async (_what, path, body, subscriptions) => {
    const { ida, devices } = await openSync()
    for (const read of [SUBSCRIPTIONS, ACTIONS]) await ida.get(read)
    await ida.post(REPORT, [])
    expect(await devices()).toEqual([])
    await ida.post(path, body)
    expect(await devices()).toEqual([
      { id: 'gpoddersync', caption: 'Nextcloud apps', type: 'other', subscriptions, last_contact: expect.any(String) },
    ])
  })

  test('keeps a caption given before', async () => {
    const { ida, devices } = await openSync()
    await ida.post('/api/2/devices/ida/gpoddersync.json', { caption: 'Kasts' })
    await ida.post(CHANGE, { add: [A] })
    expect(await devices()).toMatchObject([{ caption: 'Kasts' }])
  })
})

test.each([
  ['a URL in both lists, in any spelling, is removed', { add: [A.replace('https', 'HTTPS'), B], remove: [A] }, [B]],
  ['invalid URLs are ignored', { add: ['fb:x', '', A, 'gopher://a.example/'], remove: ['fb:x', ' '] }, [A]],
  ['URLs are normalized (D62)', { add: [' HTTPS://A.example/f '] }, ['https://a.example/f']],
  ['missing lists and nulls count as empty', { add: [null, A], remove: null }, [A]],
  ['a subscription in both lists ends', { add: [OLD], remove: [OLD] }, []],
])('in an upload of subscriptions, %s', async (_case, body, expected) => {
  const { ida, held } = await openSync()
  if (expected.length === 0) await ida.post(CHANGE, { add: [OLD] })
  const { status, json } = await ida.post(CHANGE, body)
  expect([status, json]).toEqual([200, { timestamp: expect.any(Number) }])
  expect(await held('gpoddersync')).toEqual(expected)
})

test('an upload of actions drops malformed items, accepts any case, and ignores devices', async () => {
  const { ida, devices } = await openSync()
  const bad = { ...PLAY, action: 'listen' }
  expect((await ida.post(REPORT, [bad])).status).toBe(400)
  const { json } = await ida.post(REPORT, [
    bad,
    { ...PLAY, action: 'play', podcast: ' HTTPS://A.example/f ', device: 'no device!' },
    { ...PLAY, guid: 'g-2', action: 'Download', ...UNKNOWN, timestamp: '2025-03-02T09:00:01+00:00' },
  ])
  expect(json).toEqual({ timestamp: 1740909601 })
  const { device, guid } = { device: 'gpoddersync', guid: 'g-1' }
  expect((await ida.get(EPISODES)).json).toMatchObject({
    actions: [
      { action: 'play', podcast: 'https://a.example/f', device, guid, position: 61 },
      { action: 'download', device, timestamp: '2025-03-02T09:00:01' },
    ],
  })
  expect(await devices()).toMatchObject([{ id: 'gpoddersync' }])
})

const item = (action: string, minute: number, rest: object = {}) => ({
  ...{ podcast: A, episode: E1, action, timestamp: `2025-03-02T09:0${minute}:00` },
  ...rest,
})
const listed = (action: string, minute: number, rest: object = {}) => ({
  ...item(action, minute),
  ...{ guid: null, ...UNKNOWN },
  ...rest,
})
const at = { started: 5, position: 61 }

test.each([
  ['the later of two plays', [], [item('play', 2, at), item('play', 1)], [listed('PLAY', 2, at)]],
  ['an episode that is new again', [], [item('play', 1), item('new', 2)], [listed('NEW', 2)]],
  ['no changes of files', [], [item('download', 1), item('delete', 2), item('flattr', 3)], []],
  ['nothing from before since', [item('play', 1)], [], []],
  ['nothing if only the file changed since', [item('play', 1)], [item('download', 2)], []],
  ['a play uploaded after a download', [item('download', 2)], [item('play', 1)], [listed('PLAY', 1)]],
  ['a play before a download', [], [item('play', 1), item('download', 3)], [listed('PLAY', 1)]],
  [
    'the state after an action that was uploaded late',
    [item('play', 3, at)],
    [item('play', 1)],
    [listed('PLAY', 3, at)],
  ],
  [
    'each episode, in order of time',
    [],
    [item('play', 3), item('play', 1, { episode: E2 }), item('play', 2, { podcast: B })],
    [listed('PLAY', 1, { episode: E2 }), listed('PLAY', 2, { podcast: B }), listed('PLAY', 3)],
  ],
])('the list of actions has %s (D64)', async (_what, before, after, expected) => {
  const { ida } = await openSync()
  const other = { episode: 'https://cdn.example/0' }
  const since = timestampOf(await ida.post(EPISODES, [item('play', 0, other), ...before]))
  await ida.post(EPISODES, after)
  expect((await ida.get(`${ACTIONS}?since=${since}`)).json).toMatchObject({ actions: expected })
  const { json } = await ida.get(ACTIONS)
  if (before.length === 0) expect(json).toMatchObject({ actions: [listed('PLAY', 0, other), ...expected] })
})
