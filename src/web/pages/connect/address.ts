export interface ServerAddress {
  /** To be typed into apps, without a slash at the end. */
  readonly address: string
  /** Whether it begins with http://. */
  readonly isPlain: boolean
  /** Whether it leads to this server from the same computer only. */
  readonly isLoopback: boolean
}

/**
 * The address apps are to use: the one that this page was opened by, since that is known to work. Only where that is good for one computer
 * the one the server was given (`base_url`, '' if none) comes first.
 */
export function serverAddress(page: string, configured: string): ServerAddress {
  const isBetter = isLoopback(page) && configured !== '' && !isLoopback(configured)
  const address = (isBetter ? configured : page).replace(/\/+$/, '')
  return { address, isPlain: address.startsWith('http://'), isLoopback: isLoopback(address) }
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
