import type { Client } from '../../support/client.ts'
import { dice as randomNumbers } from '../../support/values.ts'
import { type Account, ask, check, fetchSince, type SentChange, texts } from './account.ts'

/** Returns an integer from `low` to `high`, inclusive. */
export type Dice = (low: number, high: number) => number

/** Creates dice that depend on the seed only. */
export function createDice(seed: number): Dice {
  const roll = randomNumbers(seed)
  return (low, high) => low + roll(high - low + 1)
}

/** A podcast app and its knowledge of the server. */
export type Device = ReturnType<typeof createDevice>

/** With `onlyAdds` it never unsubscribes, because joining its sync group would restore removed subscriptions. */
export function createDevice(account: Account, uid: string, onlyAdds = false) {
  return {
    account,
    uid,
    onlyAdds,
    /** Acknowledged states of feeds that only this device changes. */
    own: new Map<string, boolean>(),
    /** The last change, if it is unanswered. */
    unanswered: undefined as { add: string[]; remove: string[] } | undefined,
    /** The local list, updated by deltas and uploads. */
    copy: new Set<string>(),
    since: 0,
    /** The account's moment of the request that returned `since`. */
    sinceMoment: 0,
    actions: 0,
  }
}

const OWN_FEEDS = 30
const SHARED_FEEDS = 8

const feedsPath = ({ account, uid }: Device) => `/api/2/subscriptions/${account.name}/${uid}.json`
const actionsPath = ({ name }: Account) => `/api/2/episodes/${name}.json`

/** Uploads some additions and removals. */
export async function changeFeeds(device: Device, client: Client, dice: Dice): Promise<void> {
  const { account, uid, own } = device
  const feeds = new Set<string>()
  for (let n = dice(1, 5); n > 0; n--) feeds.add(`https://feeds.example/${account.name}/${uid}/${dice(1, OWN_FEEDS)}`)
  const shared = `https://feeds.example/${account.name}/shared/${dice(1, SHARED_FEEDS)}`
  if (dice(1, 3) === 1) feeds.add(shared)
  const add: string[] = []
  const remove: string[] = []
  for (const url of feeds) {
    const wanted = url === shared ? dice(0, 1) === 1 : !own.get(url)
    ;(wanted || device.onlyAdds ? add : remove).push(url)
  }

  const sent: SentChange = { urls: [...feeds], answered: undefined }
  account.changes.push(sent)
  device.unanswered = { add, remove }
  const moment = ++account.moment
  const answer = await ask(client, 'POST', feedsPath(device), { add, remove })
  device.unanswered = undefined
  sent.answered = ++account.moment

  for (const url of add) {
    device.copy.add(url)
    if (url !== shared) own.set(url, true)
  }
  for (const url of remove) {
    device.copy.delete(url)
    if (url !== shared) own.set(url, false)
  }
  const timestamp = Number(answer['timestamp'])
  check(timestamp >= device.since, () => `${feedsPath(device)}: ${timestamp} after ${device.since}`)
  // The server may return an older timestamp, so that the next fetch includes changes of other devices.
  if (timestamp !== device.since) {
    device.since = timestamp
    device.sinceMoment = moment
  }
}

/** Updates the copy; returns the feeds of the delta. */
export async function fetchFeeds(device: Device, client: Client): Promise<string[]> {
  const { account, sinceMoment } = device
  const moment = ++account.moment
  const { answer, timestamp } = await fetchSince(account, client, feedsPath(device), device.since)
  const [add, remove] = [texts(answer['add']), texts(answer['remove'])]
  for (const url of add) device.copy.add(url)
  for (const url of remove) device.copy.delete(url)
  const named = [...add, ...remove]
  check(new Set(named).size === named.length, () => `${feedsPath(device)} names a feed twice: ${named.join(' ')}`)
  if (!device.onlyAdds) {
    // Changes acknowledged before the last fetch must not be repeated.
    const recent = account.changes.filter(({ answered }) => answered === undefined || answered > sinceMoment)
    const allowed = new Set(recent.flatMap(({ urls }) => urls))
    const repeated = named.filter((url) => !allowed.has(url))
    check(repeated.length === 0, () => `${feedsPath(device)} repeats ${repeated.join(' ')}`)
  }
  device.since = timestamp
  device.sinceMoment = moment
  return named
}

export async function uploadActions(device: Device, client: Client, dice: Dice): Promise<void> {
  const { account, uid } = device
  const episodes = Array.from(
    { length: dice(1, 30) },
    () => `https://audio.example/${account.name}/${uid}/${++device.actions}.mp3`,
  )
  const actions = episodes.map((episode) => ({
    podcast: `https://feeds.example/${account.name}/${uid}/1`,
    episode,
    device: uid,
    action: 'play',
    timestamp: '2025-03-02T10:00:00',
    started: 0,
    position: dice(1, 3000),
    total: 3600,
  }))
  account.unanswered.push(episodes)
  await ask(client, 'POST', actionsPath(account), actions)
  account.unanswered.splice(account.unanswered.indexOf(episodes), 1)
  for (const episode of episodes) account.acknowledged.add(episode)
}

/** Fetches new actions of the account; returns their number. */
export async function fetchActions(account: Account, client: Client): Promise<number> {
  const { answer, timestamp } = await fetchSince(account, client, actionsPath(account), account.fetchedTo)
  const { actions } = answer
  check(Array.isArray(actions), () => 'no list of actions')
  const episodes = texts(actions.map((action: { episode: unknown }) => action.episode))
  check(new Set(episodes).size === episodes.length, () => `${account.name}: an action came twice in one answer`)
  for (const episode of episodes) account.fetched.add(episode)
  account.fetchedTo = timestamp
  return episodes.length
}
