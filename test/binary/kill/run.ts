import { join } from 'node:path'
import { requireBinary } from '../support/binary.ts'
import { emptyFolder } from '../support/folder.ts'
import { type Server, startServer } from '../support/server.ts'
import { ask, BrokenPromise, check, createAccount, listed, register } from './account.ts'
import { checkActions, checkAllActions, checkDevice, checkFiles, type Unanswered } from './checks.ts'
import {
  changeFeeds,
  createDevice,
  createDice,
  type Device,
  type Dice,
  fetchActions,
  fetchFeeds,
  uploadActions,
} from './device.ts'
import { checkGroup, type Group, toggleGroup } from './group.ts'

export interface KillOptions {
  readonly rounds: number
  readonly seed: number
  readonly onRound?: (round: number) => void
}

const ENV = { SVC_REGISTRATION: 'open', SVC_RATE_LIMIT: 'false', SVC_LOG_LEVEL: 'info' }

export type KillReport = Awaited<ReturnType<typeof killAgainAndAgain>>

/**
 * Devices of several users write concurrently. The process is repeatedly killed at a random moment and restarted on the
 * same folder. Throws a `BrokenPromise` if anything acknowledged is lost.
 */
export async function killAgainAndAgain({ rounds, seed, onRound }: KillOptions) {
  using folder = emptyFolder()
  const dataDir = join(folder.path, 'data')
  const start = () => startServer({ cwd: folder.path, env: ENV })
  const dice = createDice(seed)
  const [ada, bo, gus] = [createAccount('ada'), createAccount('bo'), createAccount('gus')]
  const accounts = [ada, bo, gus]
  // Sync groups: all devices of ada, two of bo's; that of gus is created and dissolved.
  const grouped = ['phone', 'tablet', 'laptop'].map((uid) => createDevice(ada, uid))
  const pair = ['phone', 'desk'].map((uid) => createDevice(bo, uid))
  const moving = ['phone', 'desk'].map((uid) => createDevice(gus, uid, true))
  const devices = [...grouped, ...pair, createDevice(bo, 'car'), ...moving]
  const group: Group = { account: gus, uids: ['phone', 'desk'], isJoined: false, wanted: undefined }
  const unanswered: Unanswered = { stored: 0, lost: 0 }
  let answered = 0
  let killsWhileStarting = 0

  let server = await start()
  try {
    await prepare(server)
    for (let round = 1; round <= rounds; round++) {
      answered += await workUntilKilled(server)
      checkFiles(dataDir)
      if (dice(1, 4) === 1) {
        killsWhileStarting++
        await killWhileStarting(folder.path, dice(1, 60))
        checkFiles(dataDir)
      }
      server = await start()
      await checkEverything(server)
      onRound?.(round)
    }
    for (const account of accounts) await checkAllActions(account, server.client(account.cookie))
    await server.stop()
    checkFiles(dataDir)
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return {
    rounds,
    /** Further kills during startup. */
    killsWhileStarting,
    /** Requests answered before a kill. */
    answered,
    unanswered,
    feeds: devices.reduce((sum, { copy }) => sum + copy.size, 0),
    actions: accounts.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
  }

  async function prepare(server: Server): Promise<void> {
    for (const account of accounts) await register(account, server)
    for (const { account, uid } of devices)
      await server.client(account.cookie).post(`/api/2/devices/${account.name}/${uid}.json`, { caption: uid })
    for (const members of [grouped, pair]) {
      const [first] = members
      check(first !== undefined, () => 'a group of nobody')
      const synchronize = [members.map(({ uid }) => uid)]
      const client = server.client(first.account.cookie)
      await ask(client, 'POST', `/api/2/sync-devices/${first.account.name}.json`, { synchronize })
    }
    // Like real apps, fetch before the first upload, whose timestamp would skip earlier changes of others.
    for (const device of devices) await fetchFeeds(device, server.client(device.account.cookie))
  }

  /** Returns how many requests were answered. */
  async function workUntilKilled(server: Server): Promise<number> {
    let count = 0
    const enough = dice(5, 400)
    const delay = dice(0, 5)
    const worn = Promise.withResolvers<void>()
    const work = devices.map(async (device) => {
      // Each device has its own dice, so that its actions do not depend on the order of devices.
      const own = createDice(dice(0, 2 ** 31))
      try {
        for (;;) {
          await oneRequest(device, server, own)
          if (++count === enough) worn.resolve()
        }
      } catch (error) {
        if (error instanceof BrokenPromise) throw error
      }
    })
    const over = Promise.all(work)
    await Promise.race([worn.promise, over])
    await Bun.sleep(delay)
    server.signal('SIGKILL')
    await server.ended()
    await over
    return count
  }

  async function oneRequest(device: Device, server: Server, own: Dice): Promise<void> {
    const client = server.client(device.account.cookie)
    const what = own(1, 20)
    if (device === moving[0] && what <= 3) await toggleGroup(group, client)
    else if (what <= 10) await changeFeeds(device, client, own)
    else if (what <= 15) await uploadActions(device, client, own)
    else if (what <= 19 || device.uid !== 'phone') await fetchFeeds(device, client)
    else await fetchActions(device.account, client)
  }

  async function checkEverything(server: Server): Promise<void> {
    const lists = new Map<Device, ReadonlySet<string>>()
    for (const device of devices)
      lists.set(device, await checkDevice(device, server.client(device.account.cookie), unanswered))
    await checkGroup(group, server.client(gus.cookie))
    for (const members of [grouped, pair, group.isJoined ? moving : []]) {
      const texts = new Set(members.map((device) => listed(lists.get(device) ?? [])))
      check(texts.size <= 1, () => `the devices of a group disagree:\n${[...texts].join('\n')}`)
    }
    for (const account of accounts) {
      await checkActions(account, server.client(account.cookie), unanswered)
      // All devices are in sync, so no earlier change may be repeated.
      account.changes = []
    }
  }
}

async function killWhileStarting(cwd: string, afterMs: number): Promise<void> {
  const env = { ...ENV, SVC_HOST: '127.0.0.1', SVC_PORT: '0' }
  const child = Bun.spawn([requireBinary()], { cwd, env, stdio: ['ignore', 'ignore', 'ignore'] })
  await Bun.sleep(afterMs)
  child.kill('SIGKILL')
  await child.exited
}
