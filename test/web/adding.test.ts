import './support/browser-globals.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { setLanguage } from '../../src/web/locales/index.ts'
import { addPodcast, looksLikeAddress, nextSteps } from '../../src/web/store/adding.ts'
import { loadOwnPodcasts } from '../../src/web/store/subscriptions.ts'
import { type Toast, toastStore, toasts } from '../../src/web/store/toasts.ts'
import { signInAsNewUser } from './support/account.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const HARBOUR = { url: FEED, title: 'Harbour Talk' }

/** The devices on the server, their sync groups, and the devices that have the feed. */
let devices: string[] = []
let groups: string[][] = []
let has = new Set<string>()
/** The response to uploads, if they are to fail. */
let failure: Response | undefined

function answer({ line, body }: SentRequest): unknown {
  if (line.includes('/sync-devices/')) return { synchronized: groups, 'not-synchronized': [] }
  if (line.includes('/me/sessions')) return []
  if (line.includes('/me/podcast?')) return { devices: devices.map((id) => ({ id, subscribed: has.has(id) })) }
  if (line.includes('/me/holders') || line.includes('/me/podcasts'))
    return has.size > 0 ? [{ url: FEED, devices: [...has] }] : []
  if (line.startsWith('GET api/2/devices')) return devices.map((id) => ({ id, caption: id, subscriptions: 1 }))
  const id = /([^/]+)\.json$/.exec(line)?.[1] ?? ''
  if (line.startsWith('POST api/2/devices')) devices.push(id)
  else if (failure) return failure
  else {
    const { add = [], remove = [] } = body as { add?: string[]; remove?: string[] }
    const shared = groups.find((group) => group.includes(id)) ?? [id]
    for (const each of shared) {
      if (add.length > 0) has.add(each)
      if (remove.length > 0) has.delete(each)
    }
  }
  return { timestamp: 1, update_urls: [] }
}

const uploads = (requests: readonly SentRequest[]) =>
  requests.filter(({ line }) => line.startsWith('POST api/2/subscriptions'))
const shown = (): Toast | undefined => toasts.value.at(-1)

/** Runs the action of the toast and waits for the toast of that action. */
async function undo(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = toasts.subscribe((list) => {
    if (list.some(({ action }) => action === undefined)) resolve()
  })
  shown()?.action?.run()
  await promise
  stop()
}

beforeAll(() => setLanguage('en'))

beforeEach(() => {
  // Earlier tests leave theirs.
  for (const { id } of toasts.value) toastStore.remove(id)
  devices = ['phone', 'laptop']
  groups = []
  has = new Set()
  failure = undefined
  signInAsNewUser()
})

afterEach(() => localStorage.clear())

describe('a podcast is added', () => {
  test('to all devices with its title, with undo', async () => {
    const requests = fakeServer(answer)
    await addPodcast(HARBOUR)
    const body = { add: [FEED], remove: [], titles: { [FEED]: 'Harbour Talk' } }
    expect(uploads(requests).map((upload) => upload.body)).toEqual([body, body])
    expect(shown()?.text).toBe('“Harbour Talk” added')
    await undo()
    expect(has).toEqual(new Set())
    expect(shown()?.text).toBe('“Harbour Talk” removed again')
  })

  test('to the chosen devices that lack it', async () => {
    has = new Set(['phone'])
    const requests = fakeServer(answer)
    await addPodcast(HARBOUR, new Set(['phone', 'laptop']))
    expect(uploads(requests).map(({ line }) => line)).toEqual([expect.stringContaining('/laptop.json')])
    await undo()
    expect(has).toEqual(new Set(['phone']))
  })

  test('to a new device for the browser if there are no devices', async () => {
    devices = []
    fakeServer(answer)
    await addPodcast({ url: 'feed://feeds.tidewater.example/x', title: '' })
    expect([...has]).toEqual([expect.stringMatching(/^browser-/)])
    expect(shown()?.text).toBe('“feeds.tidewater.example/x” added')
  })

  test('only if a device lacks it', async () => {
    has = new Set(['phone', 'laptop'])
    const requests = fakeServer(answer)
    await addPodcast(HARBOUR)
    expect(uploads(requests)).toEqual([])
    expect(shown()).toMatchObject({ text: 'You already have “Harbour Talk”.' })
  })

  test('with one upload per sync group, which reloads the list of podcasts', async () => {
    groups = [['phone', 'laptop']]
    const requests = fakeServer(answer)
    await loadOwnPodcasts()
    await addPodcast(HARBOUR)
    expect(uploads(requests)).toHaveLength(1)
    expect(has).toEqual(new Set(['phone', 'laptop']))
    expect(requests.filter(({ line }) => line === 'GET api/2/me/podcasts')).toHaveLength(2)
  })
})

test('a failed undo is reported', async () => {
  fakeServer(answer)
  await addPodcast(HARBOUR)
  failure = errorResponse(503, 'unavailable')
  await undo()
  expect(shown()).toMatchObject({ kind: 'error', text: '“Harbour Talk” could not be removed again.' })
})

test.each([
  [true, ' tidewater.example '],
  [true, 'tidewater.example/feed?x=1'],
  [true, 'feed:tidewater.example'],
  [true, 'Listen to this: https://tidewater.example/x'],
  [false, 'harbour talk'],
  [false, 'Dr. Fog'],
  [false, 'ida@tidewater.example'],
  [false, 'news 24/7'],
  [false, ''],
])('it is %p that %p looks like a URL', (expected, text) => {
  expect(looksLikeAddress(text)).toBe(expected)
})

test.each([
  ['unreachable timeout', true, true],
  ['forbidden denied blocked unknown outbound_off', false, true],
  ['directory_error', true, false],
  ['directory_off not_a_feed page closed something_new', false, false],
])('%s: retry %p, add anyway %p', (reasons, canRetry, canAddAnyway) => {
  for (const reason of reasons.split(' '))
    expect([reason, nextSteps({ reason })]).toEqual([reason, { canRetry, canAddAnyway }])
})
