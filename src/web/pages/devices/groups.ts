import { call } from '../../api/client.ts'
import { ownName } from '../../store/session.ts'
import { devices, groups, loadDevices, loadSubscribedDevices } from '../../store/subscriptions.ts'

/** Sync groups of a user, each a list of device IDs. */
export type Groups = readonly (readonly string[])[]

/** An edit of one group. A group of fewer than two devices is dissolved. */
export interface GroupEdit {
  /** The group before the edit; empty for a new group. */
  readonly edited: readonly string[]
  readonly devices: readonly string[]
}

/** A body of `POST /api/2/sync-devices/{user}.json` (docs/protocol.md#sync-groups). */
export interface GroupRequest {
  readonly synchronize?: readonly (readonly string[])[]
  readonly 'stop-synchronize'?: readonly string[]
}

/** Returns the groups after an edit. Added devices leave their old group; groups left with one device are dissolved. */
export function applyEdit(groups: Groups, edit: GroupEdit): Groups {
  const members = devicesIn(edit)
  const others = groups.filter((group) => !isSame(group, edit.edited)).map((group) => without(group, members))
  return [...others, members].filter((group) => group.length > 1)
}

/**
 * Returns the requests that carry out an edit, in order. Within a request, the server joins before it separates, and it
 * joins whole groups (docs/protocol.md#sync-groups). Leaving devices must therefore be separated first, or they would
 * get the podcasts of the new ones.
 */
export function requestsOf(groups: Groups, edit: GroupEdit): readonly GroupRequest[] {
  const members = devicesIn(edit)
  const others = groups.filter((group) => !isSame(group, edit.edited))
  const moving = others
    .filter((group) => without(group, members).length > 0)
    .flatMap((group) => intersection(group, members))
  const leaving = [...without(edit.edited, members), ...moving]
  const isTogether = without(members, edit.edited).length === 0
  return [
    ...(leaving.length > 0 ? [{ 'stop-synchronize': leaving }] : []),
    ...(isTogether ? [] : [{ synchronize: [members] }]),
  ]
}

/** Returns the group of a device, or just the device if it is not in a group. */
export function groupOf(groups: Groups, device: string): readonly string[] {
  return groups.find((group) => group.includes(device)) ?? [device]
}

/** Whether both contain the same devices, in any order. */
export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && without(a, b).length === 0
}

/** Returns the devices of the group after an edit; empty if the edit dissolves it. */
export function devicesIn({ devices: ids }: GroupEdit): readonly string[] {
  return ids.length > 1 ? ids : []
}

function intersection(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => others.includes(device))
}

function without(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => !others.includes(device))
}

/** Saves an edit. Rejects with `ApiError`, possibly after leaving devices have been separated. */
export async function saveGroup(edit: GroupEdit): Promise<void> {
  try {
    for (const body of requestsOf(groups.value, edit)) await call('changeSyncGroups', { path: owner(), body })
  } finally {
    await reloadAll()
  }
}

/** Rejects with `ApiError`. */
export async function saveDevice(id: string, caption: string, type: string): Promise<void> {
  await call('updateDevice', { path: { ...owner(), deviceid: id }, body: { caption, type } })
  await loadDevices()
}

/** Rejects with `ApiError`. Reloads devices and subscriptions in any case. */
export async function removeDevice(id: string): Promise<void> {
  try {
    await call('deleteDevice', { path: { ...owner(), deviceid: id } })
  } finally {
    await reloadAll()
  }
}

/** Reloads everything that depends on devices and groups. */
async function reloadAll(): Promise<void> {
  await Promise.all([loadDevices(), loadSubscribedDevices()])
}

function owner(): { username: string } {
  return { username: ownName() }
}

/** Sorts device IDs in the order of all lists, oldest first. */
export function sortAsListed(ids: readonly string[]): readonly string[] {
  return (devices.value ?? []).map(({ id }) => id).filter((id) => ids.includes(id))
}

interface AppUse {
  readonly device: string | null
  readonly app: string
  readonly by: 'app' | 'browser'
}

/** Returns the app that last used each device, by device ID. `uses` must be sorted latest first. */
export function appsByDevice(uses: readonly AppUse[]): ReadonlyMap<string, string> {
  const apps = new Map<string, string>()
  for (const { device, app, by } of uses)
    if (device !== null && by === 'app' && app !== '' && !apps.has(device)) apps.set(device, app)
  return apps
}
