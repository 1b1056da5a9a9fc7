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

export interface StepPart {
  /** `screen` is what the app shows, `address` the place for the server's address. */
  readonly kind: 'text' | 'screen' | 'address'
  readonly text: string
}

/** Takes a step apart: `*Settings*` is written on the screen, `{address}` is a place. */
export function stepParts(step: string): readonly StepPart[] {
  return step
    .split(/(\*[^*]+\*|\{address\})/)
    .filter((text) => text !== '')
    .map((text) => {
      if (text === '{address}') return { kind: 'address', text: '' }
      return text.startsWith('*') ? { kind: 'screen', text: text.slice(1, -1) } : { kind: 'text', text }
    })
}

/** A device as far as it tells of contact; `last_contact` is UTC, '' if there was none. */
export interface DeviceActivity {
  readonly id: string
  readonly caption: string
  readonly last_contact: string
}

/** The devices that an app has used since `before` was asked for, latest first: new ones, and those with a newer contact. */
export function activeSince<T extends DeviceActivity>(
  before: readonly DeviceActivity[],
  now: readonly T[],
): readonly T[] {
  const known = new Map(before.map(({ id, last_contact }) => [id, last_contact]))
  return now
    .filter(({ id, last_contact }) => last_contact > (known.get(id) ?? '') || !known.has(id))
    .toSorted((a, b) => (a.last_contact < b.last_contact ? 1 : a.last_contact > b.last_contact ? -1 : 0))
}
