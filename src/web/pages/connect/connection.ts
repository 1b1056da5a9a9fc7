export interface ServerAddress {
  /** What to type into apps, without a slash at the end. */
  readonly address: string
  /** Whether the address begins with http://. */
  readonly isPlain: boolean
  /** Whether the address works only on the computer that the server runs on. */
  readonly isLoopback: boolean
}

/**
 * The server address for apps: the one this page was opened with, since that is known to work. If it works only on this
 * computer, the configured `base_url` (`configured`, '' if there is none) is preferred.
 */
export function serverAddress(page: string, configured: string): ServerAddress {
  const useConfigured = isLoopback(page) && configured !== '' && !isLoopback(configured)
  const address = (useConfigured ? configured : page).replace(/\/+$/, '')
  return { address, isPlain: address.startsWith('http://'), isLoopback: isLoopback(address) }
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

export interface StepPart {
  /** `screen` is text that the app shows, `address` stands for the server address. */
  readonly kind: 'text' | 'screen' | 'address'
  readonly text: string
}

/** Splits a step of the instructions at `*Settings*`, which the app shows on its screen, and at `{address}`. */
export function stepParts(step: string): readonly StepPart[] {
  return step
    .split(/(\*[^*]+\*|\{address\})/)
    .filter((text) => text !== '')
    .map((text) => {
      if (text === '{address}') return { kind: 'address', text: '' }
      return text.startsWith('*') ? { kind: 'screen', text: text.slice(1, -1) } : { kind: 'text', text }
    })
}

/** When a device was last seen: `last_contact` is UTC, '' for never. */
export interface DeviceActivity {
  readonly id: string
  readonly caption: string
  readonly last_contact: string
}

/** The devices that an app has used since `before` was loaded, latest first: new ones, and those seen since. */
export function activeSince<T extends DeviceActivity>(
  before: readonly DeviceActivity[],
  now: readonly T[],
): readonly T[] {
  const known = new Map(before.map(({ id, last_contact }) => [id, last_contact]))
  return now
    .filter(({ id, last_contact }) => last_contact > (known.get(id) ?? '') || !known.has(id))
    .toSorted((a, b) => (a.last_contact < b.last_contact ? 1 : a.last_contact > b.last_contact ? -1 : 0))
}
