import { type Client, clientOf } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { check, createAccount, register } from '../kill/account.ts'
import { checkActions, checkAllActions, checkDevice } from '../kill/checks.ts'
import {
  changeFeeds,
  createDevice,
  createDice,
  type Device,
  type Dice,
  fetchFeeds,
  uploadActions,
} from '../kill/device.ts'

/** A request that got a 503, or no response: it is stored wholly or not at all. */
class Unanswered extends Error {}

/** What stands before the servers and sends requests to the one that is active. */
function createBalancer(ports: readonly number[]) {
  let current = 0
  const counts = { refused: 0, lost: 0 }

  async function send(request: Request): Promise<Response> {
    const turn = current
    const url = request.url.replace('http://localhost', `http://127.0.0.1:${ports[turn % ports.length]}`)
    const next = () => {
      if (current === turn) current++
    }
    let response: Response
    try {
      response = await fetch(new Request(url, request), { keepalive: false, redirect: 'manual' })
      // A process that is killed may have sent the half of it.
      response = new Response(await response.bytes(), response)
    } catch (error) {
      next()
      counts.lost++
      throw new Unanswered('no response', { cause: error })
    }
    if (response.status !== 503) return response
    next()
    counts.refused++
    check(Number(response.headers.get('retry-after')) > 0, () => '503 without Retry-After')
    throw new Unanswered(await response.text())
  }

  async function sendAgain(request: Request): Promise<Response> {
    const { method, headers } = request
    const body = method === 'GET' ? undefined : await request.bytes()
    const response = await eventually(
      () => send(new Request(request.url, { method, headers, ...(body && { body }) })).catch(undefinedIfUnanswered),
      (answer) => answer !== undefined,
    )
    if (!response) throw new Error('no response')
    return response
  }

  return { counts, send, sendAgain }
}

function undefinedIfUnanswered(error: unknown): undefined {
  if (!(error instanceof Unanswered)) throw error
}

const ACCOUNTS = ['ada', 'bo']
const DEVICES = ['phone', 'desk']

/**
 * Devices that upload subscriptions and actions one after the other, while the servers on `ports` fail and come back.
 * Subscriptions are sent again until they are acknowledged, as apps do; of actions only those that were must be there.
 */
export async function startLoad(ports: readonly number[], seed = 20250302) {
  const { counts, send, sendAgain } = createBalancer(ports)
  const patient = (headers?: Record<string, string>) => clientOf({ fetch: sendAgain }, headers)
  const accounts = ACCOUNTS.map(createAccount)
  const devices = accounts.flatMap((account) => DEVICES.map((uid) => createDevice(account, uid)))
  const dice = createDice(seed)
  const waiting = new Set<() => void>()
  let acknowledged = 0
  let isOver = false

  for (const account of accounts) await register(account, { client: patient })
  for (const device of devices) {
    const client = patient(device.account.cookie)
    await client.post(`/api/2/devices/${device.account.name}/${device.uid}.json`, { caption: device.uid })
    await fetchFeeds(device, client)
  }

  async function work(device: Device, own: Dice): Promise<void> {
    const client = patient(device.account.cookie)
    const once = clientOf({ fetch: send }, device.account.cookie)
    while (!isOver) {
      await oneRequest(device, { client, once, dice: own })
      acknowledged++
      for (const look of waiting) look()
    }
  }

  const working = Promise.all(devices.map((device) => work(device, createDice(dice(0, 2 ** 31)))))
  // Told by `more` or `finish`, whichever waits.
  working.catch(() => undefined)

  return {
    /** How many requests got a 503, and no response. */
    counts: counts as Readonly<typeof counts>,

    /** Waits until so many more requests have been answered. */
    async more(count: number): Promise<void> {
      const end = acknowledged + count
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if (acknowledged >= end) resolve()
      }
      waiting.add(look)
      await Promise.race([promise, working])
      waiting.delete(look)
    },

    /** Ends the work and holds what the server has against what it has acknowledged. Throws a `BrokenPromise`. */
    async finish(): Promise<void> {
      isOver = true
      await working
      const unanswered = { stored: 0, lost: 0 }
      for (const device of devices) await checkDevice(device, patient(device.account.cookie), unanswered)
      for (const account of accounts) {
        await checkActions(account, patient(account.cookie), unanswered)
        await checkAllActions(account, patient(account.cookie))
        check(account.acknowledged.size > 0, () => `${account.name} has uploaded nothing`)
      }
    },

    /** Ends the work in any case. */
    async [Symbol.asyncDispose](): Promise<void> {
      isOver = true
      await working.catch(() => undefined)
    },
  }
}

interface Work {
  /** Sends again what was not answered. */
  readonly client: Client
  readonly once: Client
  readonly dice: Dice
}

async function oneRequest(device: Device, { client, once, dice }: Work): Promise<void> {
  const what = dice(1, 20)
  if (what <= 9) await changeFeeds(device, client, dice)
  else if (what <= 15) await uploadUntilAcknowledged(device, once, dice)
  else await fetchFeeds(device, client)
}

/** Other episodes each time: those without an answer stay as they are. */
async function uploadUntilAcknowledged(device: Device, client: Client, dice: Dice): Promise<void> {
  await eventually(
    () => uploadActions(device, client, dice).then(() => true, undefinedIfUnanswered),
    (isAcknowledged) => isAcknowledged === true,
  )
}
