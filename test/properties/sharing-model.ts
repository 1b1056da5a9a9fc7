/** The simplest model of sync groups and `auto_sync` (docs/protocol.md#sync-groups). */
export interface SharingDevice {
  readonly uid: string
  /** The list that the server must hold; undefined while it does not know the device. */
  held: Set<string> | undefined
  /** Devices that share, this one included. */
  group: Set<SharingDevice>
  /** Feeds changed by others since the app's last request. */
  readonly unread: Set<string>
  /** Whether it has uploaded a list or changes. */
  hasSent: boolean
}

export interface Sharing {
  readonly devices: readonly SharingDevice[]
  isAutoSync: boolean
  /** The IDs in `auto_sync_except`, including those of unknown devices. */
  except: Set<string>
}

export interface SharingSetting {
  readonly isAutoSync: boolean
  readonly except: readonly string[]
}

/** The server learns of a device, which joins the others under `auto_sync`. */
export function meet(sharing: Sharing, device: SharingDevice): void {
  device.held ??= new Set()
  joinAll(sharing)
}

/** A device leaves its group. */
export function leave(device: SharingDevice): void {
  device.group.delete(device)
  device.group = new Set([device])
}

/** A request with known devices: first all lists are joined, then devices leave. */
export function regroup(
  sharing: Sharing,
  lists: readonly (readonly SharingDevice[])[],
  leaving: readonly SharingDevice[],
): void {
  const { except, isAutoSync } = sharing
  for (const list of lists) unite(list)
  if (isAutoSync)
    for (const { group } of lists.flat())
      if ([...group].some(({ uid }) => !except.has(uid))) for (const { uid } of group) except.delete(uid)
  for (const device of leaving) {
    leave(device)
    if (isAutoSync) except.add(device.uid)
  }
  joinAll(sharing)
}

/** The account's settings change. */
export function applySetting(sharing: Sharing, { isAutoSync, except: uids }: SharingSetting): void {
  const before = { isAutoSync: sharing.isAutoSync, except: sharing.except }
  const except = new Set(uids)
  sharing.isAutoSync = isAutoSync
  sharing.except = before.isAutoSync && !isAutoSync ? new Set() : except
  if (!isAutoSync) return
  const isOut = ({ uid }: SharingDevice) => except.has(uid)
  const wasOut = ({ uid, group }: SharingDevice) =>
    before.isAutoSync ? before.except.has(uid) : [...group].every(isOut)
  const changed = sharing.devices.filter((device) => isOut(device) !== wasOut(device))
  for (const device of changed) leave(device)
  joinAll(sharing)
}

function joinAll({ devices, isAutoSync, except }: Sharing): void {
  if (isAutoSync) unite(devices.filter(({ uid, held }) => held && !except.has(uid)))
}

/** Merges the groups of these devices; each member gets the union of their lists. */
function unite(devices: readonly SharingDevice[]): void {
  if (new Set(devices).size < 2) return
  const union = new Set(devices.flatMap(({ group }) => [...group]))
  const all = new Set([...union].flatMap(({ held }) => [...(held ?? [])]))
  for (const member of union) {
    member.group = union
    for (const url of all.difference(member.held ?? new Set())) {
      member.held?.add(url)
      member.unread.add(url)
    }
  }
}
