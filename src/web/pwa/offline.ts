import { effect, signal } from '@preact/signals'
import { type Answer, type AnswerCache, isReachable, type OperationName, setAnswerCache } from '../api/client.ts'
import { BASE } from '../store/paths.ts'
import { account, server } from '../store/session.ts'
import { createReconnect } from './reconnect.ts'

/*
 * Offline data: the last answers to the few requests that the client needs in order to show anything. This browser
 * stores them while the user is signed in.
 */

/**
 * Operations without query parameters. Their answers must fit into the five million characters of storage that browsers
 * grant an origin.
 */
const CACHED_OPERATIONS: readonly OperationName[] = [
  'getServer',
  'listOwnPodcasts',
  'getHome',
  'listUnplayed',
  'listDevices',
  'getSyncGroups',
]

/** Storage keys: prefix of the answers, by operation, and the user they belong to. */
const PREFIX = `podstep.offline${BASE} `
const OWNER = `${PREFIX}of`

/** Time of the oldest cached answer on display, in Unix milliseconds; undefined while online. */
export const shownSince = signal<number | undefined>(undefined)

/** Number of reconnects. Components that depend on it reload their data when it changes. */
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
      // Drop the answer if the user has signed out since the request.
      else if (localStorage.getItem(OWNER) !== owner) return
      if (CACHED_OPERATIONS.includes(name) && localStorage.getItem(OWNER) !== null) keep(name, answer)
    }
  },
  find(name) {
    reconnect.lost()
    const cached = findCached(name)
    if (!cached) return undefined
    shownSince.value = Math.min(cached.at, shownSince.value ?? cached.at)
    return cached.answer
  },
}

/** Returns the latest cached answer. Home's answer contains devices and groups, too, and is often more recent. */
function findCached(name: OperationName): Kept | undefined {
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
    // Storage is full. Remove the old answer, which lacks later changes.
    localStorage.removeItem(PREFIX + name)
  }
}

/** Starts caching answers for use while the server is unreachable. */
export function workOffline(): void {
  setAnswerCache(cache)
  addEventListener('online', () => void reconnect.ask())
  effect(() => {
    if (account.value === undefined) return
    setOwner(account.value?.username)
    // After sign-in, the earlier answer is still right except for the account.
    if (account.value && server.value) keep('getServer', JSON.stringify({ ...server.value, account: account.value }))
  })
}

function ownerOf(answer: string): string | undefined {
  return JSON.parse(answer).account?.username
}

/** Removes all cached answers when the user changes or signs out. */
function setOwner(name: string | undefined): void {
  if ((localStorage.getItem(OWNER) ?? undefined) === name) return
  for (const each of [...CACHED_OPERATIONS, 'of']) localStorage.removeItem(PREFIX + each)
  if (name !== undefined) localStorage.setItem(OWNER, name)
}
