/** Feed URLs that one device gets or loses. */
export interface DeviceChange {
  readonly device: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** The IDs of the devices that are subscribed to a feed, by feed URL. */
export type Holders = ReadonlyMap<string, ReadonlySet<string>>

/** The changes that undo these. */
export function invert(changes: readonly DeviceChange[]): DeviceChange[] {
  return changes.map(({ device, add, remove }) => ({ device, add: remove, remove: add }))
}

/** The changes that bring a feed from the devices that have it to the wanted ones. */
export function changesBetween(url: string, has: ReadonlySet<string>, wanted: ReadonlySet<string>): DeviceChange[] {
  return [
    ...[...wanted.difference(has)].map((device) => ({ device, add: [url], remove: [] })),
    ...[...has.difference(wanted)].map((device) => ({ device, add: [], remove: [url] })),
  ]
}

/** The changes that unsubscribe feeds on every device that has them. */
export function removeEverywhere(urls: readonly string[], holders: Holders): DeviceChange[] {
  const byDevice = new Map<string, string[]>()
  for (const url of urls)
    for (const device of holders.get(url) ?? []) byDevice.set(device, [...(byDevice.get(device) ?? []), url])
  return [...byDevice].map(([device, remove]) => ({ device, add: [], remove }))
}

/**
 * The devices by the subscriptions they share: each sync group, and each device that is in none. Within a set there is nothing to choose.
 * The order is that of `devices`; a device that only `groups` knows is left out.
 */
export function deviceSets<D extends { readonly id: string }>(
  devices: readonly D[],
  groups: readonly (readonly string[])[],
): D[][] {
  const sets = new Map<readonly string[] | string, D[]>()
  for (const device of devices) {
    const key = groups.find((group) => group.includes(device.id)) ?? device.id
    sets.set(key, [...(sets.get(key) ?? []), device])
  }
  return [...sets.values()]
}

/**
 * One change per sync group: the server passes a change of one device on to the others of its group, so that uploading it for each of
 * them would be repetition.
 */
export function mergeByGroup(
  changes: readonly DeviceChange[],
  groups: readonly (readonly string[])[],
): readonly DeviceChange[] {
  const merged = new Map<readonly string[] | string, DeviceChange>()
  for (const change of changes) {
    const key = groups.find((group) => group.includes(change.device)) ?? change.device
    const first = merged.get(key)
    if (!first) merged.set(key, change)
    else
      merged.set(key, {
        device: first.device,
        add: [...new Set([...first.add, ...change.add])],
        remove: [...new Set([...first.remove, ...change.remove])],
      })
  }
  return [...merged.values()]
}
