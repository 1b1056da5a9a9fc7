import { signal } from '@preact/signals'
import { type Answer, call } from '../api/client.ts'

export type ServerInfo = Answer<'getServer'>

/** What everybody may know of the server; undefined until it has answered. */
export const server = signal<ServerInfo | undefined>(undefined)

export async function loadServer(): Promise<ServerInfo> {
  const info = await call('getServer')
  server.value = info
  return info
}
