import { signal } from '@preact/signals'
import { type Answer, call, onSignOut } from '../api/client.ts'

export type Account = Answer<'getOwnAccount'>

/** The user who is signed in; undefined until that is known, null if nobody is. */
export const account = signal<Account | null | undefined>(undefined)

/** Why nobody is signed in any more, for the sign-in page. */
export const farewell = signal<'signedOut' | 'sessionEnded' | 'deleted' | undefined>(undefined)

onSignOut(() => {
  if (account.value) farewell.value = 'sessionEnded'
  account.value = null
})

/** The name of the user who is signed in; '' if nobody is. */
export function ownName(): string {
  return account.value?.username ?? ''
}

/** Starts a session; `code` is of the second factor. Rejects with `ApiError`. */
export async function signIn(username: string, password: string, code?: string): Promise<void> {
  const credentials = new TextEncoder().encode(`${username}:${password}`)
  const basic = btoa(Array.from(credentials, (byte) => String.fromCharCode(byte)).join(''))
  await call('login', {
    path: { username: username.trim() },
    headers: { authorization: `Basic ${basic}`, ...(code !== undefined && { 'x-second-factor': code }) },
  })
  // The server may say something else to somebody who is signed in, or after the first account.
  loadedAt = Number.NEGATIVE_INFINITY
  account.value = await call('getOwnAccount')
  farewell.value = undefined
}

/** Starts a session of the user whom the proxy names. Rejects with `ApiError`. */
export async function signInByProxy(): Promise<void> {
  await call('loginByProxy')
  loadedAt = Number.NEGATIVE_INFINITY
  account.value = await call('getOwnAccount')
  farewell.value = undefined
}

export type ServerInfo = Answer<'getServer'>

/** What the server tells anonymous clients about itself; undefined until it has answered. */
export const server = signal<ServerInfo | undefined>(undefined)

/** Whether the server connects to others, such as those of feeds; taken for granted until it has answered. */
export function isOutbound(): boolean {
  return server.value?.outbound ?? true
}

/** Whether podcasts can be found by name elsewhere; not promised until the server has answered. */
export function hasDirectory(): boolean {
  return server.value?.external_directory ?? false
}

/** Milliseconds for which `server` is as good as new: for the page with which the client begins. */
const FRESH = 2000

/** When `server` was loaded, by the clock of the page. */
let loadedAt = Number.NEGATIVE_INFINITY

/** Loads `server` and `account`. Rejects with `ApiError`. */
export async function loadServer(): Promise<ServerInfo> {
  const info = await call('getServer')
  loadedAt = performance.now()
  server.value = info
  account.value = info.account
  return info
}

/** `server` if it has been loaded a moment ago; else undefined. */
export function freshServer(): ServerInfo | undefined {
  return performance.now() - loadedAt < FRESH ? server.peek() : undefined
}

/** Loads `server` and `account` unless that was done a moment ago. Rejects with `ApiError`. */
export async function ensureServer(): Promise<ServerInfo> {
  return freshServer() ?? (await loadServer())
}

/** Whether the user has typed a user name to confirm something. User names are ASCII; their case does not matter. */
export function isSameName(typed: string, username: string): boolean {
  return typed.trim().toLowerCase() === username.toLowerCase()
}
