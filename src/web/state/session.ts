import { signal } from '@preact/signals'
import { type Answer, ApiError, call, whenSignedOut } from '../api/client.ts'

export type Account = Answer<'getOwnAccount'>

/** Who is signed in: undefined until that is known, null if nobody is. */
export const account = signal<Account | null | undefined>(undefined)

whenSignedOut(() => {
  account.value = null
})

/** Asks the server who is signed in. */
export async function loadAccount(): Promise<void> {
  try {
    account.value = await call('getOwnAccount')
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    account.value = null
  }
}

/** Rejects with `ApiError`. */
export async function signIn(username: string, password: string): Promise<void> {
  const credentials = new TextEncoder().encode(`${username}:${password}`)
  const basic = btoa(Array.from(credentials, (byte) => String.fromCharCode(byte)).join(''))
  await call('login', { path: { username: username.trim() }, headers: { authorization: `Basic ${basic}` } })
  await loadAccount()
}

export async function signOut(): Promise<void> {
  const { value } = account
  if (value) await call('logout', { path: { username: value.username } })
  account.value = null
}
