import { signal } from '@preact/signals'
import { type Answer, call, onSignOut } from '../api/client.ts'

export type Account = Answer<'getOwnAccount'>

/** The signed-in user; undefined until known, null if signed out. */
export const account = signal<Account | null | undefined>(undefined)

/** Reason for the sign-out, shown on the sign-in page. */
export const farewell = signal<'signedOut' | 'sessionEnded' | 'deleted' | undefined>(undefined)

onSignOut(() => {
  if (account.value) farewell.value = 'sessionEnded'
  account.value = null
})

/** Name of the signed-in user; '' if signed out. */
export function ownName(): string {
  return account.value?.username ?? ''
}

/** Starts a session. `code` is the second-factor code. Rejects with `ApiError`. */
export async function signIn(username: string, password: string, code?: string): Promise<void> {
  const credentials = new TextEncoder().encode(`${username}:${password}`)
  const basic = btoa(Array.from(credentials, (byte) => String.fromCharCode(byte)).join(''))
  await call('login', {
    path: { username: username.trim() },
    headers: { authorization: `Basic ${basic}`, ...(code !== undefined && { 'x-second-factor': code }) },
  })
  // The server's information may differ after sign-in, or once the first account exists.
  loadedAt = Number.NEGATIVE_INFINITY
  account.value = await call('getOwnAccount')
  farewell.value = undefined
}

/** Starts a session for the user that the reverse proxy has authenticated. Rejects with `ApiError`. */
export async function signInByProxy(): Promise<void> {
  await call('loginByProxy')
  loadedAt = Number.NEGATIVE_INFINITY
  account.value = await call('getOwnAccount')
  farewell.value = undefined
}

export type ServerInfo = Answer<'getServer'>

/** Public information about the server; undefined until loaded. */
export const server = signal<ServerInfo | undefined>(undefined)

/** Whether the server may connect to other servers, such as those of feeds. True until loaded. */
export function isOutbound(): boolean {
  return server.value?.outbound ?? true
}

/** Whether search includes an external directory. False until loaded. */
export function hasDirectory(): boolean {
  return server.value?.external_directory ?? false
}

/** Milliseconds for which `server` counts as fresh, so that the first page does not load it again. */
const MAX_AGE_MS = 2000

/** Time of the last load, in milliseconds of `performance.now()`. */
let loadedAt = Number.NEGATIVE_INFINITY

/** Loads `server` and `account`. Rejects with `ApiError`. */
export async function loadServer(): Promise<ServerInfo> {
  const info = await call('getServer')
  loadedAt = performance.now()
  server.value = info
  account.value = info.account
  return info
}

/** Returns `server` if it is fresh. */
export function freshServer(): ServerInfo | undefined {
  return performance.now() - loadedAt < MAX_AGE_MS ? server.peek() : undefined
}

/** Loads `server` and `account` unless they are fresh. Rejects with `ApiError`. */
export async function ensureServer(): Promise<ServerInfo> {
  return freshServer() ?? (await loadServer())
}

/** Whether the text typed for confirmation is the user name. User names are ASCII and case-insensitive. */
export function isSameName(typed: string, username: string): boolean {
  return typed.trim().toLowerCase() === username.toLowerCase()
}
