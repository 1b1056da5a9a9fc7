import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import {
  applyChanges,
  changesBetween,
  deviceSets,
  devices,
  ensureDevices,
  ensureSubscribedDevices,
  ensureSubscriptions,
  groups,
  holdersOf,
  invert,
  loadOwnPodcasts,
  mergeByGroup,
  ownPodcasts,
  removeEverywhere,
  subscribedDevices,
} from '../../src/web/store/subscriptions.ts'
import { reasonOf } from '../support/values.ts'
import { signInAsNewUser } from './support/account.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const OTHER = 'https://feeds.tidewater.example/kitchen.xml'

const LOADS = ['GET api/2/devices/ida.json', 'GET api/2/me/holders', 'GET api/2/sync-devices/ida.json']

function answer({ line }: SentRequest): unknown {
  if (line.includes('/me/podcasts') || line.includes('/me/holders')) return [{ url: FEED, devices: ['phone'] }]
  if (line.includes('/me/podcast')) {
    const subscribed = ['phone', 'desk', 'car'].map((id) => ({ id, subscribed: id !== 'car' }))
    return { url: FEED, devices: subscribed }
  }
  if (line.includes('/sync-devices/')) return { synchronized: [['phone', 'desk']], 'not-synchronized': ['car'] }
  if (line.startsWith('GET') && line.includes('/devices/')) return [{ id: 'phone' }, { id: 'desk' }, { id: 'car' }]
  return { timestamp: 1, update_urls: [] }
}

const lines = (requests: readonly SentRequest[]) => requests.map(({ line }) => line.replace(/ida\d+/, 'ida'))

beforeEach(() => {
  setSystemTime(new Date('2026-11-21T12:00:00Z'))
  signInAsNewUser()
})

afterEach(() => void setSystemTime())

describe('subscriptions', () => {
  test('are loaded once for all components, and again after a minute', async () => {
    const requests = fakeServer(answer)
    await Promise.all([ensureSubscriptions(), ensureSubscriptions()])
    await Promise.all([ensureSubscriptions(), ensureDevices()])
    expect(lines(requests).toSorted()).toEqual(LOADS)
    setSystemTime(new Date('2026-11-21T12:01:01Z'))
    await ensureSubscriptions()
    expect(requests).toHaveLength(6)
    expect(devices.value?.map(({ id }) => id)).toEqual(['phone', 'desk', 'car'])
    expect(groups.value).toEqual([['phone', 'desk']])
  })

  test('come with the list of podcasts, which stays while it is reloaded', async () => {
    const requests = fakeServer(answer)
    const [first] = await loadOwnPodcasts()
    await ensureSubscribedDevices()
    expect(lines(requests)).toEqual(['GET api/2/me/podcasts'])
    expect([...holdersOf(FEED)]).toEqual(['phone'])
    fakeServer(() => errorResponse(500, 'internal'))
    await reasonOf(loadOwnPodcasts())
    expect(ownPodcasts.value?.[0]).toBe(first)
    account.value = null
    expect(ownPodcasts.value).toBeUndefined()
  })

  test('are dropped when another user signs in, even if they arrive later, and loaded again after a failure', async () => {
    fakeServer(answer)
    await ensureSubscriptions()
    fakeServer(() => errorResponse(500, 'internal'))
    signInAsNewUser()
    expect(await reasonOf(ensureSubscriptions())).toMatchObject({ code: 'internal' })
    expect([devices.value, subscribedDevices.value, groups.value]).toEqual([undefined, undefined, []])
    fakeServer(answer)
    const late = loadOwnPodcasts()
    signInAsNewUser()
    await late
    expect([ownPodcasts.value, subscribedDevices.value]).toEqual([undefined, undefined])
    await ensureSubscriptions()
    for (const url of [FEED, FEED.replace('feeds', 'Feeds'), `feed:${FEED}`])
      expect([...holdersOf(url)]).toEqual(['phone'])
  })
})

describe('changes', () => {
  test('are uploaded once per sync group, and the result is loaded', async () => {
    fakeServer(answer)
    await ensureSubscriptions()
    const requests = fakeServer(answer)
    await applyChanges(['phone', 'desk', 'car'].map((device) => ({ device, add: [FEED], remove: [] })))
    expect(lines(requests)).toEqual([
      'POST api/2/subscriptions/ida/phone.json',
      'POST api/2/subscriptions/ida/car.json',
      `GET api/2/me/podcast?url=${encodeURIComponent(FEED)}`,
    ])
    expect([...holdersOf(FEED)]).toEqual(['phone', 'desk'])
  })

  test('have titles if they add podcasts', async () => {
    const requests = fakeServer(answer)
    const titles = { [FEED]: 'Harbour Talk' }
    const gain = { device: 'desk', add: [FEED], remove: [] }
    await applyChanges([gain, { device: 'car', add: [], remove: [FEED] }], titles)
    expect(requests.slice(0, 2).map(({ body }) => body)).toEqual([
      { add: [FEED], remove: [], titles },
      { add: [], remove: [FEED] },
    ])
  })

  test('of many feeds reload all holders', async () => {
    const requests = fakeServer(answer)
    const add = Array.from({ length: 6 }, (_, n) => `https://feeds.tidewater.example/${n}.xml`)
    await applyChanges([{ device: 'desk', add, remove: [] }])
    expect(lines(requests)).toEqual(['POST api/2/subscriptions/ida/desk.json', 'GET api/2/me/holders'])
  })

  test('that fail reject, and the current state is loaded anyway', async () => {
    const requests = fakeServer((request) =>
      request.line.startsWith('POST') ? errorResponse(400, 'validation_failed') : answer(request),
    )
    expect(await reasonOf(applyChanges([{ device: 'desk', add: [FEED], remove: [] }]))).toMatchObject({
      code: 'validation_failed',
    })
    expect(requests).toHaveLength(2)
  })

  test('of an unknown feed leave it on no device', async () => {
    fakeServer(answer)
    await ensureSubscribedDevices()
    fakeServer((request) =>
      request.line.includes('/me/podcast?') ? errorResponse(404, 'unknown_podcast') : answer(request),
    )
    await applyChanges([{ device: 'desk', add: [], remove: [FEED] }])
    expect(holdersOf(FEED).size).toBe(0)
  })
})

describe('planned changes', () => {
  test('between sets of devices add and remove, and their inverse does the opposite', () => {
    const changes = changesBetween(FEED, new Set(['phone', 'car']), new Set(['desk', 'car']))
    expect(changes).toEqual([
      { device: 'desk', add: [FEED], remove: [] },
      { device: 'phone', add: [], remove: [FEED] },
    ])
    expect(invert(changes)).toEqual(changes.map(({ device, add, remove }) => ({ device, add: remove, remove: add })))
  })

  test('that unsubscribe from feeds name each device once', () => {
    const known = new Map([
      [FEED, new Set(['phone', 'desk'])],
      [OTHER, new Set(['phone'])],
    ])
    expect(removeEverywhere([FEED, OTHER, 'https://unknown.example/'], known)).toEqual([
      { device: 'phone', add: [], remove: [FEED, OTHER] },
      { device: 'desk', add: [], remove: [FEED] },
    ])
  })

  test('of a sync group are merged', () => {
    const added = (device: string, ...add: string[]) => ({ device, add, remove: [] })
    const changes = [added('phone', FEED), added('car', FEED), added('desk', FEED, OTHER)]
    expect(mergeByGroup(changes, [['desk', 'phone']])).toEqual([added('phone', FEED, OTHER), added('car', FEED)])
  })
})

test.each([
  ['abc', 'ca', 'ac b'],
  ['abcd', 'db ac', 'ac bd'],
])('the devices %s with the groups %p are chosen as %s', (ids, groupNames, expected) => {
  const sets = deviceSets(
    ids.split('').map((id) => ({ id })),
    groupNames.split(' ').map((group) => group.split('')),
  )
  expect(sets.map((set) => set.map(({ id }) => id).join('')).join(' ')).toBe(expected)
})
