import { signal } from '@preact/signals'
import { type Answer, call, whenSignedOut } from '../api/client.ts'

export type Account = Answer<'getOwnAccount'>

/** Who is signed in: undefined until that is known, null if nobody is. */
export const account = signal<Account | null | undefined>(undefined)

whenSignedOut(() => {
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
