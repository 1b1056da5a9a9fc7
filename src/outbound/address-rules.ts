import ipaddr from 'ipaddr.js'

/** All that the internet uses of IPv6 so far. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an address belongs to the internet, and not to this machine, its network or a provider's inside. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  // Networks without IPv4 reach it through such addresses; what counts is where they lead.
  if (address.range() === 'rfc6052') return isPublicAddress(embedded(address))
  return address.range() === 'unicast' && address.match(GLOBAL_IPV6)
}

/** The last four bytes as an IPv4 address. */
function embedded(address: ipaddr.IPv6): string {
  return ipaddr.fromByteArray(address.toByteArray().slice(12)).toString()
}

/** A place of the private network that may be fetched from all the same. */
export type AllowedPlace = (host: string, port: number, address: string) => boolean

/** `text` as in the setting `feed_allow_private`: an address, a range, `host` or `host:port`. */
export function allowedPlace(text: string): AllowedPlace {
  if (ipaddr.isValidCIDR(text)) {
    const [network, bits] = ipaddr.parseCIDR(text)
    return (_host, _port, address) => {
      const given = ipaddr.process(address)
      return given.kind() === network.kind() && given.match(network, bits)
    }
  }
  if (ipaddr.isValid(text)) {
    const wanted = ipaddr.process(text).toNormalizedString()
    return (_host, _port, address) => ipaddr.process(address).toNormalizedString() === wanted
  }
  const [, bracketed, name = '', port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? name
  return (givenHost, givenPort, address) =>
    (givenHost === host || address === host) && (port === undefined || Number(port) === givenPort)
}
