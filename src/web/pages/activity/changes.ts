import type { Answer } from '../../api/client.ts'
import { clientName } from '../../locales/client-name.ts'

export type Change = Answer<'listChanges'>['items'][number]

/** Who did it: an app on a device, the user by an import or a restore, or the server by itself. */
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

/** What to call a change. A kind that a newer server has is told by what it did to the list. */
export function kindOf({ kind }: Pick<Change, 'kind'>): ChangeKind {
  return KINDS[kind] ?? 'changed'
}

/** What to call the app that did it; '' where the device is called the same, as browsers are. */
export function appOf({ app, device_caption: device }: Pick<Change, 'app' | 'device_caption'>): string {
  const name = clientName(app)
  return name === device ? '' : name
}

/**
 * The changes that go back together with one, newest first and without it: to take a change back is to have the list as it was before, so that
 * what came later on the same list goes, too. `groups` are the device IDs of each sync group, whose devices share a list.
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
      // A restore knows seconds, so that what happened in the same one goes back as well.
      other.time >= change.time &&
      other.added_count + other.removed_count > 0 &&
      (sharing === undefined || other.device === null || sharing.includes(other.device)),
  )
}

/** What to ask the server for to take a change back. */
export function restoreBefore({ device, time }: Pick<Change, 'device' | 'time'>) {
  return { device, time: time - 1 }
}

/** The items of a timeline by day, in their order. `dayOf` tells the day of a time in Unix seconds. */
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
