import './support/browser-globals.ts'
import { afterEach, beforeEach, describe, expect, mock, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import {
  autoSyncGains,
  decline,
  enableAutoSync,
  ensureSyncOffer,
  offerFor,
  reloadSyncOffer,
  syncOffer,
} from '../../src/web/store/sync/sync-offer.ts'
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
  test('names what each device would get from the others, the most first', () => {
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

  test('takes a sync group as one', () => {
    expect(offerFor(input({ phone: [A], desk: [A], car: [B] }, [['phone', 'desk']]))?.gains).toEqual([
      { devices: ['phone', 'desk'], urls: [B] },
      { devices: ['car'], urls: [A] },
    ])
  })

  test.each<[name: string, lists: Lists, groups: string[][], more: object]>([
    ['there is one device', { phone: [A] }, [], {}],
    ['all share already', { phone: [A], desk: [A] }, [['phone', 'desk']], {}],
    ['the other is a browser without podcasts', { phone: [A], [BROWSER]: [] }, [], {}],
    ['the user has taken the other one out', { phone: [A], car: [B] }, [], { except: ['car'] }],
    ['the user has declined', { phone: [A], car: [B] }, [], { declined: 'car phone' }],
  ])('is not made when %s', (_, lists, groups, more) => {
    expect(offerFor(input(lists, groups, more))).toBeUndefined()
  })

  test('is made again when there is another device', () => {
    expect(offerFor(input({ phone: [A], car: [B], tv: [] }, [], { declined: 'car phone' }))?.devices).toHaveLength(3)
  })

  test('is a gift to the first app if all podcasts were chosen in the browser', () => {
    expect(offerFor(input({ [BROWSER]: [A, B], phone: [] }))).toMatchObject({
      isGift: true,
      gains: [{ devices: ['phone'], urls: [A, B] }, { urls: [] }],
    })
    expect(offerFor(input({ [BROWSER]: [A], phone: [B] }))).toMatchObject({ isGift: false })
    expect(offerFor(input({ [BROWSER]: [], phone: [], desk: [] }))).toMatchObject({ isGift: false })
    expect(offerFor(input({ desk: [A], phone: [] }))).toMatchObject({ isGift: false })
    expect(offerFor(input({ [BROWSER]: [A], phone: [], desk: [] }))).toMatchObject({ isGift: false })
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
    const username = `ida${++users}`
    account.value = {
      username,
      email: '',
      is_admin: false,
      is_active: true,
      has_password: true,
      has_second_factor: false,
    }
    groups = [['phone', 'desk']]
    settings = {}
  })

  afterEach(() => {
    mock.restore()
    localStorage.clear()
  })

  test('it is known once everything is loaded', async () => {
    fakeServer(answer)
    expect(syncOffer.value).toBeUndefined()
    await ensureSyncOffer()
    expect(syncOffer.value?.devices).toEqual(['phone', 'desk', 'car'])
  })

  test('a device that has come since is in it once it is loaded again', async () => {
    groups = [['phone', 'desk', 'car']]
    fakeServer(answer)
    await ensureSyncOffer()
    expect(syncOffer.value).toBeUndefined()
    groups = [['phone', 'desk']]
    await reloadSyncOffer()
    expect(syncOffer.value?.devices).toEqual(['phone', 'desk', 'car'])
  })

  test('settings are asked for only if there are devices apart', async () => {
    groups = [['phone', 'desk', 'car']]
    const requests = fakeServer(answer)
    await ensureSyncOffer()
    expect(requests.filter(({ line }) => line.includes('/settings/'))).toEqual([])
  })

  test('devices that were taken out by hand are not offered', async () => {
    settings = { auto_sync: true, auto_sync_except: ['car', 7] }
    fakeServer(answer)
    await ensureSyncOffer()
    expect(syncOffer.value).toBeUndefined()
  })

  test('exceptions of a setting that is off mean nothing', async () => {
    settings = { auto_sync_except: ['car'] }
    fakeServer(answer)
    await ensureSyncOffer()
    expect(syncOffer.value).toBeDefined()
  })

  test('declining is remembered for the user and these devices', async () => {
    fakeServer(answer)
    await ensureSyncOffer()
    if (syncOffer.value) decline(syncOffer.value)
    expect(syncOffer.value).toBeUndefined()
    expect(localStorage.getItem(`podstep.sync-declined.ida${users}`)).toBe('car desk phone')
  })

  test('accepting keeps all in sync but browsers without podcasts, and undoing it brings back groups and lists', async () => {
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
    expect(posts()).toEqual([
      {
        line: `POST api/2/settings/ida${users}/account.json`,
        body: { set: { auto_sync: true, auto_sync_except: [BROWSER] } },
      },
    ])
    requests.length = 0
    await undo()
    expect(posts()).toEqual([
      { line: `POST api/2/settings/ida${users}/account.json`, body: { remove: ['auto_sync'] } },
      { line: `POST api/2/sync-devices/ida${users}.json`, body: { 'stop-synchronize': ['phone', 'desk', 'car'] } },
      { line: `POST api/2/sync-devices/ida${users}.json`, body: { synchronize: [['phone', 'desk']] } },
      { line: `POST api/2/subscriptions/ida${users}/phone.json`, body: { add: [], remove: [B] } },
      { line: `POST api/2/subscriptions/ida${users}/car.json`, body: { add: [], remove: [A] } },
    ])
    expect(syncOffer.value).toBeDefined()
  })
})
