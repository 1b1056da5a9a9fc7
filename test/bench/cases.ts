import { requestBytes, type Source, textOf } from './load.ts'
import * as requests from './requests.ts'
import type { RawResponse } from './responses.ts'
import * as seeded from './seed.ts'

/** One thing measured on podstep and on the bare server. */
export interface Case {
  readonly name: string
  readonly title: string
  /** Which handler of bare.ts does the same read or write. */
  readonly bareKind: string
  podstep(connections: number, users: number): Source
  bare(connections: number, users: number): Source
  /** Throws when podstep's answer is not what is meant to be measured. */
  readonly check: (response: RawResponse) => void
}

/** Basic is verified by a hash once per user, before the first round. */
const BASIC_USERS = 64

const bareDelta = (connections: number, users: number) =>
  requests.roundRobin(connections, users, (user) =>
    requestBytes({ method: 'GET', path: `/${seeded.deviceRow(user)}/${seeded.SINCE}` }),
  )

export const CASES: readonly Case[] = [
  {
    name: 'delta',
    title: 'delta GET, cookie',
    bareKind: 'delta',
    podstep: (connections, users) => requests.roundRobin(connections, users, (user) => requests.deltaGet(user)),
    bare: bareDelta,
    check: expectDelta,
  },
  {
    name: 'basic',
    title: 'delta GET, Basic on every request',
    bareKind: 'delta',
    podstep: (connections, users) =>
      requests.roundRobin(connections, Math.min(users, BASIC_USERS), (user) =>
        requests.deltaGet(user, requests.basicOf(user)),
      ),
    bare: bareDelta,
    check: expectDelta,
  },
  {
    name: 'actions',
    title: 'actions GET, recent since',
    bareKind: 'actions',
    podstep: (connections, users) => requests.roundRobin(connections, users, (user) => requests.actionsGet(user)),
    bare: (connections, users) =>
      requests.roundRobin(connections, users, (user) =>
        requestBytes({ method: 'GET', path: `/${seeded.userRow(user)}/${seeded.SINCE}` }),
      ),
    check: expectActions,
  },
  {
    name: 'login',
    title: 'login by cookie',
    bareKind: 'login',
    podstep: (connections, users) => requests.roundRobin(connections, users, requests.cookieLogin),
    bare: (connections, users) =>
      requests.roundRobin(connections, users, (user) =>
        requestBytes({ method: 'GET', path: `/${seeded.tokenHash(user).toString('hex')}` }),
      ),
    check: (response) => expect(response, /^\{"status":"ok"\}$/),
  },
  {
    name: 'upload',
    title: 'change upload',
    bareKind: 'upload',
    podstep: (connections, users) => requests.alternating(connections, users, requests.changeUpload),
    bare: (connections, users) =>
      requests.alternating(connections, users, (user, add) =>
        requestBytes({
          method: 'POST',
          path: `/${seeded.deviceRow(user)}/0`,
          body: requests.changeBody(user, add),
        }),
      ),
    check: (response) => expect(response, /^\{"timestamp":\d+,"update_urls":\[\]\}$/),
  },
  {
    name: 'actions30',
    title: `upload of ${requests.ACTIONS_PER_UPLOAD} actions`,
    bareKind: 'actions30',
    podstep: (connections, users) => requests.patched(connections, users, requests.actionsUpload),
    bare: (connections, users) =>
      requests.patched(connections, users, (user) =>
        requestBytes({ method: 'POST', path: `/${seeded.userRow(user)}/0`, body: requests.actionsBody(user) }),
      ),
    check: (response) => expect(response, /^\{"timestamp":\d+,"update_urls":\[\]\}$/),
  },
]

export function expectDelta(response: RawResponse): void {
  const expected = new RegExp(`^\\{"add":\\[("[^"]+",?){${seeded.RECENT_CHANGES - 1}}\\],"remove":\\["[^"]+"\\]`)
  expect(response, expected)
}

export function expectActions(response: RawResponse): void {
  const { actions } = JSON.parse(textOf(response)) as { actions: unknown[] }
  if (actions.length !== seeded.RECENT_ACTIONS) throw new Error(`answered ${actions.length} actions`)
}

function expect(response: RawResponse, pattern: RegExp): void {
  const text = textOf(response)
  if (!pattern.test(text)) throw new Error(`unexpected answer: ${text.slice(0, 300)}`)
}
