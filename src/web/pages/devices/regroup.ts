/** The sync groups of a user, each as the IDs of its devices. */
export type Groups = readonly (readonly string[])[]

/** A group as somebody wants it: `members` instead of `edited`, which is empty for a new group. */
export interface Wish {
  readonly edited: readonly string[]
  readonly members: readonly string[]
}

/** A body of `POST /api/2/sync-devices/{u}.json`. */
export interface Regrouping {
  readonly synchronize?: readonly (readonly string[])[]
  readonly 'stop-synchronize'?: readonly string[]
}

/** The groups after the wish: who comes has left its old group, and what is left with one device is no group. */
export function regrouped(groups: Groups, { edited, members }: Wish): Groups {
  const others = groups.filter((group) => !isSame(group, edited)).map((group) => without(group, members))
  return [...others, members].filter((group) => group.length > 1)
}

/**
 * What to ask the server for, in this order. It joins before it parts and brings whole groups along (protocol.md 7.2), so whoever is not
 * to get the podcasts of the new members has to be out before they come.
 */
export function requestsFor(groups: Groups, { edited, members }: Wish): readonly Regrouping[] {
  const leaving = [...without(edited, members), ...groups.flatMap((group) => movingFrom(group, edited, members))]
  const isTogether = groups.some((group) => members.every((device) => group.includes(device)) && isSame(group, edited))
  const requests: Regrouping[] = []
  if (leaving.length > 0) requests.push({ 'stop-synchronize': leaving })
  if (members.length > 1 && !isTogether) requests.push({ synchronize: [members] })
  return requests
}

/** Those of another group that come without the rest of it. */
function movingFrom(group: readonly string[], edited: readonly string[], members: readonly string[]): string[] {
  if (isSame(group, edited) || without(group, members).length === 0) return []
  return group.filter((device) => members.includes(device))
}

/** The group of a device; itself alone if it is in none. */
export function groupOf(groups: Groups, device: string): readonly string[] {
  return groups.find((group) => group.includes(device)) ?? [device]
}

/** Whether both are the same devices. */
export function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((device) => b.includes(device))
}

function without(devices: readonly string[], others: readonly string[]): string[] {
  return devices.filter((device) => !others.includes(device))
}
