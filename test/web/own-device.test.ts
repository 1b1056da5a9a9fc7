import './support/browser-globals.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { captionOf } from '../../src/web/components/device.tsx'
import { setLanguage } from '../../src/web/locales/index.ts'
import {
  ensureDevice,
  ensurePodcastDevices,
  isBrowserDevice,
  isOwnDevice,
  podcastDevices,
} from '../../src/web/store/own-device.ts'
import { loadDevices } from '../../src/web/store/subscriptions.ts'
import { reasonOf } from '../support/values.ts'
import { signInAs } from './support/account.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

interface Row {
  readonly id: string
  readonly caption: string
  readonly subscriptions: number
}

const PHONE: Row = { id: 'phone', caption: 'Phone', subscriptions: 3 }

/** The devices on the server. */
let stored: Row[] = []
let sessions: readonly object[] = []

/** Each test has its own user, since stored data belongs to a user name. */
let users = 0

function answer({ line, body }: SentRequest): unknown {
  if (line.endsWith('/me/sessions')) return sessions
  if (line.includes('/sync-devices/')) return { synchronized: [], 'not-synchronized': [] }
  if (line.startsWith('GET')) return stored
  const id = /([^/]+)\.json$/.exec(line)?.[1] ?? ''
  stored.push({ id, caption: (body as Row).caption, subscriptions: 0 })
  return ''
}

const made = (requests: readonly SentRequest[]) => requests.filter(({ line }) => line.startsWith('POST'))

beforeAll(() => setLanguage('en'))

beforeEach(() => {
  stored = []
  sessions = [
    { current: false, client: 'AntennaPod' },
    { current: true, client: 'Firefox on Linux' },
  ]
  signInAs(`ida${++users}`)
})

afterEach(() => localStorage.clear())

test('devices with the same name are numbered', () => {
  const all = ['Phone', 'Firefox', 'Firefox '].map((caption, index) => ({ id: `d${index}`, caption }))
  const captions = ['d0', 'd1', 'd2', 'gone'].map((id) => captionOf(id, all))
  expect(captions).toEqual(['Phone', 'Firefox', 'Firefox (2)', 'gone'])
})

describe('the device of this browser', () => {
  test('is created on first use, named after its session', async () => {
    const requests = fakeServer(answer)
    const device = await ensureDevice()
    expect(device.id).toMatch(/^browser-[0-9a-f]{10}$/)
    const line = `POST api/2/devices/ida${users}/${device.id}.json`
    expect(made(requests)).toEqual([{ line, body: { caption: 'Firefox on Linux', type: 'laptop' } }])
    expect(isOwnDevice(device.id)).toBe(true)
    expect(isOwnDevice('phone')).toBe(false)
  })

  test.each([
    ['Firefox on Android', 'mobile', 'Firefox on Android'],
    ['Safari on iPhone', 'mobile', 'Safari on iPhone'],
    ['', 'other', 'This browser'],
  ])('of a session “%s” has the type %s and the name “%s”', async (client, type, caption) => {
    sessions = [{ current: true, client }]
    const requests = fakeServer(answer)
    await ensureDevice()
    expect(made(requests).map(({ body }) => body)).toEqual([{ caption, type }])
  })

  test('is called “This browser” if the sessions cannot be loaded', async () => {
    fakeServer((request) => (request.line.endsWith('/me/sessions') ? errorResponse(500, 'internal') : answer(request)))
    expect(await ensureDevice()).toMatchObject({ caption: 'This browser' })
  })

  test.each([
    ['while others are in sync', [PHONE], { auto_sync: true, auto_sync_except: ['car'] }, true],
    ['not without automatic sync', [PHONE], {}, false],
    ['not as the only device', [], { auto_sync: true }, false],
  ])('becomes an exception to automatic sync: %s', async (_, others, settings, isLeftOut) => {
    stored = [...others]
    const requests = fakeServer((request) => (request.line.includes('/settings/') ? settings : answer(request)))
    const { id } = await ensureDevice()
    const changes = made(requests).filter(({ line }) => line.includes('/settings/'))
    expect(changes.map(({ body }) => body)).toEqual(isLeftOut ? [{ set: { auto_sync_except: ['car', id] } }] : [])
  })

  test('is created once by concurrent calls', async () => {
    const requests = fakeServer(answer)
    const devices = await Promise.all([ensureDevice(), ensureDevice()])
    devices.push(await ensureDevice())
    expect(new Set(devices.map(({ id }) => id)).size).toBe(1)
    expect(made(requests)).toHaveLength(1)
  })

  test('has the ID that another tab has stored last', async () => {
    const key = `podstep.device.ida${users}`
    fakeServer((request) => {
      // Another tab chooses an ID while this one waits for the list of devices.
      if (request.line.startsWith('GET') && request.line.includes('/devices/'))
        localStorage.setItem(key, 'browser-0000000001')
      return answer(request)
    })
    expect(await ensureDevice()).toMatchObject({ id: 'browser-0000000001' })
    expect(stored).toHaveLength(1)
  })

  test('is created again after it was deleted', async () => {
    const requests = fakeServer(answer)
    const { id } = await ensureDevice()
    stored = []
    await loadDevices()
    expect(await ensureDevice()).toMatchObject({ id })
    expect(made(requests)).toHaveLength(2)
    // Another user of the browser has another device.
    signInAs(`ole${users}`)
    expect((await ensureDevice()).id).not.toBe(id)
  })

  test('has a new ID if the stored one is invalid', async () => {
    localStorage.setItem(`podstep.device.ida${users}`, '../me')
    fakeServer(answer)
    expect(isBrowserDevice(await ensureDevice())).toBe(true)
  })

  test('is requested again after an error', async () => {
    fakeServer(({ line }) => (line.startsWith('POST') ? errorResponse(500, 'internal') : []))
    expect(await reasonOf(ensureDevice())).toMatchObject({ code: 'internal' })
    fakeServer(answer)
    expect(await ensureDevice()).toMatchObject({ caption: 'Firefox on Linux' })
  })
})

describe('devices for podcasts', () => {
  const browser = { id: 'browser-0000000001', subscriptions: 0 }

  test('are those of apps, and browsers with podcasts or in a sync group', () => {
    const filled = { id: 'browser-0000000002', subscriptions: 2 }
    expect(podcastDevices([PHONE, browser, filled], [])).toEqual([PHONE, filled])
    expect(podcastDevices([PHONE, browser], [['phone', browser.id]])).toEqual([PHONE, browser])
  })

  test('are the browser until an app has connected, then those of apps', async () => {
    fakeServer(answer)
    expect(await ensurePodcastDevices()).toMatchObject([{ caption: 'Firefox on Linux' }])
    signInAs(`ole${users}`)
    stored = [PHONE]
    expect(await ensurePodcastDevices()).toMatchObject([{ id: 'phone' }])
    expect(stored).toEqual([PHONE])
  })
})
