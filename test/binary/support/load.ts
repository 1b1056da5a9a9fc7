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

/** A request that got a 503 or no response. It has been stored completely or not at all. */
class Unanswered extends Error {}

/** A load balancer in front of the servers: sends requests to the active one. */
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
      // A process may be killed halfway through a response.
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
 * Devices that upload subscriptions and actions continuously while the servers on `ports` fail and recover. As in apps,
 * subscriptions are sent again until they are acknowledged. Actions are not: only acknowledged ones must be found.
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
      for (const recheck of waiting) recheck()
    }
  }

  const working = Promise.all(devices.map((device) => work(device, createDice(dice(0, 2 ** 31)))))
  // `more` or `finish` rejects instead.
  working.catch(() => undefined)

  return {
    /** Numbers of requests that got a 503, and that got no response. */
    counts: counts as Readonly<typeof counts>,

    /** Waits until `count` more requests have been acknowledged. */
    async more(count: number): Promise<void> {
      const end = acknowledged + count
      const { promise, resolve } = Promise.withResolvers<void>()
      const recheck = () => {
        if (acknowledged >= end) resolve()
      }
      waiting.add(recheck)
      await Promise.race([promise, working])
      waiting.delete(recheck)
    },

    /** Stops the devices and compares the server's data with everything acknowledged. Throws a `BrokenPromise`. */
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

    async [Symbol.asyncDispose](): Promise<void> {
      isOver = true
      await working.catch(() => undefined)
    },
  }
}

interface Work {
  /** Repeats requests until they are answered. */
  readonly client: Client
  readonly once: Client
  readonly dice: Dice
}

async function oneRequest(device: Device, { client, once, dice }: Work): Promise<void> {
  const roll = dice(1, 20)
  if (roll <= 9) await changeFeeds(device, client, dice)
  else if (roll <= 15) await uploadUntilAcknowledged(device, once, dice)
  else await fetchFeeds(device, client)
}

/** Uploads different episodes on each attempt, so unanswered ones stay as they are. */
async function uploadUntilAcknowledged(device: Device, client: Client, dice: Dice): Promise<void> {
  await eventually(
    () => uploadActions(device, client, dice).then(() => true, undefinedIfUnanswered),
    (isAcknowledged) => isAcknowledged === true,
  )
}
