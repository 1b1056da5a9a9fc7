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
    settings: async () => (await ida.get(SETTINGS)).json,
    /** Takes devices out of their groups, then joins some. */
    async regroup({ stop = [], join = [] }: { stop?: string[]; join?: string[] }) {
      await ida.post(GROUPS, { 'stop-synchronize': stop })
      await ida.post(GROUPS, { synchronize: [join] })
    },
    list: async (device: string) => new Set(await held(device)),
  }
}

/** The list of the device "old", with `auto_sync` on. */
async function openOn(...urls: string[]) {
  const scene = await open()
  await scene.put('old', ...urls)
  await scene.set({ auto_sync: true })
  return scene
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
    expect((await ida.get(CHANGES)).json).toMatchObject({ add: [] })
    expect(await groups()).toEqual(group([], 'phone', 'desk'))
  })

  test('that would be too many subscriptions changes nothing', async () => {
    const { set, put, groups, settings } = await open({ settings: { max_subscriptions: '3' } })
    await put('phone', A)
    await put('desk', B)
    expectError(await set({ auto_sync: true, speed: 2 }), 409, 'quota_exceeded')
    expect(await settings()).toEqual({})
    expect(await groups()).toEqual(group([], 'phone', 'desk'))
  })
})

type Scene = Awaited<ReturnType<typeof open>>

const CHANGES = '/api/2/subscriptions/ida/new.json'
const EPISODE = { podcast: A, episode: `${A}/1`, device: 'new' }

const CONTACTS: [string, (scene: Scene) => Promise<unknown>, string, string[]][] = [
  ['a fetch of changes', ({ ida }) => ida.get(CHANGES), 'new', []],
  ['an upload of changes', ({ upload }) => upload('new', [OLD], [A]), 'new', [OLD]],
  ['a whole list', ({ put }) => put('new', OLD), 'new', [OLD]],
  ['its name', ({ name }) => name('new'), 'new', []],
  ['an action', ({ ida }) => ida.post('/api/2/episodes/ida.json', [{ ...EPISODE, action: 'download' }]), 'new', []],
  [
    'a chapter',
    ({ ida }) => ida.post('/api/2/chapters/ida.json', { ...EPISODE, chapters_add: [{ start: 1, end: 2 }] }),
    'new',
    [],
  ],
  ['a fetch of a Nextcloud app', ({ ida }) => ida.get('/apps/gpoddersync/subscriptions'), 'gpoddersync', []],
  [
    'an upload of a Nextcloud app',
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
  // With the timestamp of its answer, the new device fetches what the others had.
  const { timestamp: given = 0, add = [] } = Object(Object(answer).json)
  const { json } = await changesSince(name.startsWith('an upload') ? given : 0, uid)
  expect(new Set([...own, ...add, ...Object(json).add])).toEqual(ALL.union(new Set(own)))
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
        await browser.post(CHANGES, { add: [A] })
      },
    ],
    ['it has fetched changes', ({ ida }) => ida.get(CHANGES)],
    [
      'it was named before auto_sync was switched on',
      ({ name, set }) => set({ auto_sync: false }).then(() => name('new').then(() => set({ auto_sync: true }))),
    ],
    [
      'it was an exception for a while',
      async ({ name, regroup }) => {
        await name('new')
        await regroup({ stop: ['new'], join: ['new', 'old'] })
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
    const scene = await openOn(A)
    const { put, list } = scene
    await begin(scene)
    expect(await list('new')).toEqual(new Set([A]))
    expect(await put('new', B)).toMatchObject({ status: 200, text: '' })
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(ALL)
    await put('new', B)
    for (const device of ['old', 'new']) expect(await list(device)).toEqual(new Set([B]))
  })

  test('may be empty, or the list of the others: the next one replaces', async () => {
    for (const first of [[], [A]]) {
      const { put, name, list } = await openOn(A)
      await name('new')
      await put('new', ...first)
      expect(await list('old')).toEqual(new Set([A]))
      await put('new')
      expect(await list('old')).toEqual(new Set())
    }
  })

  test('keeps the podcasts of a group of exceptions, too', async () => {
    const { put, set, name, list, regroup } = await openOn(A)
    await set({ auto_sync: true, auto_sync_except: ['one', 'two'] })
    await put('one', OLD)
    await name('two')
    await regroup({ join: ['one', 'two'] })
    await put('two', B)
    expect([await list('one'), await list('old')]).toEqual([new Set([OLD, B]), new Set([A])])
  })

  test('replaces the list of a group that was made by hand, without auto_sync', async () => {
    const { put, set, name, list, regroup } = await openOn(A)
    await set({ auto_sync: false })
    await name('new')
    await regroup({ join: ['old', 'new'] })
    await put('new', B)
    expect([await list('old'), await list('new')]).toEqual([new Set([B]), new Set([B])])
  })

  test('is not the first one after an upload of changes, whose removals count at once', async () => {
    const { put, name, upload, list } = await openOn(A, B)
    await name('new')
    await upload('new', [OLD], [A])
    expect(await list('old')).toEqual(new Set([B, OLD]))
    await put('new', OLD)
    expect(await list('old')).toEqual(new Set([OLD]))
  })
})

test.each([0, 1])(
  'changes sent before any fetch are answered so that the next delta has the union: timestamp + %d',
  async (more) => {
    const { put, name, upload, changesSince } = await openOn(A)
    await name('new')
    await put('old', A, OLD)
    const since = timestampOf(await upload('new', [B])) + more
    expect(new Set(Object((await changesSince(since, 'new')).json).add)).toEqual(new Set([A, B, OLD]))
    const next = timestampOf(await upload('new', [], [B]))
    expect((await changesSince(next, 'new')).json).toMatchObject({ add: [], remove: [] })
  },
)

test('an app password for reading makes no device by fetching', async () => {
  const { app, groups } = await openOn(A)
  const made = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'reader', scope: 'read' })
  const reader = clientOf(app, basic('ida', Object(made.json).password))
  expect((await reader.get(CHANGES)).json).toMatchObject({ add: [], remove: [] })
  expect(await groups()).toEqual(group([], 'old'))
})

describe('a device that is taken out by hand', () => {
  test('stays out, also when others come, until it is put back or the setting is switched on again', async () => {
    const { ida, put, set, groups, list, regroup, settings } = await open()
    for (const device of ['phone', 'desk', 'car']) await put(device, A)
    await set({ auto_sync: true })
    await regroup({ stop: ['car'] })
    expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
    expect(await settings()).toEqual({ auto_sync: true, auto_sync_except: ['car'] })
    await put('car', OLD)
    await ida.get(CHANGES)
    expect(await groups()).toEqual(group([['phone', 'desk', 'new']], 'car'))
    expect(await list('phone')).toEqual(new Set([A]))
    await regroup({ join: ['car', 'new'] })
    expect(await groups()).toEqual(group([['phone', 'desk', 'car', 'new']]))
    expect(await settings()).toEqual({ auto_sync: true })
    expect(await list('phone')).toEqual(new Set([A, OLD]))
    await regroup({ stop: ['car', 'desk'] })
    expect(await groups()).toEqual(group([['phone', 'new']], 'desk', 'car'))
    await set({ auto_sync: false })
    expect(await settings()).toEqual({ auto_sync: false })
    await set({ auto_sync: true })
    expect(await groups()).toEqual(group([['phone', 'desk', 'car', 'new']]))
  })

  test('comes back when it is no longer an exception, and can be one from the beginning', async () => {
    const { ida, put, set, groups, settings } = await open()
    for (const device of ['phone', 'desk', 'car']) await put(device, A)
    await set({ auto_sync: true, auto_sync_except: ['car', 7] })
    expect(await groups()).toEqual(group([['phone', 'desk']], 'car'))
    await set({}, ['auto_sync_except'])
    expect(await groups()).toEqual(group([['phone', 'desk', 'car']]))
    await set({ auto_sync_except: 'car' })
    expect((await ida.post(GROUPS, { 'stop-synchronize': ['ghost'] })).status).toBe(404)
    expect(await settings()).toEqual({ auto_sync: true, auto_sync_except: 'car' })
  })
})

interface Steps {
  readonly isOff?: boolean
  readonly stop?: string
  readonly join?: string
}

/** Devices a to d of one letter each, in sync; groups are words. */
test.each<[string, Steps, except: string, groups: string[]]>([
  ['takes out a device that is in sync', {}, 'b', ['acd']],
  ['takes out several devices, each on its own', {}, 'bd', ['ac']],
  ['takes out all devices', {}, 'abcd', []],
  ['brings a device of a group of exceptions back, without the other', { stop: 'ab', join: 'ab' }, 'b', ['acd']],
  ['keeps the rest of a group of exceptions together', { stop: 'abc', join: 'abc' }, 'bc', ['ad', 'bc']],
  ['exchanges a device of a group of exceptions for another', { stop: 'ab', join: 'ab' }, 'bc', ['ad']],
  ['switches on and takes a device out of a group made by hand', { isOff: true, stop: 'cd' }, 'b', ['acd']],
  ['switches on and keeps a group of exceptions', { isOff: true, stop: 'cd', join: 'cd' }, 'cd', ['ab', 'cd']],
  ['names a device that is not there yet', {}, 'e', ['abcd']],
])('an edit of auto_sync_except %s', async (_, { isOff, stop = '', join = '' }, except, words) => {
  const { ida, set, put, groups, list, regroup, settings } = await open()
  await set({ auto_sync: true })
  for (const device of 'abcd') await put(device)
  await put('a', A)
  if (isOff) await set({ auto_sync: false })
  await regroup({ stop: [...stop], join: [...join] })
  const wanted = { auto_sync: true, auto_sync_except: [...except] }
  await set(wanted)
  const alone = [...'abcd'].filter((uid) => !words.join('').includes(uid))
  expect(await groups()).toEqual(
    group(
      words.map((word) => [...word]),
      ...alone,
    ),
  )
  expect(await settings()).toEqual(wanted)
  // A device that leaves keeps its subscriptions and gets no new ones of the others.
  for (const device of 'abcd') expect(await list(device)).toEqual(new Set([A]))
  await ida.get(CHANGES)
  await put('new', A, B)
  for (const device of except.replace('e', '')) expect(await list(device)).toEqual(new Set([A]))
  const after = Object(await groups()).synchronized.flat()
  for (const uid of except) expect(after.includes(uid)).toBe(words.join('').includes(uid))
})

const device = fc.constantFrom(...'abcde')
const url = fc.constantFrom('https://1.example/f', 'https://2.example/f', 'https://3.example/f')
const kind = <const Kind extends string>(name: Kind) => fc.constant(name)
const step = fc.oneof(
  fc.record({ kind: kind('look'), device }),
  fc.record({ kind: kind('upload'), device, add: fc.uniqueArray(url), remove: fc.uniqueArray(url) }),
  fc.record({ kind: kind('put'), device, urls: fc.uniqueArray(url) }),
  fc.record({ kind: kind('delete'), device }),
  fc.record({ kind: kind('stop'), device }),
  fc.record({ kind: kind('join'), device, other: device }),
  fc.record({ kind: kind('on') }),
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
