import { call } from '../../api/client.ts'
import { language } from '../../locales/index.ts'
import { account } from '../../store/session.ts'
import { devices, groups, loadDevices, loadOwnPodcasts } from '../../store/subscriptions.ts'

/** The sync groups of a user, each as the IDs of its devices. */
export type Groups = readonly (readonly string[])[]

/** A group as somebody wants it: `members` instead of `edited`, which is empty for a new group. Less than two members: no group. */
export interface GroupEdit {
  readonly edited: readonly string[]
  readonly devices: readonly string[]
}

/** A body of `POST /api/2/sync-devices/{u}.json`. */
export interface GroupRequest {
  readonly synchronize?: readonly (readonly string[])[]
  readonly 'stop-synchronize'?: readonly string[]
}

/** The groups after the wish: who comes has left its old group, and what is left with one device is no group. */
export function applyEdit(groups: Groups, wish: GroupEdit): Groups {
  const members = devicesIn(wish)
  const others = groups.filter((group) => !isSame(group, wish.edited)).map((group) => without(group, members))
  return [...others, members].filter((group) => group.length > 1)
}

/**
 * What to ask the server for, in this order. It joins before it parts and brings whole groups along (docs/protocol.md#sync-groups), so whoever is not
 * to get the podcasts of the new members has to be out before they come.
 */
export function requestsOf(groups: Groups, wish: GroupEdit): readonly GroupRequest[] {
  const members = devicesIn(wish)
  const others = groups.filter((group) => !isSame(group, wish.edited))
  const moving = others.filter((group) => without(group, members).length > 0).flatMap((group) => among(group, members))
  const leaving = [...without(wish.edited, members), ...moving]
  const isTogether = without(members, wish.edited).length === 0
  return [
    ...(leaving.length > 0 ? [{ 'stop-synchronize': leaving }] : []),
    ...(isTogether ? [] : [{ synchronize: [members] }]),
  ]
}

/** The group of a device; itself alone if it is in none. */
export function groupOf(groups: Groups, device: string): readonly string[] {
  return groups.find((group) => group.includes(device)) ?? [device]
}

/** What it means to drop a device on another: it joins its group, or both make one. Undefined if they are together already. */
export function joinGroup(groups: Groups, device: string, target: string): GroupEdit | undefined {
  const group = groupOf(groups, target)
  if (group.includes(device)) return undefined
  return { edited: group.length > 1 ? group : [], devices: [...group, device] }
}

/** What it means to take a device out of its group. Undefined if it is in none. */
export function leaveGroup(groups: Groups, device: string): GroupEdit | undefined {
  const group = groupOf(groups, device)
  return group.length > 1 ? { edited: group, devices: without(group, [device]) } : undefined
}

/** Whether both are the same devices, in whatever order. */
export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && without(a, b).length === 0
}

export function devicesIn({ devices: members }: GroupEdit): readonly string[] {
  return members.length > 1 ? members : []
}

function among(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => others.includes(device))
}

function without(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => !others.includes(device))
}

/** Makes the group what the wish says. Rejects with `ApiError`; then those who are to leave may have left already. */
export async function saveGroup(wish: GroupEdit): Promise<void> {
  try {
    for (const body of requestsOf(groups.value, wish)) await call('changeSyncGroups', { path: owner(), body })
  } finally {
    await learn()
  }
}

/** Rejects with `ApiError`. */
export async function saveDevice(id: string, caption: string, type: string): Promise<void> {
  await call('updateDevice', { path: { ...owner(), deviceid: id }, body: { caption, type } })
  await loadDevices()
}

/** Rejects with `ApiError`. */
export async function removeDevice(id: string): Promise<void> {
  try {
    await call('deleteDevice', { path: { ...owner(), deviceid: id } })
  } finally {
    await learn()
  }
}

/** Everything that hangs on devices and groups, anew. */
async function learn(): Promise<void> {
  await Promise.all([loadDevices(), loadOwnPodcasts()])
}

function owner(): { username: string } {
  return { username: account.value?.username ?? '' }
}

/** What the person calls a device. */
export function captionOf(id: string): string {
  return devices.value?.find((device) => device.id === id)?.caption ?? id
}

/** “Pixel, Desktop and Laptop”. */
export function captionList(ids: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(ids.map(captionOf))
}

/** The same devices, oldest first, as all lists have them. */
export function inDeviceOrder(ids: readonly string[]): readonly string[] {
  return (devices.value ?? []).map(({ id }) => id).filter((id) => ids.includes(id))
}
