/** A device as far as it tells of contact; `last_contact` is UTC, '' if there was none. */
export interface Sighting {
  readonly id: string
  readonly caption: string
  readonly last_contact: string
}

/** The devices that an app has used since `before` was asked for, latest first: new ones, and those with a newer contact. */
export function contactsSince<T extends Sighting>(before: readonly Sighting[], now: readonly T[]): readonly T[] {
  const known = new Map(before.map(({ id, last_contact }) => [id, last_contact]))
  return now
    .filter(({ id, last_contact }) => last_contact > (known.get(id) ?? '') || !known.has(id))
    .toSorted((a, b) => (a.last_contact < b.last_contact ? 1 : a.last_contact > b.last_contact ? -1 : 0))
}
