import { type Client, cookieOf } from '../../support/client.ts'
import type { Server } from '../support/server.ts'

export interface SentChange {
  readonly urls: readonly string[]
  /** Moment of the response; `undefined` while there is none. */
  answered: number | undefined
}

/** Everything that the devices of a user know: responses, and unanswered requests. */
export type Account = ReturnType<typeof createAccount>

export function createAccount(name: string) {
  return {
    name,
    password: `password of ${name}`,
    /** Created once, since an acknowledged login must survive kills. */
    cookie: {} as Record<string, string>,
    /** Counts requests and responses, for their order. */
    moment: 0,
    /** The highest `timestamp` so far; later ones must not be lower. */
    floor: 0,
    /** Subscription changes sent since all devices were last in sync. */
    changes: [] as SentChange[],
    /** Episodes whose upload was acknowledged. */
    acknowledged: new Set<string>(),
    /** Unanswered uploads; each must be stored completely or not at all. */
    unanswered: [] as string[][],
    /** Episodes fetched so far, and the cursor. */
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

/** Sends a request and returns its JSON. Any status but 200, even a lost session, is a broken promise. */
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

/** An error found by the checks. Other errors are expected while the server is killed. */
export class BrokenPromise extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenPromise'
  }
}

export function check(condition: boolean, explain: () => string): asserts condition {
  if (!condition) throw new BrokenPromise(explain())
}

/** Fetches changes and checks that the timestamp does not go back. */
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

/** The items in alphabetical order, as text. */
export function listed(items: Iterable<string>): string {
  return [...items].sort((one, other) => (one < other ? -1 : 1)).join(' ')
}
