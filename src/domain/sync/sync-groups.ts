import type { Clock } from '../../platform/clock.ts'
import { isRecord } from '../../platform/unknown.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError } from '../shared/errors.ts'
import { parseExactly } from '../shared/exact-json.ts'
import type { UserId } from '../shared/ids.ts'
import type { SyncGroupStore, SyncStatus } from './ports/devices.ts'
import type { ByApp } from './ports/written.ts'
import { changeSettings } from './settings.ts'

export type SyncGroups = ReturnType<typeof createSyncGroups>

export function createSyncGroups(store: SyncGroupStore, clock: Clock) {
  return {
    status: (userId: UserId): Promise<SyncStatus> => store.status(userId),
    /** Joins, merges and leaves (docs/protocol.md#sync-groups). Throws `validation_failed`, `unknown_device`. */
    regroup: async (userId: UserId, { synchronize, stop }: RegroupRequest, by?: ByApp): Promise<SyncStatus> =>
      store.regroup(
        userId,
        { synchronize: synchronize.map((list) => list.map(parseDeviceId)), stop: stop.map(parseDeviceId) },
        clock.seconds(),
        by,
      ),
  }
}

export interface GroupedDevice {
  readonly uid: string
  /** Any value that is the same for all members; undefined for a device in no group. */
  readonly group: number | undefined
}

export interface RegroupRequest {
  readonly synchronize: readonly (readonly string[])[]
  readonly stop: readonly string[]
  readonly stopFirst?: readonly string[]
}

export interface Regrouped {
  readonly merged: string[][]
  readonly groups: string[][]
}

/** Groups after a request (docs/protocol.md#sync-groups): every join, then every leave. Throws `unknown_device`. */
export function regroup(
  devices: readonly GroupedDevice[],
  { synchronize, stop, stopFirst = [] }: RegroupRequest,
): Regrouped {
  const single = new Set(stopFirst)
  const groupOf = new Map<string, Set<string>>()
  const byNumber = new Map<number, Set<string>>()
  for (const { uid, group: number } of devices) {
    const group = single.has(uid) ? undefined : number
    const members = (group !== undefined && byNumber.get(group)) || new Set<string>()
    members.add(uid)
    groupOf.set(uid, members)
    if (group !== undefined) byNumber.set(group, members)
  }
  const groupContaining = (uid: string): Set<string> => {
    const members = groupOf.get(uid)
    if (!members) throw new DomainError('unknown_device', `unknown device: ${uid}`)
    return members
  }
  for (const uid of [...synchronize.flat(), ...stop]) groupContaining(uid)

  const joined = new Set<ReadonlySet<string>>()
  for (const list of synchronize) {
    if (new Set(list).size < 2) continue
    const groups = new Set(list.map(groupContaining))
    // Merges into the largest group, which limits how often a device moves.
    const union = [...groups].reduce((one, other) => (other.size > one.size ? other : one))
    for (const members of groups) {
      if (members === union) continue
      for (const member of members) {
        union.add(member)
        groupOf.set(member, union)
      }
    }
    joined.add(union)
  }
  const merged = listGroups(devices, groupOf, (members) => joined.has(members))

  for (const uid of stop) {
    groupContaining(uid).delete(uid)
    groupOf.set(uid, new Set([uid]))
  }
  return { merged, groups: listGroups(devices, groupOf, (members) => members.size > 1) }
}

function listGroups(
  devices: readonly GroupedDevice[],
  groupOf: ReadonlyMap<string, ReadonlySet<string>>,
  isWanted: (members: ReadonlySet<string>) => boolean,
): string[][] {
  const found = new Map<ReadonlySet<string>, string[]>()
  for (const { uid } of devices) {
    const members = groupOf.get(uid)
    if (!members || !isWanted(members)) continue
    const uids = found.get(members)
    if (uids) uids.push(uid)
    else found.set(members, [uid])
  }
  return [...found.values()]
}

/** Keys of the account's settings (docs/protocol.md#auto-sync). */
const AUTO_SYNC = 'auto_sync'
const AUTO_SYNC_EXCEPT = 'auto_sync_except'

export interface AutoSync {
  readonly except: ReadonlySet<string>
}

export function readAutoSync(stored: string): AutoSync | undefined {
  // Rules out nearly all settings without parsing them.
  if (!stored.includes(`"${AUTO_SYNC}":true`)) return undefined
  const settings = parseExactly(stored)
  if (!isRecord(settings) || settings[AUTO_SYNC] !== true) return undefined
  const except = settings[AUTO_SYNC_EXCEPT]
  return { except: new Set(Array.isArray(except) ? except.filter((uid) => typeof uid === 'string') : []) }
}

export function settleAutoSync(before: string, after: string): string {
  if (!readAutoSync(before) || readAutoSync(after)) return after
  return changeSettings(after, { set: {}, remove: [AUTO_SYNC_EXCEPT] })
}

export function planAutoSync(devices: readonly string[], { except }: AutoSync): RegroupRequest {
  return { synchronize: [devices.filter((uid) => !except.has(uid))], stop: [] }
}

/** A change of the setting: new and former exceptions leave their groups before the others are joined. */
export function planAutoSyncChange(
  devices: readonly GroupedDevice[],
  before: AutoSync | undefined,
  after: AutoSync,
): RegroupRequest {
  const shared = new Set(devices.filter(({ uid }) => !after.except.has(uid)).map(({ group }) => group))
  const wasOut = ({ uid, group }: GroupedDevice) => (before ? before.except.has(uid) : !shared.has(group))
  const changed = devices.filter((device) => after.except.has(device.uid) !== wasOut(device))
  const uids = devices.map(({ uid }) => uid)
  return { ...planAutoSync(uids, after), stopFirst: changed.map(({ uid }) => uid) }
}

export interface AutoSyncRegroup {
  readonly request: RegroupRequest
  readonly stored: string
}

/** Manual grouping while `auto_sync` is on: devices taken out become exceptions. Throws `payload_too_large`. */
export function planRegroupWithAutoSync(
  devices: readonly GroupedDevice[],
  { synchronize, stop }: RegroupRequest,
  stored: string,
  { except }: AutoSync,
): AutoSyncRegroup {
  const { merged } = regroup(devices, { synchronize, stop: [] })
  const now = new Set(except)
  for (const group of merged) if (group.some((uid) => !except.has(uid))) for (const uid of group) now.delete(uid)
  for (const uid of stop) now.add(uid)
  const all = planAutoSync(
    devices.map(({ uid }) => uid),
    { except: now },
  )
  const isSame = now.size === except.size && now.difference(except).size === 0
  return {
    request: { synchronize: [...synchronize, ...all.synchronize], stop },
    stored: isSame
      ? stored
      : changeSettings(
          stored,
          now.size > 0
            ? { set: { [AUTO_SYNC_EXCEPT]: [...now] }, remove: [] }
            : { set: {}, remove: [AUTO_SYNC_EXCEPT] },
        ),
  }
}
