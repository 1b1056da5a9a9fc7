import type { PodcastId } from '../shared/ids.ts'

/*
 * One podcast, whatever its address (docs/protocol.md#D83): what adding, removing and listing mean for one device where a podcast has
 * several addresses. Each address is a podcast of its own to the store; the feeds tell which of them are one.
 */

/** How an address relates to another one of its podcast: the sum of what holds. */
export const RELATION = {
  leadsThere: 1,
  leadsHere: 2,
  /** Both lead to the same third one, and their documents share a guid. */
  shares: 4,
} as const

/** The other addresses of a podcast, as seen from one of them, each with the sum of its `RELATION`. */
export type Relations = ReadonlyMap<PodcastId, number>

/** More addresses than any podcast has: what has more is a page that everything leads to. */
export const ADDRESSES_MAX = 50

const leadsOnlyThere = (relation = 0) => (relation & RELATION.leadsThere) !== 0 && (relation & RELATION.leadsHere) === 0
const leadsOnlyHere = (relation = 0) => (relation & RELATION.leadsHere) !== 0 && (relation & RELATION.leadsThere) === 0

/** What adding an address means for a device: a new subscription, another own address for one that it has, or nothing. */
export type AddPlan = { readonly kind: 'subscribe' | 'nothing' } | { readonly kind: 'rename'; readonly from: PodcastId }

/**
 * `held` are the addresses under which the device has the podcast, longest first. Of several addresses of a podcast in one upload, which are
 * `sent`, the device's own is the one that others lead to, in whatever order they come.
 */
export function planAdd(
  address: PodcastId,
  relations: Relations,
  held: readonly PodcastId[],
  sent: ReadonlySet<PodcastId>,
): AddPlan {
  if (held.includes(address)) return { kind: 'nothing' }
  const others = held.filter((id) => relations.has(id))
  if (others.length === 0) return { kind: 'subscribe' }
  const from = others.find((id) => leadsOnlyHere(relations.get(id))) ?? others.find((id) => !sent.has(id))
  return from === undefined ? { kind: 'nothing' } : { kind: 'rename', from }
}

export interface Removal {
  readonly address: PodcastId
  readonly relations: Relations
  readonly held: readonly PodcastId[]
  readonly wasHeld: boolean
  readonly isExchanged: boolean
}

/** `left`: whether the device still has the podcast; if so, its group keeps it, too. */
export interface RemovalPlan {
  readonly gone: readonly PodcastId[]
  readonly left: 'nothing' | 'another copy' | 'all'
}

/**
 * What removing an address means for a device. An address that it has replaced by another one is cleaned up, and nothing goes, unless the
 * feed lives there again. One that it never had is where an app has silently followed the feed to.
 */
export function planRemove({ address, relations, held, wasHeld, isExchanged }: Removal): RemovalPlan {
  const others = held.filter((id) => relations.has(id))
  if (held.includes(address)) {
    if (others.length > 0) return { gone: [address], left: 'another copy' }
    return isExchanged ? { gone: [], left: 'all' } : { gone: [address], left: 'nothing' }
  }
  const isBack = others.some((id) => leadsOnlyHere(relations.get(id)))
  const isReplaced = others.length > 0 && wasHeld && !isBack
  return isReplaced || isExchanged ? { gone: [], left: 'all' } : { gone: others, left: 'nothing' }
}

/** What goes from another device of the group. `held` are all its addresses of the podcast. */
export function planGroupRemove(
  address: PodcastId,
  held: readonly PodcastId[],
  { left }: RemovalPlan,
): readonly PodcastId[] {
  if (left === 'nothing') return held
  return left === 'another copy' && held.length > 1 ? held.filter((id) => id === address) : []
}

export interface ReplacePlan {
  readonly kept: ReadonlySet<PodcastId>
  /** Of `kept`, those that stay for another address in the list, by that. */
  readonly renamed: ReadonlyMap<PodcastId, PodcastId>
  readonly added: readonly PodcastId[]
}

/**
 * What a whole list means for what a device has: each address stands for one copy, the exact one first. Of several addresses of a podcast that
 * stand for the same copy, or for a new one, the device's own is the one that the others lead to.
 */
export function planReplace(
  given: readonly PodcastId[],
  held: readonly PodcastId[],
  relationsOf: (address: PodcastId) => Relations,
): ReplacePlan {
  // In the order of getting them; by the few relations of each address, since lists may be long.
  const left = new Set(held)
  const orderOf = new Map(held.map((id, index) => [id, index]))
  const kept = new Set(given.filter((address) => left.delete(address)))
  const renamed = new Map<PodcastId, PodcastId>()
  const added: PodcastId[] = []
  const standing = new Set(kept)
  const all = new Set(given)
  // Those that others lead to first.
  for (const address of new Set(given.flatMap((each) => [lastOf(each, all, relationsOf), each]))) {
    if (standing.has(address)) continue
    const others = [...relationsOf(address).keys()]
    const copies = others.filter((id) => left.has(id))
    const [copy] = copies.toSorted((one, other) => (orderOf.get(one) ?? 0) - (orderOf.get(other) ?? 0))
    if (copy !== undefined) {
      left.delete(copy)
      kept.add(copy)
      renamed.set(copy, address)
      standing.add(copy).add(address)
    } else if (!others.some((id) => standing.has(id))) {
      added.push(address)
      standing.add(address)
    }
  }
  return { kept, renamed, added }
}

/**
 * By which address each of the addresses of a list is listed, one for each podcast: the one that the others lead to, else the first in the
 * order of the list.
 */
export function listedAs(
  addresses: readonly PodcastId[],
  relationsOf: (address: PodcastId) => Relations,
): ReadonlyMap<PodcastId, PodcastId> {
  const all = new Set(addresses)
  /** What stands for what, and the first ones of each podcast for what they lead to. */
  const first = new Map<PodcastId, PodcastId>()
  const best = new Map<PodcastId, PodcastId>()
  for (const address of all) {
    const known = [...relationsOf(address).keys()].find((id) => best.has(id)) ?? address
    first.set(address, known)
    if (known === address) best.set(address, lastOf(address, all, relationsOf))
  }
  return new Map([...first].map(([address, known]) => [address, best.get(known) ?? known]))
}

function lastOf(
  address: PodcastId,
  all: ReadonlySet<PodcastId>,
  relationsOf: (address: PodcastId) => Relations,
): PodcastId {
  const passed = new Set([address])
  let last = address
  for (;;) {
    const next = [...relationsOf(last)].find(
      ([id, relation]) => all.has(id) && !passed.has(id) && leadsOnlyThere(relation),
    )
    if (!next) return last
    last = next[0]
    passed.add(last)
  }
}
