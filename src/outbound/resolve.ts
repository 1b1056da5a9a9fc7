import { lookup } from 'node:dns/promises'
import { canonicalAddress } from './address-rules.ts'
import { FetchFailure } from './fetch-failure.ts'

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** By the system, `/etc/hosts` included: what it says is what a connection would go to. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/**
 * The canonical addresses of a URL's host, which may be one itself. IPv4 comes first: with IPv6 that leads nowhere, as many homes have
 * it, each attempt would wait in vain. Throws `FetchFailure`.
 */
export async function addressesOf(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = hostOf(url)
  const given = canonicalAddress(host)
  if (given !== undefined) return [given]
  const found = await resolve(host).catch(() => {
    throw new FetchFailure('unresolved', `the name ${host} cannot be resolved`)
  })
  if (found.length === 0) throw new FetchFailure('unresolved', `the name ${host} has no address`)
  const addresses = found.map((text) => {
    const address = canonicalAddress(text)
    if (address === undefined) throw new FetchFailure('unresolved', `the name ${host} has an address of no use`)
    return address
  })
  return addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')))
}

/** Without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
