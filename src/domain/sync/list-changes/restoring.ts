import { invalid } from '../../shared/errors.ts'
import type { PodcastId } from '../../shared/ids.ts'

export interface DeviceChange {
  readonly added: readonly PodcastId[]
  readonly removed: readonly PodcastId[]
  /** Podcasts that got another address on the device (docs/protocol.md#D83), in the order of the changes. */
  readonly renamed: readonly (readonly [from: PodcastId, to: PodcastId])[]
}

export interface PastList {
  readonly held: Set<PodcastId>
  readonly laterAddress: Map<PodcastId, PodcastId>
}

export function startPastList(held: Iterable<PodcastId>): PastList {
  return { held: new Set(held), laterAddress: new Map() }
}

/** Undoes the newest change of a list. A podcast keeps the address by which the device knows it now. */
export function revertChange({ held, laterAddress }: PastList, { added, removed, renamed }: DeviceChange): void {
  const current = (id: PodcastId) => laterAddress.get(id) ?? id
  for (const [from, to] of renamed.toReversed()) {
    const address = current(to)
    if (address === from) laterAddress.delete(from)
    else laterAddress.set(from, address)
  }
  for (const id of added) held.delete(current(id))
  for (const id of removed) held.add(current(id))
}

export interface PastDevice {
  readonly id: number
  readonly syncGroupId: number | null
  readonly past: ReadonlySet<PodcastId> | undefined
}

export interface RestoredUnit {
  readonly devices: readonly number[]
  readonly podcasts: ReadonlySet<PodcastId>
}

/** The lists to restore. Devices of a sync group share one: that of `only`, else the union. */
export function planRestore(devices: readonly PastDevice[], only?: number): RestoredUnit[] {
  const units = new Map<string, PastDevice[]>()
  for (const device of devices) {
    const key = device.syncGroupId === null ? `device ${device.id}` : `group ${device.syncGroupId}`
    const unit = units.get(key)
    if (unit) unit.push(device)
    else units.set(key, [device])
  }
  return [...units.values()].flatMap((members) => {
    const chosen = members.find(({ id }) => id === only)
    if (only !== undefined && !chosen) return []
    const pasts = chosen?.past ? [chosen.past] : members.flatMap(({ past }) => past ?? [])
    if (pasts.length === 0) return []
    const podcasts = new Set<PodcastId>()
    for (const past of pasts) for (const id of past) podcasts.add(id)
    return [{ devices: members.map(({ id }) => id), podcasts }]
  })
}

export const KEPT_SECONDS = 90 * 24 * 3600

export function earliestTime(start: number, now: number): number {
  return Math.max(start, now - KEPT_SECONDS)
}

/** Throws `validation_failed` for a time in the future or before the known history. All times are Unix seconds. */
export function checkRestoreTime(times: { readonly time: number; readonly now: number; readonly start: number }): void {
  const { time, now, start } = times
  if (time > now) throw invalid('time', `time: expected a time in the past, got ${time}; now it is ${now}`)
  const earliest = earliestTime(start, now)
  if (time < earliest)
    throw invalid('time', `time: changes of lists are known since ${earliest}, got ${time}; choose a later time`)
}
