import { requestBytes, runLoad, type Source, textOf } from './load.ts'
import * as requests from './requests.ts'
import type { RawResponse } from './responses.ts'
import * as seeded from './seed.ts'

/** A row of the table: a request to podstep, and the bare server that shows the limit. */
export interface Case {
  readonly name: string
  readonly title: string
  /** Which handler of bare.ts is the limit. */
  readonly bareKind: 'read' | 'write' | 'write30'
  podstep(connections: number, users: number): Source
  /** Throws when podstep's answer is not what is meant to be measured. */
  readonly check: (response: RawResponse) => void
  /** Of the requests per second of the bare server. */
  readonly ratioWanted: number
  /** Microseconds of processor time per request. */
  readonly cpuWanted?: number
  /** So many users are asked for once before the first round, one after the other. */
  readonly usersFirst?: number
}

/** Basic is verified by a hash once per user, before the first round. */
const BASIC_USERS = 64

const LONGEST_WARM_UP_MS = 120_000

export const CASES: readonly Case[] = [
  {
    name: 'nothing',
    title: 'delta GET, nothing new',
    bareKind: 'read',
    podstep: (connections, users) =>
      requests.roundRobin(connections, users, (user) => requests.deltaGet(user, { since: seeded.NOW })),
    check: (response) => expect(response, /^\{"add":\[\],"remove":\[\]/),
    ratioWanted: 0.75,
  },
  {
    name: 'delta',
    title: `delta GET, ${seeded.RECENT_CHANGES} feeds`,
    bareKind: 'read',
    podstep: (connections, users) => requests.roundRobin(connections, users, (user) => requests.deltaGet(user)),
    check: expectDelta,
    ratioWanted: 0.5,
    cpuWanted: 28,
  },
  {
    name: 'basic',
    title: 'delta GET, Basic each time',
    bareKind: 'read',
    podstep: (connections, users) =>
      requests.roundRobin(connections, Math.min(users, BASIC_USERS), (user) =>
        requests.deltaGet(user, { authorization: requests.basicOf(user) }),
      ),
    check: expectDelta,
    ratioWanted: 0.5,
    cpuWanted: 38,
    usersFirst: BASIC_USERS,
  },
  {
    name: 'actions',
    title: `actions GET, ${seeded.ACTIONS_PER_UPLOAD} recent`,
    bareKind: 'read',
    podstep: (connections, users) => requests.roundRobin(connections, users, (user) => requests.actionsGet(user)),
    check: expectActions(seeded.ACTIONS_PER_UPLOAD),
    ratioWanted: 0.3,
    cpuWanted: 45,
  },
  {
    name: 'upload',
    title: 'change upload, one feed',
    bareKind: 'write',
    podstep: (connections, users) => requests.alternating(connections, users, requests.changeUpload),
    check: (response) => expect(response, /^\{"timestamp":\d+,"update_urls":\[\]\}$/),
    ratioWanted: 0.25,
    cpuWanted: 60,
  },
  {
    name: 'actions30',
    title: `upload of ${seeded.ACTIONS_PER_UPLOAD} actions`,
    bareKind: 'write30',
    podstep: (connections, users) => requests.patched(connections, users, requests.actionsUpload),
    check: (response) => expect(response, /^\{"timestamp":\d+,"update_urls":\[\]\}$/),
    ratioWanted: 0.4,
    cpuWanted: 170,
  },
]

export async function askUsersFirst({ usersFirst, podstep }: Case, { port }: { port: number }, users: number) {
  if (usersFirst === undefined) return
  const maxRequests = Math.min(usersFirst, users)
  await runLoad({ port, connections: 1, source: podstep(1, users), maxRequests, maxMs: LONGEST_WARM_UP_MS })
}

/** What the bare server is asked: the address carries a row number instead of names. */
export function bareSource(kind: Case['bareKind'], connections: number, users: number): Source {
  const request = (user: number) => {
    const path = `/${user + 1}`
    if (kind === 'read') return requestBytes({ method: 'GET', path })
    const body = kind === 'write' ? requests.changeBody(user, true) : requests.actionsBody(user)
    return requestBytes({ method: 'POST', path, body })
  }
  return requests.roundRobin(connections, users, request)
}

export function expectDelta(response: RawResponse): void {
  const expected = new RegExp(`^\\{"add":\\[("[^"]+",?){${seeded.RECENT_CHANGES - 1}}\\],"remove":\\["[^"]+"\\]`)
  expect(response, expected)
}

export function expectActions(count: number): (response: RawResponse) => void {
  return (response) => {
    const { actions } = JSON.parse(textOf(response)) as { actions: unknown[] }
    if (actions.length !== count) throw new Error(`answered ${actions.length} actions instead of ${count}`)
  }
}

function expect(response: RawResponse, pattern: RegExp): void {
  const text = textOf(response)
  if (!pattern.test(text)) throw new Error(`unexpected answer: ${text.slice(0, 300)}`)
}
