import { call } from '../../api/client.ts'
import { ownName } from '../../store/session.ts'
import { devices, groups, loadDevices, loadHolders } from '../../store/subscriptions.ts'

/** The sync groups of a user, each as the IDs of its devices. */
export type Groups = readonly (readonly string[])[]

/** An edit of one group. A group of fewer than two devices is dissolved. */
export interface GroupEdit {
  /** The group before; empty for a new one. */
  readonly edited: readonly string[]
  /** The group afterwards. */
  readonly devices: readonly string[]
}

/** A body of `POST /api/2/sync-devices/{user}.json` (docs/protocol.md#sync-groups). */
export interface GroupRequest {
  readonly synchronize?: readonly (readonly string[])[]
  readonly 'stop-synchronize'?: readonly string[]
}

/** The groups after an edit. A device that is added leaves its old group, and a group of one device is dissolved. */
export function applyEdit(groups: Groups, edit: GroupEdit): Groups {
  const wanted = devicesIn(edit)
  const others = groups.filter((group) => !isSame(group, edit.edited)).map((group) => without(group, wanted))
  return [...others, wanted].filter((group) => group.length > 1)
}

/**
 * The requests that make an edit, in order. Within a request the server joins before it separates, and it joins whole
 * groups (docs/protocol.md#sync-groups). Devices that leave must therefore be separated first, or they would get the
 * podcasts of the new ones.
 */
export function requestsOf(groups: Groups, edit: GroupEdit): readonly GroupRequest[] {
  const wanted = devicesIn(edit)
  const others = groups.filter((group) => !isSame(group, edit.edited))
  const moving = others
    .filter((group) => without(group, wanted).length > 0)
    .flatMap((group) => intersection(group, wanted))
  const leaving = [...without(edit.edited, wanted), ...moving]
  const isTogether = without(wanted, edit.edited).length === 0
  return [
    ...(leaving.length > 0 ? [{ 'stop-synchronize': leaving }] : []),
    ...(isTogether ? [] : [{ synchronize: [wanted] }]),
  ]
}

/** The group of a device, or only the device if it is in none. */
export function groupOf(groups: Groups, device: string): readonly string[] {
  return groups.find((group) => group.includes(device)) ?? [device]
}

/** Whether both contain the same devices, in any order. */
export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && without(a, b).length === 0
}

/** The devices of the group after an edit; none if the edit dissolves it. */
export function devicesIn({ devices: ids }: GroupEdit): readonly string[] {
  return ids.length > 1 ? ids : []
}

function intersection(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => others.includes(device))
}

function without(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => !others.includes(device))
}

/** Saves an edit. Rejects with `ApiError`; devices that leave may have left by then. */
export async function saveGroup(edit: GroupEdit): Promise<void> {
  try {
    for (const body of requestsOf(groups.value, edit)) await call('changeSyncGroups', { path: owner(), body })
  } finally {
    await reloadAll()
  }
}

/** Changes name and type of a device. Rejects with `ApiError`. */
export async function saveDevice(id: string, caption: string, type: string): Promise<void> {
  await call('updateDevice', { path: { ...owner(), deviceid: id }, body: { caption, type } })
  await loadDevices()
}

/** Deletes a device. Rejects with `ApiError`. */
export async function removeDevice(id: string): Promise<void> {
  try {
    await call('deleteDevice', { path: { ...owner(), deviceid: id } })
  } finally {
    await reloadAll()
  }
}

/** Loads everything that depends on devices and groups again. */
async function reloadAll(): Promise<void> {
  await Promise.all([loadDevices(), loadHolders()])
}

function owner(): { username: string } {
  return { username: ownName() }
}

/** Sorts devices as all lists do, oldest first. */
export function sortAsListed(ids: readonly string[]): readonly string[] {
  return (devices.value ?? []).map(({ id }) => id).filter((id) => ids.includes(id))
}

/** What names an app in the activity of a user. */
interface AppUse {
  readonly device: string | null
  readonly app: string
  readonly by: 'app' | 'browser'
}

/** The app that has used each device last, by the ID of the device. `uses` are the latest first. */
export function appsByDevice(uses: readonly AppUse[]): ReadonlyMap<string, string> {
  const apps = new Map<string, string>()
  for (const { device, app, by } of uses)
    if (device !== null && by === 'app' && app !== '' && !apps.has(device)) apps.set(device, app)
  return apps
}
