import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { FetchFailure } from './fetch-failure.ts'

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** By the system, `/etc/hosts` included: what it says is what a connection would go to. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** The addresses of an address's host, which may be one itself. Throws `FetchFailure`. */
export async function addressesOf(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = hostOf(url)
  if (ipaddr.isValid(host)) return [host]
  const found = await resolve(host).catch((error: unknown) => {
    throw new FetchFailure('unresolved', `the name ${host} cannot be resolved`, error)
  })
  if (found.length === 0) throw new FetchFailure('unresolved', `the name ${host} has no address`)
  return found
}

/** Without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
