import { signal } from '@preact/signals'
import { type Answer, call, onSignOut } from '../api/client.ts'

export type Account = Answer<'getOwnAccount'>

/** Who is signed in: undefined until that is known, null if nobody is. */
export const account = signal<Account | null | undefined>(undefined)

onSignOut(() => {
  account.value = null
})

/** Rejects with `ApiError`. */
export async function signIn(username: string, password: string): Promise<void> {
  const credentials = new TextEncoder().encode(`${username}:${password}`)
  const basic = btoa(Array.from(credentials, (byte) => String.fromCharCode(byte)).join(''))
  await call('login', { path: { username: username.trim() }, headers: { authorization: `Basic ${basic}` } })
  account.value = await call('getOwnAccount')
}

export async function signOut(): Promise<void> {
  const { value } = account
  if (value) await call('logout', { path: { username: value.username } })
  account.value = null
}

export type ServerInfo = Answer<'getServer'>

/** What everybody may know of the server; undefined until it has answered. */
export const server = signal<ServerInfo | undefined>(undefined)

/** Asks the server what it is, and who is signed in. Rejects with `ApiError`. */
export async function loadServer(): Promise<ServerInfo> {
  const info = await call('getServer')
  server.value = info
  account.value = info.account
  return info
}
