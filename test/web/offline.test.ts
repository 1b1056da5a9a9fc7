import './support/browser-globals.ts'
import { beforeEach, describe, expect, mock, test } from 'bun:test'
import { call } from '../../src/web/api/client.ts'
import { setLanguage } from '../../src/web/locales/index.ts'
import { shownSince, workOffline } from '../../src/web/pwa/offline.ts'
import { createReconnect } from '../../src/web/pwa/reconnect.ts'
import { account, loadServer } from '../../src/web/store/session.ts'
import { reasonOf } from '../support/values.ts'
import { accountOf } from './support/account.ts'
import { errorResponse, fakeServer } from './support/fake-server.ts'

/** Devices and groups in the response for Home. */
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

workOffline()

describe('while the server is unreachable', () => {
  test('the last list is available, with its time', async () => {
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

  test('devices and groups come from the response for Home if it is newer, and unplayed counts are available', async () => {
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

  test('the account is known even right after signing in', async () => {
    signedIn = undefined
    await loadServer()
    account.value = accountOf('ida')
    isUp = false
    expect((await loadServer()).account?.username).toBe('ida')
  })

  test('other requests fail', async () => {
    await loadServer()
    await call('listSessions')
    isUp = false
    expect(await reasonOf(call('listSessions'))).toMatchObject({ code: 'offline' })
    expect(shownSince.value).toBeUndefined()
  })
})

describe('stored responses are deleted', () => {
  test('when the session ends', async () => {
    await loadServer()
    await call('listOwnPodcasts')
    expect(stored().length).toBeGreaterThan(1)
    signedIn = undefined
    await reasonOf(call('listOwnPodcasts'))
    expect(stored()).toEqual([])
    // Nothing is stored while no user is signed in.
    await loadServer()
    expect(stored()).toEqual([])
  })

  test('when another user signs in', async () => {
    await loadServer()
    await call('listOwnPodcasts')
    signedIn = 'ole'
    await loadServer()
    isUp = false
    expect(await reasonOf(call('listOwnPodcasts'))).toMatchObject({ code: 'offline' })
    expect((await loadServer()).account?.username).toBe('ole')
  })

  test('even if a response arrives after that', async () => {
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

describe('an unreachable server is retried', () => {
  /** A server and a clock controlled by the test. */
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

  test('less and less often, until it responds', async () => {
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

  test('at once when the network is back, but only after it was lost', async () => {
    const { reconnect, onReached, comeBack } = createTest()
    comeBack()
    await reconnect.ask()
    expect(onReached).not.toHaveBeenCalled()
    reconnect.lost()
    await Promise.all([reconnect.ask(), reconnect.ask()])
    expect(onReached).toHaveBeenCalledTimes(1)
  })
})
