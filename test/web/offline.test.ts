import './support/browser-globals.ts'
import { afterAll, beforeEach, describe, expect, mock, test } from 'bun:test'
import { call } from '../../src/web/api/client.ts'
import { setLanguage } from '../../src/web/locales/index.ts'
import { shownSince, workOffline } from '../../src/web/pwa/offline.ts'
import { createReconnect } from '../../src/web/pwa/reconnect.ts'
import { account, loadServer } from '../../src/web/store/session.ts'
import { reasonOf } from '../support/values.ts'
import { accountOf } from './support/account.ts'
import { errorResponse, fakeServer } from './support/fake-server.ts'

/** What the answer for Home tells of the devices. */
const HOME_DEVICES = { devices: [{ id: 'phone' }], synchronized: [['phone', 'laptop']] }

let isUp = true
let signedIn: string | undefined = 'ida'

function serve(): void {
  fakeServer(({ line }) => {
    if (!isUp) throw new TypeError('no route to the server')
    if (line === 'GET api/2/server') return { account: signedIn === undefined ? null : accountOf(signedIn) }
    if (signedIn === undefined) return errorResponse(401, 'unauthorized')
    if (line === 'GET api/2/me/home') return { in_progress: [], inbox: [], ...HOME_DEVICES }
    return line === 'GET api/2/me/podcasts' ? [{ url: `https://${signedIn}.example` }] : []
  })
}

async function slowList(arrives: Promise<void>): Promise<Response> {
  await arrives
  return Response.json([{ url: 'https://ida.example' }])
}

const NAMES = ['of', 'getServer', 'listOwnPodcasts', 'listDevices', 'getSyncGroups']
const stored = () => NAMES.filter((name) => localStorage.getItem(`podstep.offline ${name}`) !== null)

beforeEach(async () => {
  await setLanguage('en')
  localStorage.clear()
  isUp = true
  signedIn = 'ida'
  shownSince.value = undefined
  serve()
})
afterAll(() => mock.restore())

workOffline()

describe('while the server cannot be reached', () => {
  test('the last list is there, and when it was the last', async () => {
    await loadServer()
    const list = await call('listOwnPodcasts')
    isUp = false
    account.value = undefined
    const before = Date.now()
    expect((await loadServer()).account?.username).toBe('ida')
    expect(await call('listOwnPodcasts')).toEqual(list)
    expect(shownSince.value).toBeNumber()
    expect(shownSince.value).toBeLessThanOrEqual(before)
  })

  test('so are devices and groups as Home has told them, if it was asked last, and the numbers of unplayed episodes', async () => {
    const path = { username: 'ida' }
    await loadServer()
    const [devices, unplayed] = [await call('listDevices', { path }), await call('listUnplayed')]
    await Bun.sleep(2)
    const later = Date.now()
    await call('getHome')
    isUp = false
    expect(await call('listUnplayed')).toEqual(unplayed)
    shownSince.value = undefined
    expect([devices, await call('listDevices', { path })]).toEqual([[], HOME_DEVICES.devices] as never)
    expect((await call('getSyncGroups', { path })).synchronized).toEqual(HOME_DEVICES.synchronized)
    expect(shownSince.value).toBeGreaterThanOrEqual(later)
  })

  test('also right after signing in', async () => {
    signedIn = undefined
    await loadServer()
    account.value = accountOf('ida')
    isUp = false
    expect((await loadServer()).account?.username).toBe('ida')
  })

  test('nothing else is: what is not kept fails as it is', async () => {
    await loadServer()
    await call('listSessions')
    isUp = false
    expect(await reasonOf(call('listSessions'))).toMatchObject({ code: 'offline' })
    expect(shownSince.value).toBeUndefined()
  })
})

describe('answers are kept for nobody but the user', () => {
  test('and forgotten when the session ends', async () => {
    await loadServer()
    await call('listOwnPodcasts')
    expect(stored().length).toBeGreaterThan(1)
    signedIn = undefined
    await reasonOf(call('listOwnPodcasts'))
    expect(stored()).toEqual([])
    // None are kept while nobody is signed in.
    await loadServer()
    expect(stored()).toEqual([])
  })

  test('and forgotten when another user signs in', async () => {
    await loadServer()
    await call('listOwnPodcasts')
    signedIn = 'ole'
    await loadServer()
    isUp = false
    expect(await reasonOf(call('listOwnPodcasts'))).toMatchObject({ code: 'offline' })
    expect((await loadServer()).account?.username).toBe('ole')
  })

  test('also when an answer arrives after that', async () => {
    await loadServer()
    const late = Promise.withResolvers<void>()
    fakeServer(({ line }) =>
      line === 'GET api/2/me/podcasts' ? slowList(late.promise) : { account: accountOf('ole') },
    )
    const list = call('listOwnPodcasts')
    await loadServer()
    late.resolve()
    await list
    expect(stored()).toEqual(['of', 'getServer'])
  })
})

describe('the server is asked whether it can be reached again', () => {
  /** A server and a clock in the hands of the test. */
  function createTest() {
    let isReachable = false
    let due: { readonly milliseconds: number; readonly work: () => void } | undefined
    const onReached = mock()
    const reconnect = createReconnect({
      isReachable: async () => isReachable,
      later(milliseconds, work) {
        const timer = { milliseconds, work }
        due = timer
        return () => {
          if (due === timer) due = undefined
        }
      },
      onReached,
    })
    return {
      ...{ reconnect, onReached },
      waits: () => due?.milliseconds,
      comeBack() {
        isReachable = true
      },
      async elapse() {
        due?.work()
        await Bun.sleep(0)
      },
    }
  }

  test('less and less often, until it can', async () => {
    const { reconnect, onReached, waits, elapse, comeBack } = createTest()
    reconnect.lost()
    reconnect.lost()
    const waited: unknown[] = []
    for (let n = 0; n < 5; n++) {
      waited.push(waits())
      await elapse()
    }
    expect(waited).toEqual([2000, 5000, 10_000, 30_000, 30_000])
    expect(onReached).not.toHaveBeenCalled()
    comeBack()
    await elapse()
    expect(onReached).toHaveBeenCalledTimes(1)
    expect(waits()).toBeUndefined()
  })

  test('at once when the network is back, but not when it was never away', async () => {
    const { reconnect, onReached, comeBack } = createTest()
    comeBack()
    await reconnect.ask()
    expect(onReached).not.toHaveBeenCalled()
    reconnect.lost()
    await Promise.all([reconnect.ask(), reconnect.ask()])
    expect(onReached).toHaveBeenCalledTimes(1)
  })
})
