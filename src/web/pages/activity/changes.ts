import type { Answer } from '../../api/client.ts'
import { clientName } from '../../locales/client-name.ts'

export type Change = Answer<'listChanges'>['items'][number]

/** Cause of a change: an app on a device, an import or restore by the user, or the server. */
export type ChangeKind = 'changed' | 'synced' | 'joined' | 'readdressed' | 'imported' | 'restored' | 'deviceDeleted'

const KINDS: Readonly<Record<string, ChangeKind>> = {
  upload: 'changed',
  replace: 'changed',
  sync: 'synced',
  join: 'joined',
  exchange: 'readdressed',
  import: 'imported',
  restore: 'restored',
  device: 'deviceDeleted',
}

/** Returns how to describe a change. A kind unknown to this client is described by its effect on the list. */
export function kindOf({ kind }: Pick<Change, 'kind'>): ChangeKind {
  return KINDS[kind] ?? 'changed'
}

/** Returns the name of the app; '' if the device has the same name, as browsers do. */
export function appOf({ app, device_caption: device }: Pick<Change, 'app' | 'device_caption'>): string {
  const name = clientName(app)
  return name === device ? '' : name
}

/**
 * Returns the other changes that undoing `change` would also undo, newest first. Undoing restores the list as it was
 * before the change, so later changes of the same list are lost. `groups` are the device IDs of each sync group, whose
 * devices share a list.
 */
export function alsoUndone(
  changes: readonly Change[],
  change: Change,
  groups: readonly (readonly string[])[],
): readonly Change[] {
  const { device } = change
  const sharing = device === null ? undefined : (groups.find((group) => group.includes(device)) ?? [device])
  return changes.filter(
    (other) =>
      other.id !== change.id &&
      // A restore has a resolution of one second, so it also undoes other changes in the same second.
      other.time >= change.time &&
      other.added_count + other.removed_count > 0 &&
      (sharing === undefined || other.device === null || sharing.includes(other.device)),
  )
}

/** Returns the body of the request that undoes a change. */
export function restoreBefore({ device, time }: Pick<Change, 'device' | 'time'>) {
  return { device, time: time - 1 }
}

/** Groups items by day, keeping their order. `dayOf` returns the day of a time in Unix seconds. */
export function byDay<T extends { readonly time: number }>(
  items: readonly T[],
  dayOf: (time: number) => string,
): readonly { readonly day: string; readonly items: readonly T[] }[] {
  const days: { day: string; items: T[] }[] = []
  for (const item of items) {
    const day = dayOf(item.time)
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}
