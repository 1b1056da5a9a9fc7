import { type Client, cookieOf } from '../../support/client.ts'
import type { Server } from '../support/server.ts'

export interface SentChange {
  readonly urls: readonly string[]
  /** When the answer came; undefined while there is none. */
  answered: number | undefined
}

/** What one user's devices know together: the answers they got, and the requests that got none. */
export type Account = ReturnType<typeof createAccount>

export function createAccount(name: string) {
  return {
    name,
    password: `password of ${name}`,
    /** Made once: an acknowledged login must survive every kill as well. */
    cookie: {} as Record<string, string>,
    /** Counts requests and answers, to tell which came first. */
    moment: 0,
    /** The highest `timestamp` of a fetch: no later fetch may be given a lower one. */
    floor: 0,
    /** Subscription changes sent since the last time all was quiet. */
    changes: [] as SentChange[],
    /** Episodes whose upload was acknowledged. */
    acknowledged: new Set<string>(),
    /** Uploads without an answer: each is stored wholly or not at all. */
    unanswered: [] as string[][],
    /** Episodes fetched so far, and from where to go on. */
    fetched: new Set<string>(),
    fetchedTo: 0,
  }
}

export async function register(account: Account, server: Pick<Server, 'client'>): Promise<void> {
  const { name, password } = account
  const registered = await server.client().post('/api/2/register', { username: name, password })
  if (registered.status !== 200) throw new Error(`registration of ${name}: ${registered.text}`)
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
  account.cookie = cookieOf(await server.client({ authorization }).post(`/api/2/auth/${name}/login.json`))
}

/** An answer of 200, as an object. Anything else, a lost session included, is a broken promise. */
export async function ask(
  client: Client,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const { status, text, json } = await client.call(method, path, { body })
  if (status !== 200) throw new BrokenPromise(`${method} ${path} answered ${status} ${text}`)
  if (typeof json !== 'object' || json === null) throw new BrokenPromise(`${method} ${path} answered ${text}`)
  return { ...json }
}

/** Found by the checks; everything else that goes wrong while the server is being killed is expected. */
export class BrokenPromise extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenPromise'
  }
}

export function check(condition: boolean, explain: () => string): asserts condition {
  if (!condition) throw new BrokenPromise(explain())
}

/** A fetch with the rule for its timestamp. */
export async function fetchSince(
  account: Account,
  client: Client,
  path: string,
  since: number,
): Promise<{ answer: Record<string, unknown>; timestamp: number }> {
  const { floor } = account
  const answer = await ask(client, 'GET', `${path}?since=${since}`)
  const timestamp = Number(answer['timestamp'])
  check(timestamp >= floor, () => `${path}: the clock went back from ${floor} to ${timestamp}`)
  account.floor = Math.max(account.floor, timestamp)
  return { answer, timestamp }
}

export function texts(value: unknown): string[] {
  check(Array.isArray(value) && value.every((item) => typeof item === 'string'), () => `no list of texts: ${value}`)
  return [...value]
}

/** In one order, for comparing and for reading. */
export function listed(items: Iterable<string>): string {
  return [...items].sort((one, other) => (one < other ? -1 : 1)).join(' ')
}
