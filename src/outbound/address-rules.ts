import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { FetchFailure } from './fetch-failure.ts'

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')
/** Well-known prefix with which IPv6-only networks reach IPv4. Network-specific prefixes may lead anywhere. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')
const AZURE_METADATA = '168.63.129.16'

/** Whether an address is on the public internet, not on this machine, its network or a provider's internal network. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== AZURE_METADATA
  if (address.match(NAT64)) return isPublicAddress(embedded(address))
  return address.range() === 'unicast' && address.match(GLOBAL_IPV6)
}

/** Returns the last four bytes as an IPv4 address. */
function embedded(address: ipaddr.IPv6): string {
  return ipaddr.fromByteArray(address.toByteArray().slice(12)).toString()
}

/** Canonical form of an address, IPv4 if possible; `undefined` if invalid, or with a zone (`fe80::1%eth0`). */
export function canonicalAddress(text: string): string | undefined {
  return ipaddr.isValid(text) && !text.includes('%') ? ipaddr.process(text).toString() : undefined
}

/** Whether a host in a private network may be reached nevertheless. `address` is canonical. */
export type AllowedPlace = (host: string, port: number, address: string) => boolean

/** Parses an entry of the setting `feed_allow_private`: an address, a range, `host` or `host:port`. */
export function allowedPlace(text: string): AllowedPlace {
  if (ipaddr.isValidCIDR(text)) {
    const [network, bits] = ipaddr.parseCIDR(text)
    return (_host, _port, address) => {
      const parsed = ipaddr.parse(address)
      return parsed.kind() === network.kind() && parsed.match(network, bits)
    }
  }
  const [, bracketed, name = text, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  const host = bracketed ?? name
  const allowed = canonicalAddress(host) ?? host.toLowerCase()
  return (requestHost, requestPort, address) =>
    (requestHost === allowed || address === allowed) && (port === undefined || Number(port) === requestPort)
}

export type Resolve = (host: string) => Promise<readonly string[]>

export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** Canonical addresses of a host, IPv4 first, since many homes have a dead IPv6. Throws `FetchFailure`. */
export async function addressesOf(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const host = hostOf(url)
  const literal = canonicalAddress(host)
  if (literal !== undefined) return [literal]
  const found = await resolve(host).catch(() => {
    throw new FetchFailure('unresolved', `the name ${host} cannot be resolved`)
  })
  if (found.length === 0) throw new FetchFailure('unresolved', `the name ${host} has no address`)
  const addresses = found.map((text) => {
    const address = canonicalAddress(text)
    if (address === undefined) throw new FetchFailure('unresolved', `the name ${host} has an unusable address`)
    return address
  })
  return addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')))
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
