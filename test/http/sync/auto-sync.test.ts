import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { basic, clientOf, cookieOf, signIn } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { A, B, OLD, openSync, timestampOf } from './scene.ts'

/** docs/protocol.md#auto-sync. */

const SETTINGS = '/api/2/settings/ida/account.json'
const GROUPS = '/api/2/sync-devices/ida.json'

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
    list: async (device: string) => new Set(await held(device)),
  }
}

const group = (synchronized: string[][], ...others: string[]) => ({ synchronized, 'not-synchronized': others })
const ALL = new Set([A, B])

describe('switching auto_sync', () => {
  test('on joins all devices, with the union of their lists; off leaves the group as it is', async () => {
    const { set, put, groups, list } = await open()
    await put('phone', A)
    await put('desk', B)
    expect(await set({ auto_sync: true })).toMatchObject({ status: 200, json: { auto_sync: true } })
    expect(await groups()).toEqual(group([['phone', 'desk']]))
    expect([await list('phone'), await list('desk')]).toEqual([ALL, ALL])
    expect(await set({ auto_sync: false })).toMatchObject({ status: 200, json: { auto_sync: false } })
    expect(await groups()).toEqual(group([['phone', 'desk']]))
    await put('car', OLD)
    expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
    expect(await list('car')).toEqual(new Set([OLD]))
  })

  test.each([[1], ['true'], [null], [[true]], [{ is: true }]])('takes nothing but true for on: %p', async (value) => {
    const { set, put, groups, ida } = await open()
    await put('phone', A)
    await put('desk', B)
    await set({ auto_sync: value, note: '"auto_sync":true' })
    expect(await groups()).toEqual(group([], 'phone', 'desk'))
    expect((await ida.get('/api/2/subscriptions/ida/new.json')).json).toMatchObject({ add: [] })
    expect(await groups()).toEqual(group([], 'phone', 'desk'))
  })

  test('that would be too many subscriptions changes nothing', async () => {
    const { set, put, groups, ida } = await open({ settings: { max_subscriptions: '3' } })
    await put('phone', A)
    await put('desk', B)
    expectError(await set({ auto_sync: true, speed: 2 }), 409, 'quota_exceeded')
    expect((await ida.get(SETTINGS)).json).toEqual({})
    expect(await groups()).toEqual(group([], 'phone', 'desk'))
  })
})

type Scene = Awaited<ReturnType<typeof open>>

const action = (fields: Record<string, unknown>) => ({ podcast: A, episode: `${A}/1`, ...fields })

const CONTACTS: [string, (scene: Scene) => Promise<unknown>, string, string[]][] = [
  ['a look at its changes', ({ ida }) => ida.get('/api/2/subscriptions/ida/new.json'), 'new', []],
  ['an upload of changes', ({ upload }) => upload('new', [OLD], [A]), 'new', [OLD]],
  ['a whole list', ({ put }) => put('new', OLD), 'new', [OLD]],
  ['its name', ({ ida }) => ida.post('/api/2/devices/ida/new.json', { caption: 'New' }), 'new', []],
  [
    'an action',
    ({ ida }) =>
      ida.post('/api/2/episodes/ida.json', [{ podcast: A, episode: `${A}/1`, action: 'download', device: 'new' }]),
    'new',
    [],
  ],
  [
    'a chapter',
    ({ ida }) =>
      ida.post('/api/2/chapters/ida.json', {
        ...{ podcast: A, episode: `${A}/1`, device: 'new' },
        chapters_add: [{ start: 1, end: 2 }],
      }),
    'new',
    [],
  ],
  [
    'a look of an app for Nextcloud',
    ({ ida }) => ida.get('/index.php/apps/gpoddersync/subscriptions'),
    'gpoddersync',
    [],
  ],
  [
    'an upload of an app for Nextcloud',
    ({ ida }) => ida.post('/apps/gpoddersync/subscription_change/create', { add: [OLD], remove: [] }),
    'gpoddersync',
    [OLD],
  ],
]

test.each(CONTACTS)('a new device begins with the union, and adds what it has: %s', async (name, contact, uid, own) => {
  const scene = await open()
  const { put, set, groups, list, changesSince } = scene
  await put('phone', A, B)
  await put('desk')
  await set({ auto_sync: true })
  const since = timestampOf(await changesSince(0, 'desk'))
  const answer = await contact(scene)
  expect(answer).toMatchObject({ status: 200 })
  expect(await groups()).toEqual(group([['phone', 'desk', uid]]))
  for (const device of ['phone', 'desk', uid]) expect(await list(device)).toEqual(ALL.union(new Set(own)))
  expect((await changesSince(since, 'desk')).json).toMatchObject({ add: own, remove: [] })
  // By the timestamp that it was given the new one learns of what the others had.
  const given = Reflect.get(Object(Reflect.get(Object(answer), 'json')), 'timestamp')
  const told = new Set([...own, ...[Reflect.get(Object(Reflect.get(Object(answer), 'json')), 'add') ?? []].flat()])
  const { json } = await changesSince(typeof given === 'number' && name.startsWith('an upload') ? given : 0, uid)
  for (const url of [Reflect.get(Object(json), 'add')].flat()) told.add(url)
  expect(told).toEqual(ALL.union(new Set(own)))
  const { items } = (await scene.ida.get('/api/2/me/changes')).json as { items: unknown[] }
  expect(items).toHaveLength(3)
})

describe('the first list of a device that the server knows already', () => {
  const NAMED: [string, (scene: Scene) => Promise<unknown>][] = [
    ['it was named', ({ name }) => name('new')],
    [
      'the user has managed it in a browser',
      async ({ app, ida, name }) => {
        await name('new')
        const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
        const browser = clientOf(app, { ...session, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
        await browser.post('/api/2/subscriptions/ida/new.json', { add: [A] })
      },
    ],
    ['it was named by PUT', ({ ida }) => ida.put('/api/2/devices/ida/new.json', '{}')],
    ['it has fetched changes', ({ ida }) => ida.get('/api/2/subscriptions/ida/new.json')],
    ['it was named and has read the list', ({ name, list }) => name('new').then(() => list('new'))],
    [
      'it has reported an action',
      ({ ida }) => ida.post('/api/2/episodes/ida.json', [action({ action: 'download', device: 'new' })]),
    ],
    [
      'it has marked a chapter',
      ({ ida }) =>
        ida.post('/api/2/chapters/ida.json', {
          ...{ podcast: A, episode: `${A}/1`, device: 'new' },
          chapters_add: [{ start: 1, end: 2 }],
        }),
    ],
    [
      'it was named before auto_sync was switched on',
      async ({ name, set }) => {
        await set({ auto_sync: false })
        await name('new')
        await set({ auto_sync: true })
      },
    ],
    [
      'it was an exception for a while',
      async ({ ida, name }) => {
        await name('new')
        await ida.post(GROUPS, { 'stop-synchronize': ['new'] })
        await ida.post(GROUPS, { synchronize: [['new', 'old']] })
      },
    ],
    [
      'it was deleted and named again',
      async ({ ida, name, put }) => {
        await put('new', A)
        await ida.delete('/api/2/devices/ida/new.json')
        await name('new')
      },
    ],
  ]

  test.each(NAMED)('removes nothing from the others, and the next one does: %s', async (_, begin) => {
    const scene = await open()
    const { put, set, list } = scene
    await put('old', A)
    await set({ auto_sync: true })
    await begin(scene)
    expect(await list('new')).toEqual(new Set([A]))
    expect(await put('new', B)).toMatchObject({ status: 200, text: '' })
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(ALL)
    await put('new', B)
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(new Set([B]))
  })

  test('may be empty, or what the others have: the next one replaces', async () => {
    for (const first of [[], [A]]) {
      const { put, set, name, list } = await open()
      await put('old', A)
      await set({ auto_sync: true })
      await name('new')
      await put('new', ...first)
      expect(await list('old')).toEqual(new Set([A]))
      await put('new')
      expect(await list('old')).toEqual(new Set())
    }
  })

  test('keeps the podcast of a group of exceptions, too', async () => {
    const { ida, put, set, name, list } = await open()
    await put('old', A)
    await set({ auto_sync: true, auto_sync_except: ['one', 'two'] })
    await put('one', OLD)
    await name('two')
    await ida.post(GROUPS, { synchronize: [['one', 'two']] })
    await put('two', B)
    expect([await list('one'), await list('old')]).toEqual([new Set([OLD, B]), new Set([A])])
  })

  test('replaces the list of a group that was made by hand, without auto_sync', async () => {
    const { ida, put, name, list } = await open()
    await put('old', A)
    await name('new')
    await ida.post(GROUPS, { synchronize: [['old', 'new']] })
    await put('new', B)
    expect([await list('old'), await list('new')]).toEqual([new Set([B]), new Set([B])])
  })

  test('is not the first one after an upload of changes, whose removals count at once', async () => {
    const { put, set, name, upload, list } = await open()
    await put('old', A, B)
    await set({ auto_sync: true })
    await name('new')
    await upload('new', [OLD], [A])
    expect(await list('old')).toEqual(new Set([B, OLD]))
    await put('new', OLD)
    expect(await list('old')).toEqual(new Set([OLD]))
  })

  test('or first changes, if sent before any fetch, are answered so that the next delta brings all of the union', async () => {
    for (const keeps of [0, 1]) {
      const { put, set, name, upload, changesSince } = await open()
      await put('old', A)
      await set({ auto_sync: true })
      await name('new')
      await put('old', A, OLD)
      const since = timestampOf(await upload('new', [B])) + keeps
      const { json } = await changesSince(since, 'new')
      expect(new Set([Reflect.get(Object(json), 'add')].flat())).toEqual(new Set([A, B, OLD]))
      const next = timestampOf(await upload('new', [], [B]))
      expect((await changesSince(next, 'new')).json).toMatchObject({ add: [], remove: [] })
    }
  })
})

test('two new devices at once, and a third one beside, end in one group with one list', async () => {
  const { put, upload, set, groups, list, ida } = await open()
  await put('phone', A)
  await set({ auto_sync: true })
  await Promise.all([
    upload('one', [B]),
    put('two', OLD),
    ida.get('/api/2/subscriptions/ida/three.json'),
    ida.get('/api/2/subscriptions/ida/three.json'),
  ])
  const { synchronized } = (await groups()) as { synchronized: string[][] }
  expect(synchronized.map((uids) => new Set(uids))).toEqual([new Set(['phone', 'one', 'two', 'three'])])
  for (const device of ['phone', 'one', 'two', 'three']) expect(await list(device)).toEqual(new Set([A, B, OLD]))
})

test('an app password for reading makes no device by looking', async () => {
  const { app, set, put, groups } = await open()
  await put('phone', A)
  await set({ auto_sync: true })
  const browser = await signIn(app)
  const made = await browser.post('/api/2/me/app-passwords', { name: 'reader', scope: 'read' })
  const reader = clientOf(app, basic('ida', String(Reflect.get(Object(made.json), 'password'))))
  expect((await reader.get('/api/2/subscriptions/ida/new.json')).json).toMatchObject({ add: [], remove: [] })
  expect(await groups()).toEqual(group([], 'phone'))
})

describe('a device that is taken out by hand', () => {
  test('stays out, also when others come, until it is put back or the setting is switched on again', async () => {
    const { ida, put, set, groups, list } = await open()
    for (const device of ['phone', 'desk', 'car']) await put(device, A)
    await set({ auto_sync: true })
    await ida.post(GROUPS, { 'stop-synchronize': ['car'] })
    expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
    expect((await ida.get(SETTINGS)).json).toEqual({ auto_sync: true, auto_sync_except: ['car'] })
    await put('car', OLD)
    await ida.get('/api/2/subscriptions/ida/new.json')
    expect(await groups()).toEqual(group([['phone', 'desk', 'new']], 'car'))
    expect(await list('phone')).toEqual(new Set([A]))
    await ida.post(GROUPS, { synchronize: [['car', 'new']] })
    expect(await groups()).toEqual(group([['phone', 'desk', 'car', 'new']]))
    expect((await ida.get(SETTINGS)).json).toEqual({ auto_sync: true })
    expect(await list('phone')).toEqual(new Set([A, OLD]))
    await ida.post(GROUPS, { 'stop-synchronize': ['car', 'desk'] })
    expect(await groups()).toEqual(group([['phone', 'new']], 'desk', 'car'))
    // Two exceptions may be a group of their own.
    await ida.post(GROUPS, { synchronize: [['desk', 'car']] })
    expect(await groups()).toEqual(
      group([
        ['phone', 'new'],
        ['desk', 'car'],
      ]),
    )
    await set({ auto_sync: false })
    expect((await ida.get(SETTINGS)).json).toEqual({ auto_sync: false })
    await set({ auto_sync: true })
    expect(await groups()).toEqual(group([['phone', 'desk', 'car', 'new']]))
  })

  test('comes back when it is no exception any more, and can be one from the beginning', async () => {
    const { ida, put, set, groups } = await open()
    for (const device of ['phone', 'desk', 'car']) await put(device, A)
    await set({ auto_sync: true, auto_sync_except: ['car', 7] })
    expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
    await set({}, ['auto_sync_except'])
    expect(await groups()).toEqual(group([['phone', 'desk', 'car']]))
    await set({ auto_sync_except: 'car' })
    expect((await ida.post(GROUPS, { 'stop-synchronize': ['ghost'] })).status).toBe(404)
    expect((await ida.get(SETTINGS)).json).toEqual({ auto_sync: true, auto_sync_except: 'car' })
  })
})

describe('editing auto_sync_except', () => {
  const stop = (...uids: string[]) => ({ 'stop-synchronize': uids })
  const join = (...uids: string[]) => ({ synchronize: [uids] })

  test.each<[string, (scene: Scene) => Promise<unknown>, string[], string[][], string[]]>([
    ['takes out a device that is in sync', async () => undefined, ['b'], [['a', 'c', 'd']], ['b']],
    ['takes out several devices, each on its own', async () => undefined, ['b', 'd'], [['a', 'c']], ['b', 'd']],
    ['takes out all devices', async () => undefined, ['a', 'b', 'c', 'd'], [], ['a', 'b', 'c', 'd']],
    [
      'brings one device of a group of exceptions back, without the other',
      async ({ ida }) => {
        await ida.post(GROUPS, stop('a', 'b'))
        await ida.post(GROUPS, join('a', 'b'))
      },
      ['b'],
      [['a', 'c', 'd']],
      ['b'],
    ],
    [
      'keeps the rest of a group of exceptions together',
      async ({ ida }) => {
        await ida.post(GROUPS, stop('a', 'b', 'c'))
        await ida.post(GROUPS, join('a', 'b', 'c'))
      },
      ['b', 'c'],
      [
        ['a', 'd'],
        ['b', 'c'],
      ],
      [],
    ],
    [
      'exchanges a device of a group of exceptions for another device',
      async ({ ida }) => {
        await ida.post(GROUPS, stop('a', 'b'))
        await ida.post(GROUPS, join('a', 'b'))
      },
      ['b', 'c'],
      [['a', 'd']],
      ['b', 'c'],
    ],
    [
      'together with switching it on takes a device out of a group that was made by hand',
      async ({ ida, set }) => {
        await set({ auto_sync: false })
        await ida.post(GROUPS, stop('c', 'd'))
      },
      ['b'],
      [['a', 'c', 'd']],
      ['b'],
    ],
    [
      'together with switching it on keeps a group of exceptions that was made by hand',
      async ({ ida, set }) => {
        await set({ auto_sync: false })
        await ida.post(GROUPS, stop('c', 'd'))
        await ida.post(GROUPS, join('c', 'd'))
      },
      ['c', 'd'],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      [],
    ],
    ['names a device that is not there yet', async () => undefined, ['e'], [['a', 'b', 'c', 'd']], []],
  ])('%s', async (_, begin, except, synchronized, alone) => {
    const scene = await open()
    const { ida, set, put, groups, list } = scene
    await set({ auto_sync: true })
    for (const device of ['a', 'b', 'c', 'd']) await put(device)
    await put('a', A)
    await begin(scene)
    await set({ auto_sync: true, auto_sync_except: except })
    expect(await groups()).toEqual(group(synchronized, ...alone))
    expect((await ida.get(SETTINGS)).json).toEqual({ auto_sync: true, auto_sync_except: except })
    // A device that leaves keeps its subscriptions and gets no new ones of the others.
    for (const device of ['a', 'b', 'c', 'd']) expect(await list(device)).toEqual(new Set([A]))
    await ida.get('/api/2/subscriptions/ida/new.json')
    await put('new', A, B)
    for (const device of except.filter((uid) => uid !== 'e')) expect(await list(device)).toEqual(new Set([A]))
    const { synchronized: after } = (await groups()) as { synchronized: string[][] }
    for (const uid of except) expect(after.flat().includes(uid)).toBe(synchronized.flat().includes(uid))
  })
})

const DEVICES = ['a', 'b', 'c', 'd', 'e']
const device = fc.constantFrom(...DEVICES)
const url = fc.constantFrom('https://1.example/f', 'https://2.example/f', 'https://3.example/f')
const step = fc.oneof(
  fc.record({ kind: fc.constant('look' as const), device }),
  fc.record({ kind: fc.constant('upload' as const), device, add: fc.uniqueArray(url), remove: fc.uniqueArray(url) }),
  fc.record({ kind: fc.constant('put' as const), device, urls: fc.uniqueArray(url) }),
  fc.record({ kind: fc.constant('delete' as const), device }),
  fc.record({ kind: fc.constant('stop' as const), device }),
  fc.record({ kind: fc.constant('join' as const), device, other: device }),
  fc.record({ kind: fc.constant('on' as const) }),
)

test('whatever happens, also at once, all devices but the exceptions are one group with one list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 12 }), async (rounds) => {
      const { ida, set, put, upload, list } = await open()
      await set({ auto_sync: true })
      for (const steps of rounds)
        await Promise.all(
          steps.map((each) => {
            if (each.kind === 'on') return set({ auto_sync: true })
            if (each.kind === 'look') return ida.get(`/api/2/subscriptions/ida/${each.device}.json`)
            if (each.kind === 'put') return put(each.device, ...each.urls)
            if (each.kind === 'delete') return ida.delete(`/api/2/devices/ida/${each.device}.json`)
            if (each.kind === 'stop') return ida.post(GROUPS, { 'stop-synchronize': [each.device] })
            if (each.kind === 'join') return ida.post(GROUPS, { synchronize: [[each.device, each.other]] })
            const remove = each.remove.filter((feed) => !each.add.includes(feed))
            return upload(each.device, each.add, remove)
          }),
        )
      const { auto_sync_except: except = [] } = (await ida.get(SETTINGS)).json as { auto_sync_except?: string[] }
      const status = (await ida.get(GROUPS)).json as { synchronized: string[][]; 'not-synchronized': string[] }
      const known = [...status.synchronized.flat(), ...status['not-synchronized']]
      const together = known.filter((uid) => !except.includes(uid))
      if (together.length > 1)
        expect(status.synchronized.map((uids) => new Set(uids))).toContainEqual(new Set(together))
      for (const uid of together) expect(await list(uid)).toEqual(await list(together[0] ?? ''))
    }),
    { numRuns: 40 },
  )
})
