import { describe, expect, test } from 'bun:test'
import { basic, clientOf, cookieOf } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { A, B, DEVICES, EPISODES, OLD, openSync, timestampOf } from './scene.ts'

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
const time = (minute: number) => `2025-03-02T09:${String(minute).padStart(2, '0')}:00`

describe.each([[PREFIX], ['/apps/gpoddersync'], ['//index.php/apps//gpoddersync']])('below %s (D60)', (prefix) => {
  test('subscriptions and actions go up and come down, as exactly these keys', async () => {
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
  })
})

test('everything else of a Nextcloud does not exist, with credentials or without', async () => {
  const { app, ida } = await openSync()
  for (const client of [ida, clientOf(app)])
    for (const path of ['/index.php', '/index.php/apps/gpoddersync', `${PREFIX}/personal_settings/metrics`, '/apps/x'])
      expect([path, (await client.get(path)).status]).toEqual([path, 404])
  expect(await ida.get(CHANGE)).toMatchObject({ status: 405 })
})

test('a cookie is enough; without credentials or with a wrong password they are refused', async () => {
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
  ])('is made by the first upload of %s, and by nothing else', async (_what, path, body, subscriptions) => {
    const { ida } = await openSync()
    for (const read of [SUBSCRIPTIONS, ACTIONS]) await ida.get(read)
    await ida.post(REPORT, [])
    expect((await ida.get(DEVICES)).json).toEqual([])
    await ida.post(path, body)
    expect((await ida.get(DEVICES)).json).toEqual([
      { id: 'gpoddersync', caption: 'Nextcloud apps', type: 'other', subscriptions, last_contact: expect.any(String) },
    ])
  })

  test('keeps the caption that somebody gave it', async () => {
    const { ida } = await openSync()
    await ida.post('/api/2/devices/ida/gpoddersync.json', { caption: 'Kasts' })
    await ida.post(CHANGE, { add: [A] })
    expect((await ida.get(DEVICES)).json).toMatchObject([{ caption: 'Kasts' }])
  })
})

describe('an upload of subscriptions', () => {
  test.each([
    ['a URL in both lists is removed, in any spelling', { add: [A.replace('https', 'HTTPS'), B], remove: [A] }, [B]],
    ['unusable URLs are passed over', { add: ['fb:x', '', A, 'gopher://a.example/'], remove: ['fb:x', ' '] }, [A]],
    ['URLs are normalized (D62)', { add: [' HTTPS://A.example/f '] }, ['https://a.example/f']],
    ['missing lists and nulls are nothing', { add: [null, A], remove: null }, [A]],
    ['a subscription in both lists ends', { add: [OLD], remove: [OLD] }, []],
  ])('%s', async (_case, body, expected) => {
    const { ida, held } = await openSync()
    if (expected.length === 0) await ida.post(CHANGE, { add: [OLD] })
    const { status, json } = await ida.post(CHANGE, body)
    expect([status, json]).toEqual([200, { timestamp: expect.any(Number) }])
    expect(await held('gpoddersync')).toEqual(expected)
  })
})

describe('an upload of actions', () => {
  test.each([
    ['malformed items only', [{ ...PLAY, action: 'listen' }], 400],
    ['an empty list', [], 200],
  ])('of %s %j is answered with %i', async (_what, body, status) => {
    const { ida } = await openSync()
    expect((await ida.post(REPORT, body)).status).toBe(status)
  })

  test('leaves malformed items out, takes kinds in any case, and ignores devices; the answer is the time alone', async () => {
    const { ida } = await openSync()
    const { json } = await ida.post(REPORT, [
      { ...PLAY, action: 'listen' },
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
    expect((await ida.get(DEVICES)).json).toMatchObject([{ id: 'gpoddersync' }])
  })
})

describe('the list of actions (D64)', () => {
  const item = (action: string, minute: number, rest: object = {}) => ({
    ...{ podcast: A, episode: E1, action, timestamp: time(minute) },
    ...rest,
  })
  const listed = (action: string, minute: number, rest: object = {}) => ({
    ...{ podcast: A, episode: E1, guid: null, action, timestamp: time(minute), ...UNKNOWN },
    ...rest,
  })
  const at = { started: 5, position: 61 }

  test.each([
    ['the latest of two', [], [item('play', 2, at), item('play', 1)], [listed('PLAY', 2, at)]],
    ['an episode that is new again', [], [item('play', 1), item('new', 2)], [listed('NEW', 2)]],
    ['nothing of a file', [], [item('download', 1), item('delete', 2), item('flattr', 3)], []],
    ['nothing that was told before', [item('play', 1)], [], []],
    ['nothing where only the file changed since', [item('play', 1)], [item('download', 2)], []],
    ['a play after a change of the file', [item('download', 2)], [item('play', 1)], [listed('PLAY', 1)]],
    ['a play before a change of the file', [], [item('play', 1), item('download', 3)], [listed('PLAY', 1)]],
    ['the state of an episode with a late report', [item('play', 3, at)], [item('play', 1)], [listed('PLAY', 3, at)]],
    [
      'each episode, in the order of time',
      [],
      [item('play', 3), item('play', 1, { episode: E2 }), item('play', 2, { podcast: B })],
      [listed('PLAY', 1, { episode: E2 }), listed('PLAY', 2, { podcast: B }), listed('PLAY', 3)],
    ],
  ])('has %s', async (_what, before, after, expected) => {
    const { ida } = await openSync()
    const other = { episode: 'https://cdn.example/0' }
    const since = timestampOf(await ida.post(EPISODES, [item('play', 0, other), ...before]))
    await ida.post(EPISODES, after)
    expect((await ida.get(`${ACTIONS}?since=${since}`)).json).toMatchObject({ actions: expected })
    const { json } = await ida.get(ACTIONS)
    if (before.length === 0) expect(json).toMatchObject({ actions: [listed('PLAY', 0, other), ...expected] })
  })
})
