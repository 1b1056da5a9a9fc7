import { NO_BODY, requestBytes, type Source } from './load.ts'
import * as seeded from './seed.ts'

/** The requests of the API that the benchmark makes, as seeded user number `user`. */

const cookieOf = (user: number) => `Cookie: sessionid=${seeded.sessionToken(user)}`

export const basicOf = (user: number) =>
  `Authorization: Basic ${Buffer.from(`${seeded.userName(user)}:${seeded.PASSWORD}`).toString('base64')}`

const subscriptionsPath = (user: number) =>
  `/api/2/subscriptions/${seeded.userName(user)}/${seeded.deviceName(user)}.json`

export function deltaGet(user: number, authorization = cookieOf(user)): Buffer {
  const path = `${subscriptionsPath(user)}?since=${seeded.SINCE}`
  return requestBytes({ method: 'GET', path, headers: [authorization] })
}

export function actionsGet(user: number, since = seeded.SINCE): Buffer {
  const path = `/api/2/episodes/${seeded.userName(user)}.json?since=${since}`
  return requestBytes({ method: 'GET', path, headers: [cookieOf(user)] })
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

export const ACTIONS_PER_UPLOAD = 30

/** Seven digits that are patched before each sending, so that every action is new and no request is built anew. */
const POSITION = 1_000_000

export function actionsBody(user: number): string {
  const actions = Array.from({ length: ACTIONS_PER_UPLOAD }, (_, index) => ({
    podcast: seeded.feedUrl((user * 7 + index) % seeded.PODCASTS),
    episode: seeded.mediaUrl((user * 7 + index) % seeded.PODCASTS, index % 30),
    device: seeded.deviceName(user),
    action: 'play',
    timestamp: '2025-03-02T10:00:00',
    started: 0,
    position: POSITION,
    total: 9_999_999,
  }))
  return JSON.stringify(actions)
}

export function actionsUpload(user: number): Buffer {
  const path = `/api/2/episodes/${seeded.userName(user)}.json`
  return requestBytes({ method: 'POST', path, headers: [cookieOf(user)], body: actionsBody(user) })
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

/** As `roundRobin`, with a new number in each of the request's actions. */
export function patched(connections: number, users: number, make: (user: number) => Buffer): Source {
  const places = new Map<Uint8Array, number[]>()
  const source = roundRobin(connections, users, (user) => {
    const bytes = make(user)
    places.set(bytes, placesOf(bytes))
    return bytes
  })
  let counter = POSITION
  return (connection) => {
    const bytes = source(connection)
    let rest = counter++
    const digits = new Uint8Array(7)
    for (let digit = 6; digit >= 0; digit--, rest = Math.floor(rest / 10)) digits[digit] = 48 + (rest % 10)
    for (const place of places.get(bytes) ?? []) bytes.set(digits, place)
    return bytes
  }
}

function placesOf(bytes: Buffer): number[] {
  const places: number[] = []
  const key = '"position":'
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) places.push(at + key.length)
  return places
}
