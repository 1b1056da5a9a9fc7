import { signal } from '@preact/signals'
import { type Answer, call } from '../api/client.ts'
import { account } from './session.ts'

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
