import { NO_BODY, requestBytes, type Source } from './load.ts'
import * as seeded from './seed.ts'

/** The requests of the API that the benchmark makes, as seeded user number `user`. */

const cookieOf = (user: number) => `Cookie: sessionid=${seeded.sessionToken(user)}`

export const basicOf = (user: number) =>
  `Authorization: Basic ${Buffer.from(`${seeded.userName(user)}:${seeded.PASSWORD}`).toString('base64')}`

const subscriptionsPath = (user: number) =>
  `/api/2/subscriptions/${seeded.userName(user)}/${seeded.deviceName(user)}.json`

export function deltaGet(
  user: number,
  { since = seeded.SINCE, authorization = cookieOf(user) }: { since?: number; authorization?: string } = {},
): Buffer {
  const path = `${subscriptionsPath(user)}?since=${since}`
  return requestBytes({ method: 'GET', path, headers: [authorization] })
}

/** `filter` is more of the query, such as `&aggregated=true`. */
export function actionsGet(user: number, since = seeded.SINCE, filter = ''): Buffer {
  const path = `/api/2/episodes/${seeded.userName(user)}.json?since=${since}${filter}`
  return requestBytes({ method: 'GET', path, headers: [cookieOf(user)] })
}

/** Any other request, with a cookie. */
export function send(user: number, method: string, path: string, value?: unknown): Buffer {
  const body = value === undefined ? {} : { body: JSON.stringify(value) }
  return requestBytes({ method, path, headers: [cookieOf(user)], ...body })
}

export function cookieLogin(user: number): Buffer {
  const path = `/api/2/auth/${seeded.userName(user)}/login.json`
  return requestBytes({ method: 'POST', path, headers: [cookieOf(user), NO_BODY] })
}

export function changeBody(user: number, add: boolean): string {
  const urls = [seeded.spareFeed(user)]
  return JSON.stringify(add ? { add: urls, remove: [] } : { add: [], remove: urls })
}

export function changeUpload(user: number, add: boolean): Buffer {
  const body = changeBody(user, add)
  return requestBytes({ method: 'POST', path: subscriptionsPath(user), headers: [cookieOf(user)], body })
}

/** Seven digits and a minute, which are patched before each sending: every action is new, and no request is rebuilt. */
const POSITION = 1_000_000
const MINUTE = '2025-03-02T10:00'
const EPISODES_PER_UPLOAD = 6

export function actionsBody(user: number, count = seeded.ACTIONS_PER_UPLOAD): string {
  const actions = Array.from({ length: count }, (_, index) => {
    const episode = Math.floor((index * EPISODES_PER_UPLOAD) / count)
    const podcast = (user * 7 + (episode % 3)) % seeded.PODCASTS
    return {
      podcast: seeded.feedUrl(podcast),
      episode: seeded.mediaUrl(podcast, episode),
      device: seeded.deviceName(user),
      action: 'play',
      timestamp: `${MINUTE}:${String(index * 2).padStart(2, '0')}`,
      started: 0,
      position: POSITION,
      total: 9_999_999,
    }
  })
  return JSON.stringify(actions)
}

export function actionsUpload(user: number, count?: number): Buffer {
  const path = `/api/2/episodes/${seeded.userName(user)}.json`
  return requestBytes({ method: 'POST', path, headers: [cookieOf(user)], body: actionsBody(user, count) })
}

/** Every connection goes round users of its own, so that nobody's requests overtake each other. */
export function roundRobin(connections: number, users: number, make: (user: number) => Uint8Array): Source {
  const requests = Array.from({ length: users }, (_, user) => make(user))
  const next = Array.from({ length: connections }, (_, connection) => connection % users)
  return (connection) => {
    const user = next[connection] ?? 0
    next[connection] = user + connections < users ? user + connections : connection % users
    return requests[user] ?? new Uint8Array()
  }
}

/** Adds on the first way round, removes on the second: each request changes something. */
export function alternating(
  connections: number,
  users: number,
  make: (user: number, add: boolean) => Uint8Array,
): Source {
  const ways = [true, false].map((add) => roundRobin(connections, users, (user) => make(user, add)))
  const sent = new Array<number>(connections).fill(0)
  const perWay = (connection: number) => Math.ceil((users - connection) / connections)
  return (connection) => {
    const count = sent[connection] ?? 0
    sent[connection] = count + 1
    return ways[Math.floor(count / perWay(connection)) % 2]?.(connection) ?? new Uint8Array()
  }
}

/** As `roundRobin`, with a new number in each of the request's actions, and times that ascend by a minute per upload of a user. */
export function patched(connections: number, users: number, make: (user: number) => Buffer): Source {
  const uploads = new Map<Uint8Array, { positions: number[]; minutes: number[]; sent: number }>()
  const source = roundRobin(connections, users, (user) => {
    const bytes = make(user)
    const positions = placesOf(bytes, '"position":')
    uploads.set(bytes, { positions, minutes: placesOf(bytes, '"timestamp":"'), sent: 0 })
    return bytes
  })
  const digits = new Uint8Array(7)
  return (connection) => {
    const bytes = source(connection)
    const upload = uploads.get(bytes)
    if (!upload) return bytes
    let rest = counter++
    for (let digit = 6; digit >= 0; digit--, rest = Math.floor(rest / 10)) digits[digit] = 48 + (rest % 10)
    for (const place of upload.positions) bytes.set(digits, place)
    const at = new Date((seeded.HISTORY_END + upload.sent++ * 60) * 1000).toISOString()
    const minute = Buffer.from(at.slice(0, MINUTE.length), 'latin1')
    for (const place of upload.minutes) bytes.set(minute, place)
    return bytes
  }
}

/** Goes on from source to source, since several are used on one server. */
let counter = POSITION

function placesOf(bytes: Buffer, key: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) places.push(at + key.length)
  return places
}
