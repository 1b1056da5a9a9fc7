import './support/browser-globals.ts'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { autoSync, ensureAccountSettings, loadAccountSettings } from '../../src/web/store/sync/account-settings.ts'
import {
  autoSyncGains,
  decline,
  enableAutoSync,
  ensureSyncOffer,
  offerFor,
  reloadSyncOffer,
  syncOffer,
} from '../../src/web/store/sync/sync-offer.ts'
import { signInAs } from './support/account.ts'
import { fakeServer, type SentRequest } from './support/fake-server.ts'

const [A, B, C] = ['https://a.example/f', 'https://b.example/f', 'https://c.example/f']
const BROWSER = 'browser-0000000001'

/** Podcasts by device. */
type Lists = Readonly<Record<string, readonly string[]>>

function input(lists: Lists, groups: readonly (readonly string[])[] = [], more: object = {}) {
  const ids = Object.keys(lists)
  const urls = [...new Set(Object.values(lists).flat())]
  return {
    devices: ids.map((id) => ({ id, caption: id, subscriptions: lists[id]?.length ?? 0 })),
    groups,
    holders: new Map(urls.map((url) => [url, new Set(ids.filter((id) => lists[id]?.includes(url)))])),
    except: [],
    declined: '',
    ...more,
  }
}

describe('the offer', () => {
  test('lists the podcasts each device would get from the others, most first', () => {
    expect(offerFor(input({ phone: [A, B], desk: [B, C], car: [] }))).toEqual({
      devices: ['phone', 'desk', 'car'],
      gains: [
        { devices: ['car'], urls: [A, B, C] },
        { devices: ['phone'], urls: [C] },
        { devices: ['desk'], urls: [A] },
      ],
      isGift: false,
    })
  })

  test('treats a sync group as one device', () => {
    expect(offerFor(input({ phone: [A], desk: [A], car: [B] }, [['phone', 'desk']]))?.gains).toEqual([
      { devices: ['phone', 'desk'], urls: [B] },
      { devices: ['car'], urls: [A] },
    ])
  })

  test.each<[name: string, lists: Lists, groups: string[][], more: object]>([
    ['there is one device', { phone: [A] }, [], {}],
    ['all are in sync already', { phone: [A], desk: [A] }, [['phone', 'desk']], {}],
    ['the other device is a browser without podcasts', { phone: [A], [BROWSER]: [] }, [], {}],
    ['the other device is an exception', { phone: [A], car: [B] }, [], { except: ['car'] }],
    ['the user has declined', { phone: [A], car: [B] }, [], { declined: 'car phone' }],
  ])('is not made when %s', (_, lists, groups, more) => {
    expect(offerFor(input(lists, groups, more))).toBeUndefined()
  })

  test('is made again for a new device', () => {
    expect(offerFor(input({ phone: [A], car: [B], tv: [] }, [], { declined: 'car phone' }))?.devices).toHaveLength(3)
  })

  test('is a gift to the first app if all podcasts were added in the browser', () => {
    expect(offerFor(input({ [BROWSER]: [A, B], phone: [] }))).toMatchObject({
      isGift: true,
      gains: [{ devices: ['phone'], urls: [A, B] }, { urls: [] }],
    })
    const others: readonly Lists[] = [
      ...[
        { [BROWSER]: [A], phone: [B] },
        { [BROWSER]: [], phone: [], desk: [] },
        { desk: [A], phone: [] },
      ],
      { [BROWSER]: [A], phone: [], desk: [] },
    ]
    for (const lists of others) expect(offerFor(input(lists))).toMatchObject({ isGift: false })
  })
})

describe('on the page', () => {
  let users = 0
  let groups: string[][] = []
  let settings: object = {}

  function answer({ line, body }: SentRequest): unknown {
    if (line.includes('/sync-devices/')) {
      const { synchronize, 'stop-synchronize': stop } = Object(body)
      if (stop) groups = []
      if (synchronize) groups = synchronize
      return { synchronized: groups, 'not-synchronized': [] }
    }
    if (line.includes('/settings/')) return settings
    if (line.startsWith('GET') && line.includes('/devices/'))
      return ['phone', 'desk', 'car'].map((id) => ({ id, caption: id, subscriptions: 1 }))
    if (line.includes('/me/podcast')) return { devices: [] }
    if (line.startsWith('POST')) return { timestamp: 1, update_urls: [] }
    return [
      { url: A, devices: ['phone', 'desk'] },
      { url: B, devices: ['car'] },
    ]
  }

  beforeEach(() => {
    signInAs(`ida${++users}`)
    groups = [['phone', 'desk']]
    settings = {}
  })

  afterEach(() => localStorage.clear())

  test('it is made once a device is not in sync, and the settings are loaded only then', async () => {
    groups = [['phone', 'desk', 'car']]
    const requests = fakeServer(answer)
    await ensureSyncOffer()
    expect(syncOffer.value).toBeUndefined()
    expect(requests.filter(({ line }) => line.includes('/settings/'))).toEqual([])
    groups = [['phone', 'desk']]
    await reloadSyncOffer()
    expect(syncOffer.value?.devices).toEqual(['phone', 'desk', 'car'])
  })

  test.each([
    [{ auto_sync: true, auto_sync_except: ['car', 7] }, false],
    [{ auto_sync_except: ['car'] }, true],
  ])('exceptions apply while automatic sync is on (with %j there is an offer: %p)', async (stored, isMade) => {
    settings = stored
    fakeServer(answer)
    await ensureSyncOffer()
    expect(syncOffer.value !== undefined).toBe(isMade)
  })

  test('automatic sync is off unless it is set, even if apps have stored other settings', async () => {
    settings = { auto_sync: 'yes', auto_sync_except: 'car', speed: 2 }
    fakeServer(answer)
    expect(autoSync.value).toBeUndefined()
    await ensureAccountSettings()
    expect(autoSync.value).toEqual({ isOn: false, except: [] })
    settings = { auto_sync: true, auto_sync_except: ['car', 3] }
    await loadAccountSettings()
    expect(autoSync.value).toEqual({ isOn: true, except: ['car'] })
  })

  test('declining is stored for the user and these devices', async () => {
    fakeServer(answer)
    await ensureSyncOffer()
    if (syncOffer.value) decline(syncOffer.value)
    expect(syncOffer.value).toBeUndefined()
    expect(localStorage.getItem(`podstep.sync-declined.ida${users}`)).toBe('car desk phone')
  })

  test('accepting keeps all in sync except browsers without podcasts, and undo restores groups and lists', async () => {
    const requests = fakeServer((request) =>
      request.line.startsWith('GET') && request.line.includes('/devices/')
        ? [...Object(answer(request)), { id: BROWSER, caption: 'Firefox', subscriptions: 0 }]
        : answer(request),
    )
    await ensureSyncOffer()
    expect(syncOffer.value?.devices).toEqual(['phone', 'desk', 'car'])
    expect(autoSyncGains.value?.map(({ urls }) => urls)).toEqual([[B], [A]])
    requests.length = 0
    const undo = await enableAutoSync()
    const posts = () => requests.filter(({ line }) => line.startsWith('POST'))
    const line = `POST api/2/settings/ida${users}/account.json`
    expect(posts()).toEqual([{ line, body: { set: { auto_sync: true, auto_sync_except: [BROWSER] } } }])
    requests.length = 0
    await undo()
    expect(posts()).toEqual([
      { line, body: { remove: ['auto_sync'] } },
      { line: `POST api/2/sync-devices/ida${users}.json`, body: { 'stop-synchronize': ['phone', 'desk', 'car'] } },
      { line: `POST api/2/sync-devices/ida${users}.json`, body: { synchronize: [['phone', 'desk']] } },
      { line: `POST api/2/subscriptions/ida${users}/phone.json`, body: { add: [], remove: [B] } },
      { line: `POST api/2/subscriptions/ida${users}/car.json`, body: { add: [], remove: [A] } },
    ])
    expect(syncOffer.value).toBeDefined()
  })
})
