import { afterEach, beforeEach, describe, expect, mock, setSystemTime, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import {
  applyChanges,
  countUnfetched,
  createDevice,
  devices,
  ensureDevices,
  ensureSubscriptions,
  feedUrl,
  groups,
  holders,
  holdersOf,
  loadOwnPodcasts,
} from '../../src/web/store/subscriptions.ts'
import { reasonOf } from '../support/values.ts'
import { fakeServer, type Heard, refuse } from './support/fake-server.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const OWN = { url: FEED, devices: ['phone'] }

/** Somebody new each time: what is known is kept by name. */
let people = 0

function answer({ line }: Heard): unknown {
  if (line.includes('/me/subscriptions')) return [OWN]
  if (line.includes('/me/podcast'))
    return {
      url: FEED,
      devices: [
        { id: 'phone', subscribed: true },
        { id: 'desk', subscribed: true },
        { id: 'car', subscribed: false },
      ],
    }
  if (line.includes('/sync-devices/')) return { synchronized: [['phone', 'desk']], 'not-synchronized': ['car'] }
  if (line.startsWith('GET') && line.includes('/devices/')) return [{ id: 'phone' }, { id: 'desk' }, { id: 'car' }]
  return { timestamp: 1, update_urls: [] }
}

const lines = (heard: readonly Heard[]) => heard.map(({ line }) => line.replace(/ida\d+/, 'ida'))

beforeEach(() => {
  setSystemTime(new Date('2026-11-21T12:00:00Z'))
  people++
  account.value = { username: `ida${people}`, email: '', is_admin: false, is_active: true, has_password: true }
})

afterEach(() => {
  mock.restore()
  setSystemTime()
})

describe('what is known of the own subscriptions', () => {
  test('is asked for once by all who want it, and again after a minute', async () => {
    const heard = fakeServer(answer)
    await Promise.all([ensureSubscriptions(), ensureSubscriptions()])
    expect(lines(heard).toSorted()).toEqual([
      'GET api/2/devices/ida.json',
      'GET api/2/me/subscriptions',
      'GET api/2/sync-devices/ida.json',
    ])
    await ensureSubscriptions()
    expect(heard).toHaveLength(3)
    setSystemTime(new Date('2026-11-21T12:01:01Z'))
    await ensureSubscriptions()
    expect(heard).toHaveLength(6)
    expect(devices.value?.map(({ id }) => id)).toEqual(['phone', 'desk', 'car'])
    expect(groups.value).toEqual([['phone', 'desk']])
  })

  test('is shared with who has just asked for the list', async () => {
    const heard = fakeServer(answer)
    await Promise.all([loadOwnPodcasts(), ensureDevices()])
    await Promise.all([ensureSubscriptions(), ensureDevices()])
    expect(lines(heard).toSorted()).toEqual([
      'GET api/2/devices/ida.json',
      'GET api/2/me/subscriptions',
      'GET api/2/sync-devices/ida.json',
    ])
    expect([...holdersOf(FEED)]).toEqual(['phone'])
    await loadOwnPodcasts()
    expect(heard).toHaveLength(4)
  })

  test('is no list where devices are enough', async () => {
    const heard = fakeServer(answer)
    await ensureDevices()
    expect(lines(heard).toSorted()).toEqual(['GET api/2/devices/ida.json', 'GET api/2/sync-devices/ida.json'])
  })

  test('is counted by the server where it waits for feeds', async () => {
    const heard = fakeServer(answer)
    expect(await countUnfetched()).toBe(1)
    expect(lines(heard)).toEqual(['GET api/2/me/subscriptions?state=new'])
  })

  test('is forgotten when somebody else signs in', async () => {
    fakeServer(answer)
    await ensureSubscriptions()
    mock.restore()
    fakeServer(() => refuse(500, 'internal'))
    people++
    account.value = { username: `ida${people}`, email: '', is_admin: false, is_active: true, has_password: true }
    expect(await reasonOf(ensureSubscriptions())).toMatchObject({ code: 'internal' })
    expect([devices.value, holders.value, groups.value]).toEqual([undefined, undefined, []])
  })

  test('is asked for anew after a failure', async () => {
    fakeServer(() => refuse(500, 'internal'))
    expect(await reasonOf(ensureSubscriptions())).toMatchObject({ status: 500 })
    mock.restore()
    fakeServer(answer)
    await ensureSubscriptions()
    expect([...holdersOf(FEED)]).toEqual(['phone'])
  })

  test.each([
    ['as the server keeps it', FEED],
    ['with capitals in the host', 'https://Feeds.Tidewater.example/harbour.xml'],
    ['for a podcast app', 'feed:https://feeds.tidewater.example/harbour.xml'],
  ])('is found by an address %s', async (_, url) => {
    fakeServer(answer)
    await ensureSubscriptions()
    expect(feedUrl(url)).toBe(FEED)
    expect([...holdersOf(url)]).toEqual(['phone'])
  })
})

describe('changes', () => {
  test('are sent device by device, and what came of them is asked for, as groups follow', async () => {
    fakeServer(answer)
    await ensureSubscriptions()
    mock.restore()
    const heard = fakeServer(answer)
    await applyChanges([{ device: 'desk', add: [FEED], remove: [] }])
    expect(lines(heard)).toEqual([
      'POST api/2/subscriptions/ida/desk.json',
      `GET api/2/me/podcast?url=${encodeURIComponent(FEED)}`,
    ])
    expect(heard[0]?.body).toEqual({ add: [FEED], remove: [] })
    expect([...holdersOf(FEED)]).toEqual(['phone', 'desk'])
  })

  test('of a sync group are uploaded once', async () => {
    fakeServer(answer)
    await ensureSubscriptions()
    mock.restore()
    const heard = fakeServer(answer)
    await applyChanges(['phone', 'desk', 'car'].map((device) => ({ device, add: [FEED], remove: [] })))
    expect(lines(heard).filter((line) => line.startsWith('POST'))).toEqual([
      'POST api/2/subscriptions/ida/phone.json',
      'POST api/2/subscriptions/ida/car.json',
    ])
  })

  test('say what is added is called, where it is added', async () => {
    const heard = fakeServer(answer)
    const titles = { [FEED]: 'Harbour Talk' }
    const changes = [
      { device: 'desk', add: [FEED], remove: [] },
      { device: 'car', add: [], remove: [FEED] },
    ]
    await applyChanges(changes, titles)
    expect(heard.slice(0, 2).map(({ body }) => body)).toEqual([
      { add: [FEED], remove: [], titles },
      { add: [], remove: [FEED] },
    ])
  })

  test('of many feeds ask for the whole list', async () => {
    const heard = fakeServer(answer)
    const add = Array.from({ length: 6 }, (_, n) => `https://feeds.tidewater.example/${n}.xml`)
    await applyChanges([{ device: 'desk', add, remove: [] }])
    expect(lines(heard)).toEqual(['POST api/2/subscriptions/ida/desk.json', 'GET api/2/me/subscriptions'])
  })

  test('that are refused reject, and what is so is asked for all the same', async () => {
    const heard = fakeServer((request) =>
      request.line.startsWith('POST') ? refuse(400, 'validation_failed') : answer(request),
    )
    const changes = [{ device: 'desk', add: [FEED], remove: [] }]
    expect(await reasonOf(applyChanges(changes))).toMatchObject({ code: 'validation_failed' })
    expect(heard).toHaveLength(2)
  })

  test('of a feed the server does not know leave it on no device', async () => {
    fakeServer((request) => (request.line.includes('/me/podcast') ? refuse(404, 'unknown_podcast') : answer(request)))
    await applyChanges([{ device: 'desk', add: [], remove: [FEED] }])
    expect(holdersOf(FEED).size).toBe(0)
  })
})

test('a device is made with a name and of no kind, and known then', async () => {
  const heard = fakeServer(answer)
  await createDevice('web', 'Web')
  expect(lines(heard)[0]).toBe('POST api/2/devices/ida/web.json')
  expect(heard[0]?.body).toEqual({ caption: 'Web', type: 'other' })
  expect(devices.value).toHaveLength(3)
})
