import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { basic, clientOf, cookieOf, signIn } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { A, B, BROWSER, GROUPS, OLD, openSync, SETTINGS, timestampOf } from './scene.ts'

// docs/protocol.md#auto-sync. A model of all devices is in test/properties/sync.test.ts.

async function open(options: Parameters<typeof openSync>[0] = {}) {
  const scene = await openSync(options)
  const { ida, held } = scene
  return {
    ...scene,
    set: (set: Record<string, unknown>, remove: string[] = []) => ida.post(SETTINGS, { set, remove }),
    put: (device: string, ...urls: string[]) => ida.put(`/subscriptions/ida/${device}.txt`, urls.join('\n')),
    name: (device: string) => ida.post(`/api/2/devices/ida/${device}.json`, { caption: 'New' }),
    upload: (device: string, add: string[], remove: string[] = []) =>
      ida.post(`/api/2/subscriptions/ida/${device}.json`, { add, remove }),
    groups: async () => (await ida.get(GROUPS)).json,
    settings: async () => (await ida.get(SETTINGS)).json,
    /** Takes devices out of their groups, then joins some. */
    async regroup({ stop = [], join = [] }: { stop?: string[]; join?: string[] }) {
      await ida.post(GROUPS, { 'stop-synchronize': stop })
      await ida.post(GROUPS, { synchronize: [join] })
    },
    list: async (device: string) => new Set(await held(device)),
  }
}

/** Turns on `auto_sync` for an account whose device "old" has these feeds. */
async function openOn(...urls: string[]) {
  const scene = await open()
  await scene.put('old', ...urls)
  await scene.set({ auto_sync: true })
  return scene
}

const group = (synchronized: string[][], ...others: string[]) => ({ synchronized, 'not-synchronized': others })
const ALL = new Set([A, B])
const CHANGES = '/api/2/subscriptions/ida/new.json'

test('turning auto_sync on joins all devices, and turning it off does not change the group', async () => {
  const { set, put, groups, list } = await open()
  await put('phone', A)
  await put('desk', B)
  expect(await set({ auto_sync: true })).toMatchObject({ status: 200, json: { auto_sync: true } })
  expect(await groups()).toEqual(group([['phone', 'desk']]))
  expect([await list('phone'), await list('desk')]).toEqual([ALL, ALL])
  expect(await set({ auto_sync: false })).toMatchObject({ status: 200, json: { auto_sync: false } })
  await put('car', OLD)
  expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
  expect(await list('car')).toEqual(new Set([OLD]))
})

test.each([[1], ['true'], [null], [[true]], [{ is: true }]])('auto_sync is off for the value %p', async (value) => {
  const { set, put, groups, ida } = await open()
  await put('phone', A)
  await set({ auto_sync: value, note: '"auto_sync":true' })
  expect((await ida.get(CHANGES)).json).toMatchObject({ add: [] })
  expect(await groups()).toEqual(group([], 'phone'))
})

test('turning auto_sync on changes nothing if devices would exceed max_subscriptions', async () => {
  const { set, put, groups, settings } = await open({ settings: { max_subscriptions: '3' } })
  await put('phone', A)
  await put('desk', B)
  expectError(await set({ auto_sync: true, speed: 2 }), 409, 'quota_exceeded')
  expect(await settings()).toEqual({})
  expect(await groups()).toEqual(group([], 'phone', 'desk'))
})

type Scene = Awaited<ReturnType<typeof open>>

const EPISODE = { podcast: A, episode: `${A}/1`, device: 'new' }
const NEXTCLOUD = '/apps/gpoddersync'

const FIRST_REQUESTS: [string, (scene: Scene) => Promise<unknown>, string, string[]][] = [
  ['a fetch of changes', ({ ida }) => ida.get(CHANGES), 'new', []],
  ['an upload of changes', ({ upload }) => upload('new', [OLD], [A]), 'new', [OLD]],
  ['a whole list', ({ put }) => put('new', OLD), 'new', [OLD]],
  ['a caption', ({ name }) => name('new'), 'new', []],
  ['an action', ({ ida }) => ida.post('/api/2/episodes/ida.json', [{ ...EPISODE, action: 'download' }]), 'new', []],
  [
    'a chapter',
    ({ ida }) => ida.post('/api/2/chapters/ida.json', { ...EPISODE, chapters_add: [{ start: 1, end: 2 }] }),
    'new',
    [],
  ],
  ['a fetch by a Nextcloud app', ({ ida }) => ida.get(`${NEXTCLOUD}/subscriptions`), 'gpoddersync', []],
  [
    'an upload by a Nextcloud app',
    ({ ida }) => ida.post(`${NEXTCLOUD}/subscription_change/create`, { add: [OLD], remove: [] }),
    'gpoddersync',
    [OLD],
  ],
]

test.each(FIRST_REQUESTS)(
  'a new device joins the group, adding its own podcasts, by %s',
  async (name, send, uid, own) => {
    const scene = await open()
    const { put, set, groups, list, changesSince } = scene
    await put('phone', A, B)
    await put('desk')
    await set({ auto_sync: true })
    const since = timestampOf(await changesSince(0, 'desk'))
    const answer = await send(scene)
    expect(answer).toMatchObject({ status: 200 })
    expect(await groups()).toEqual(group([['phone', 'desk', uid]]))
    for (const device of ['phone', 'desk', uid]) expect(await list(device)).toEqual(ALL.union(new Set(own)))
    expect((await changesSince(since, 'desk')).json).toMatchObject({ add: own, remove: [] })
    // The timestamp of an upload leads the new device to the podcasts of the others.
    const { timestamp: given = 0, add = [] } = Object(Object(answer).json)
    const { json } = await changesSince(name.startsWith('an upload') ? given : 0, uid)
    expect(new Set([...own, ...add, ...Object(json).add])).toEqual(ALL.union(new Set(own)))
    const { items } = (await scene.ida.get('/api/2/me/changes')).json as { items: unknown[] }
    expect(items).toHaveLength(3)
  },
)

const KNOWN_DEVICES: [string, (scene: Scene) => Promise<unknown>][] = [
  ['has a caption', ({ name }) => name('new')],
  [
    'was managed in a browser',
    async ({ app, ida, name }) => {
      await name('new')
      const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
      await clientOf(app, { ...session, ...BROWSER }).post(CHANGES, { add: [A] })
    },
  ],
  ['has fetched changes', ({ ida }) => ida.get(CHANGES)],
  [
    'got a caption before auto_sync was turned on',
    ({ name, set }) => set({ auto_sync: false }).then(() => name('new').then(() => set({ auto_sync: true }))),
  ],
  [
    'was an exception for a while',
    async ({ name, regroup }) => {
      await name('new')
      await regroup({ stop: ['new'], join: ['new', 'old'] })
    },
  ],
  [
    'was deleted and created again',
    async ({ ida, name, put }) => {
      await put('new', A)
      await ida.delete('/api/2/devices/ida/new.json')
      await name('new')
    },
  ],
]

test.each(KNOWN_DEVICES)(
  'the first list of a device removes nothing if it %s; the next list does',
  async (_, begin) => {
    const scene = await openOn(A)
    const { put, list } = scene
    await begin(scene)
    expect(await list('new')).toEqual(new Set([A]))
    expect(await put('new', B)).toMatchObject({ status: 200, text: '' })
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(ALL)
    await put('new', B)
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(new Set([B]))
  },
)

test('the list after the first one replaces, even if the first one added nothing', async () => {
  for (const first of [[], [A]]) {
    const { put, name, list } = await openOn(A)
    await name('new')
    await put('new', ...first)
    expect(await list('old')).toEqual(new Set([A]))
    await put('new')
    expect(await list('old')).toEqual(new Set())
  }
})

test.each([0, 1])('changes uploaded before any fetch do not hide the union: timestamp + %d', async (more) => {
  const { put, name, upload, changesSince } = await openOn(A)
  await name('new')
  await put('old', A, OLD)
  const since = timestampOf(await upload('new', [B])) + more
  expect(new Set(Object((await changesSince(since, 'new')).json).add)).toEqual(new Set([A, B, OLD]))
  const next = timestampOf(await upload('new', [], [B]))
  expect((await changesSince(next, 'new')).json).toMatchObject({ add: [], remove: [] })
})

test('a fetch with a read-only app password creates no device', async () => {
  const { app, groups } = await openOn(A)
  const made = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'reader', scope: 'read' })
  const reader = clientOf(app, basic('ida', Object(made.json).password))
  expect((await reader.get(CHANGES)).json).toMatchObject({ add: [], remove: [] })
  expect(await groups()).toEqual(group([], 'old'))
})

test('a device that leaves its group by hand is an exception until auto_sync_except is removed', async () => {
  const { ida, put, set, groups, regroup, settings } = await open()
  for (const device of ['phone', 'desk', 'car']) await put(device, A)
  await set({ auto_sync: true, auto_sync_except: [7] })
  await regroup({ stop: ['car'] })
  expect(await settings()).toEqual({ auto_sync: true, auto_sync_except: ['car'] })
  await ida.get(CHANGES)
  expect(await groups()).toEqual(group([['phone', 'desk', 'new']], 'car'))
  await set({}, ['auto_sync_except'])
  expect(await groups()).toEqual(group([['phone', 'desk', 'car', 'new']]))
  // Values that are not a list of device IDs are ignored.
  await set({ auto_sync_except: 'car' })
  expect((await ida.post(GROUPS, { 'stop-synchronize': ['ghost'] })).status).toBe(404)
  expect(await settings()).toEqual({ auto_sync: true, auto_sync_except: 'car' })
})

const device = fc.constantFrom(...'abcde')
const url = fc.constantFrom('https://1.example/f', 'https://2.example/f', 'https://3.example/f')
const urls = fc.uniqueArray(url)
/** Requests for random devices. */
const step = fc.oneof(
  device.map(
    (uid) =>
      ({ ida }: Scene) =>
        ida.get(`/api/2/subscriptions/ida/${uid}.json`),
  ),
  fc.tuple(device, urls, urls).map(
    ([uid, add, remove]) =>
      ({ upload }: Scene) =>
        upload(
          uid,
          add,
          remove.filter((feed) => !add.includes(feed)),
        ),
  ),
  fc.tuple(device, urls).map(
    ([uid, feeds]) =>
      ({ put }: Scene) =>
        put(uid, ...feeds),
  ),
  device.map(
    (uid) =>
      ({ ida }: Scene) =>
        ida.delete(`/api/2/devices/ida/${uid}.json`),
  ),
  device.map(
    (uid) =>
      ({ ida }: Scene) =>
        ida.post(GROUPS, { 'stop-synchronize': [uid] }),
  ),
  fc.tuple(device, device).map(
    (pair) =>
      ({ ida }: Scene) =>
        ida.post(GROUPS, { synchronize: [pair] }),
  ),
  fc.constant(({ set }: Scene) => set({ auto_sync: true })),
)

test('after any concurrent requests, all devices but the exceptions are one group with one list', async () => {
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const scene = await open()
      await scene.set({ auto_sync: true })
      for (const steps of all) await Promise.all(steps.map((send) => send(scene)))
      const { auto_sync_except: except = [] } = (await scene.settings()) as { auto_sync_except?: string[] }
      const status = (await scene.groups()) as { synchronized: string[][]; 'not-synchronized': string[] }
      const known = [...status.synchronized.flat(), ...status['not-synchronized']]
      const together = known.filter((uid) => !except.includes(uid))
      if (together.length > 1)
        expect(status.synchronized.map((uids) => new Set(uids))).toContainEqual(new Set(together))
      for (const uid of together) expect(await scene.list(uid)).toEqual(await scene.list(together[0] ?? ''))
    }),
    { numRuns: 25 },
  )
})
