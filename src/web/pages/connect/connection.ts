/** What the server says about its own addresses. */
interface KnownAddresses {
  readonly base_url: string
  readonly addresses: readonly string[]
}

/**
 * The addresses for apps on other devices, the best one first, without a slash at the end: `base_url` where it is set, the
 * one this page was opened with, since that is known to work, and those of the server in its networks. The latter are left
 * out beside a page by https, of which they are a worse copy. None if only this computer can reach the server.
 */
export function addressesForApps(page: string, known: KnownAddresses | undefined): readonly string[] {
  const { base_url: base = '', addresses = [] } = known ?? {}
  const own = addresses.includes(base) ? [base, page] : [page]
  const others = own.some((each) => each.startsWith('https:')) ? [] : addresses
  const reachable = [...own, ...others].map((each) => each.replace(/\/+$/, '')).filter((each) => !isLoopback(each))
  return reachable.length > 0 ? [...new Set(reachable)] : addresses.filter((each) => !isLoopback(each))
}

/** Whether an address works only on the computer that the server runs on. */
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
