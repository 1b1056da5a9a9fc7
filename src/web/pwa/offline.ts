import { effect, signal } from '@preact/signals'
import { type Answer, type AnswerCache, isReachable, keepAnswers, type OperationName } from '../api/client.ts'
import { BASE } from '../store/paths.ts'
import { account, server } from '../store/session.ts'
import { createReconnect } from './reconnect.ts'

/*
 * What the client shows while the server cannot be reached: the last answers to the few requests without which it has
 * nothing to show. They are in this browser as long as the user is signed in.
 */

/**
 * Operations that are asked without a query. All answers together have to fit into the five million characters that
 * browsers keep for a server.
 */
const KEPT: readonly OperationName[] = [
  'getServer',
  'listOwnPodcasts',
  'getHome',
  'listUnplayed',
  'listDevices',
  'getSyncGroups',
]

/** Where the answers are, by their operation, and whose they are. */
const PREFIX = `podstep.offline${BASE} `
const OWNER = `${PREFIX}of`

/** When the oldest of the kept answers that are shown was given, in milliseconds; undefined while there are none. */
export const shownSince = signal<number | undefined>(undefined)

/** How often the server could be reached again. Components that depend on it load their data when it changes. */
export const recoveries = signal(0)

interface Kept {
  readonly at: number
  readonly answer: string
}

const reconnect = createReconnect({
  isReachable,
  later(milliseconds, work) {
    const timer = setTimeout(work, milliseconds)
    return () => clearTimeout(timer)
  },
  onReached() {
    shownSince.value = undefined
    recoveries.value++
  },
})

const cache: AnswerCache = {
  asking(name) {
    const owner = localStorage.getItem(OWNER)
    return (answer) => {
      if (name === 'getServer') setOwner(ownerOf(answer))
      // The answer to a request of a user who has signed out meanwhile belongs to nobody.
      else if (localStorage.getItem(OWNER) !== owner) return
      if (KEPT.includes(name) && localStorage.getItem(OWNER) !== null) keep(name, answer)
    }
  },
  find(name) {
    reconnect.lost()
    const kept = findKept(name)
    if (!kept) return undefined
    shownSince.value = Math.min(kept.at, shownSince.value ?? kept.at)
    return kept.answer
  },
}

/** Home asks for devices and groups with everything else, so that its answer is often the last that tells them. */
function findKept(name: OperationName): Kept | undefined {
  const own = read(name)
  const home = name === 'listDevices' || name === 'getSyncGroups' ? read('getHome') : undefined
  if (!home || (own && own.at >= home.at)) return own
  const { devices, synchronized }: Answer<'getHome'> = JSON.parse(home.answer)
  return { at: home.at, answer: JSON.stringify(name === 'listDevices' ? devices : { synchronized }) }
}

function read(name: OperationName): Kept | undefined {
  const text = localStorage.getItem(PREFIX + name)
  return text === null ? undefined : JSON.parse(text)
}

function keep(name: OperationName, answer: string): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), answer } satisfies Kept))
  } catch {
    // The room is used up. An older answer would be missing what the user has added since.
    localStorage.removeItem(PREFIX + name)
  }
}

/** Keeps answers from now on, and has them given when the server cannot be reached. */
export function workOffline(): void {
  keepAnswers(cache)
  addEventListener('online', () => void reconnect.ask())
  effect(() => {
    if (account.value === undefined) return
    setOwner(account.value?.username)
    // After signing in, what the server said before is right but for the account.
    if (account.value && server.value) keep('getServer', JSON.stringify({ ...server.value, account: account.value }))
  })
}

function ownerOf(answer: string): string | undefined {
  return JSON.parse(answer).account?.username
}

/** Nothing of one user is left for the next, and nothing at all for nobody. */
function setOwner(name: string | undefined): void {
  if ((localStorage.getItem(OWNER) ?? undefined) === name) return
  for (const each of [...KEPT, 'of']) localStorage.removeItem(PREFIX + each)
  if (name !== undefined) localStorage.setItem(OWNER, name)
}
