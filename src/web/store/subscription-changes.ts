/** What is to happen on one device; feed URLs. */
export interface DeviceChange {
  readonly device: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Which devices have a feed, by feed URL. */
export type Holders = ReadonlyMap<string, ReadonlySet<string>>

/** What takes changes back. */
export function invert(changes: readonly DeviceChange[]): DeviceChange[] {
  return changes.map(({ device, add, remove }) => ({ device, add: remove, remove: add }))
}

/** What leads from the devices that have a feed to those that shall have it. */
export function changesBetween(url: string, has: ReadonlySet<string>, wanted: ReadonlySet<string>): DeviceChange[] {
  return [
    ...[...wanted.difference(has)].map((device) => ({ device, add: [url], remove: [] })),
    ...[...has.difference(wanted)].map((device) => ({ device, add: [], remove: [url] })),
  ]
}

/** What takes feeds off all devices that have them. */
export function removeEverywhere(urls: readonly string[], holders: Holders): DeviceChange[] {
  const byDevice = new Map<string, string[]>()
  for (const url of urls)
    for (const device of holders.get(url) ?? []) byDevice.set(device, [...(byDevice.get(device) ?? []), url])
  return [...byDevice].map(([device, remove]) => ({ device, add: [], remove }))
}

/**
 * Devices between which nothing can be chosen, because they keep the same list: each sync group, and each device in none. In the order
 * of `devices`; what `groups` knows and `devices` does not is left out.
 */
export function deviceSets<D extends { readonly id: string }>(
  devices: readonly D[],
  groups: readonly (readonly string[])[],
): D[][] {
  const units = new Map<readonly string[] | string, D[]>()
  for (const device of devices) {
    const key = groups.find((group) => group.includes(device.id)) ?? device.id
    units.set(key, [...(units.get(key) ?? []), device])
  }
  return [...units.values()]
}
