interface KnownAddresses {
  readonly base_url: string
  readonly addresses: readonly string[]
}

/**
 * Returns the addresses for apps on other devices, best first, without a trailing slash: `base_url` if it is set, the
 * address of this page, which is known to work, and the addresses of the server in its networks. The last are omitted
 * if one of the others uses HTTPS, unless only this computer can reach the others. Empty if no address works elsewhere.
 */
export function addressesForApps(page: string, serverAddresses: KnownAddresses | undefined): readonly string[] {
  const { base_url: base = '', addresses = [] } = serverAddresses ?? {}
  const own = addresses.includes(base) ? [base, page] : [page]
  const others = own.some((each) => each.startsWith('https:')) ? [] : addresses
  const reachable = [...own, ...others].map((each) => each.replace(/\/+$/, '')).filter((each) => !isLoopback(each))
  return reachable.length > 0 ? [...new Set(reachable)] : addresses.filter((each) => !isLoopback(each))
}

/** Whether an address works only on the computer that runs the server. */
function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

export interface StepPart {
  /** `screen` is text that the app displays, `address` is a placeholder for the server address. */
  readonly kind: 'text' | 'screen' | 'address'
  readonly text: string
}

/** Splits a step of the instructions at `*…*`, text that the app displays, and at `{address}`. */
export function stepParts(step: string): readonly StepPart[] {
  return step
    .split(/(\*[^*]+\*|\{address\})/)
    .filter((text) => text !== '')
    .map((text) => {
      if (text === '{address}') return { kind: 'address', text: '' }
      return text.startsWith('*') ? { kind: 'screen', text: text.slice(1, -1) } : { kind: 'text', text }
    })
}

/** `last_contact` is in UTC; '' if the device has never been seen. */
export interface DeviceActivity {
  readonly id: string
  readonly caption: string
  readonly last_contact: string
}

/** Returns the devices that are new or have been seen since `before` was loaded, latest first. */
export function activeSince<T extends DeviceActivity>(
  before: readonly DeviceActivity[],
  now: readonly T[],
): readonly T[] {
  const lastContacts = new Map(before.map(({ id, last_contact }) => [id, last_contact]))
  return now
    .filter(({ id, last_contact }) => last_contact > (lastContacts.get(id) ?? '') || !lastContacts.has(id))
    .toSorted((a, b) => (a.last_contact < b.last_contact ? 1 : a.last_contact > b.last_contact ? -1 : 0))
}
