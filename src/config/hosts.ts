import ipaddr from 'ipaddr.js'

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** An IPv4 or IPv6 address in its usual spelling. Forms such as `127.1` or `010.0.0.1` are refused: programs disagree on them. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6(text)
}

/** An address range such as `192.168.0.0/16` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/')
  return isAddress(address) && /^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text)
}

export function isAddressOrNetwork(text: string): boolean {
  return isAddress(text) || isNetwork(text)
}

/** A DNS name. The last label must not be a number, so that a mistyped address is not taken for a name. */
export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/** What a program can connect to or listen on: an address or a name, without a port. */
export function isHost(text: string): boolean {
  return isAddress(text) || isHostName(text)
}

/** A place in the private network: an address, a range, a name, or a name or address with a port (`[::1]:8080` for IPv6). */
export function isPrivatePlace(text: string): boolean {
  if (isAddressOrNetwork(text) || isHostName(text)) return true
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  if (withPort === null) return false
  const [, bracketed, host = '', port] = withPort
  const known =
    bracketed === undefined ? isHostName(host) || ipaddr.IPv4.isValidFourPartDecimal(host) : isIpv6(bracketed)
  return known && Number(port) >= 1 && Number(port) <= 65535
}

/** Zone names (`fe80::1%eth0`) mean nothing outside one machine, so they never match a peer's address. */
function isIpv6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)
}
