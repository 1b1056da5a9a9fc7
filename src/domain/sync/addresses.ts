import type { PodcastId } from '../shared/ids.ts'

/* Rules for podcasts with several addresses (docs/protocol.md#D83), each of which is a podcast to the store. */

export const RELATION = {
  leadsThere: 1,
  leadsHere: 2,
  shares: 4,
} as const

export type Relations = ReadonlyMap<PodcastId, number>

/** More addresses than any podcast has. A target with more is a page that unrelated feeds lead to. */
export const ADDRESSES_MAX = 50

const leadsOnlyThere = (relation = 0) => (relation & RELATION.leadsThere) !== 0 && (relation & RELATION.leadsHere) === 0
const leadsOnlyHere = (relation = 0) => (relation & RELATION.leadsHere) !== 0 && (relation & RELATION.leadsThere) === 0

export type AddPlan = { readonly kind: 'subscribe' | 'nothing' } | { readonly kind: 'rename'; readonly from: PodcastId }

/** `held` are the device's addresses of the podcast, oldest first; `sent` are those of the same upload. */
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

export interface RemovalPlan {
  readonly removedIds: readonly PodcastId[]
  readonly remaining: 'nothing' | 'another copy' | 'all'
}

/** Removing a replaced address only cleans up. An address that was never held is one that the app moved to silently. */
export function planRemove({ address, relations, held, wasHeld, isExchanged }: Removal): RemovalPlan {
  const others = held.filter((id) => relations.has(id))
  if (held.includes(address)) {
    if (others.length > 0) return { removedIds: [address], remaining: 'another copy' }
    return isExchanged ? { removedIds: [], remaining: 'all' } : { removedIds: [address], remaining: 'nothing' }
  }
  const isBack = others.some((id) => leadsOnlyHere(relations.get(id)))
  const isReplaced = others.length > 0 && wasHeld && !isBack
  return isReplaced || isExchanged ? { removedIds: [], remaining: 'all' } : { removedIds: others, remaining: 'nothing' }
}

export function planGroupRemove(
  address: PodcastId,
  held: readonly PodcastId[],
  { remaining }: RemovalPlan,
): readonly PodcastId[] {
  if (remaining === 'nothing') return held
  return remaining === 'another copy' && held.length > 1 ? held.filter((id) => id === address) : []
}

export interface ReplacePlan {
  readonly retained: ReadonlySet<PodcastId>
  readonly renamed: ReadonlyMap<PodcastId, PodcastId>
  readonly added: readonly PodcastId[]
}

/** Compares a whole list with the device's addresses. Each listed address stands for one copy, first the exact one. */
export function planReplace(
  listed: readonly PodcastId[],
  held: readonly PodcastId[],
  relationsOf: (address: PodcastId) => Relations,
): ReplacePlan {
  // Oldest first. Compares only the few relations of each address, since lists may be long.
  const unmatched = new Set(held)
  const orderOf = new Map(held.map((id, index) => [id, index]))
  const retained = new Set(listed.filter((address) => unmatched.delete(address)))
  const renamed = new Map<PodcastId, PodcastId>()
  const added: PodcastId[] = []
  const covered = new Set(retained)
  const all = new Set(listed)
  // Addresses that others lead to come first.
  for (const address of new Set(listed.flatMap((each) => [lastOf(each, all, relationsOf), each]))) {
    if (covered.has(address)) continue
    const others = [...relationsOf(address).keys()]
    const copies = others.filter((id) => unmatched.has(id))
    const [copy] = copies.toSorted((one, other) => (orderOf.get(one) ?? 0) - (orderOf.get(other) ?? 0))
    if (copy !== undefined) {
      unmatched.delete(copy)
      retained.add(copy)
      renamed.set(copy, address)
      covered.add(copy).add(address)
    } else if (!others.some((id) => covered.has(id))) {
      added.push(address)
      covered.add(address)
    }
  }
  return { retained, renamed, added }
}

/** Maps each address to the one its podcast is listed by: the one that others lead to, else the first in the list. */
export function listedAs(
  addresses: readonly PodcastId[],
  relationsOf: (address: PodcastId) => Relations,
): ReadonlyMap<PodcastId, PodcastId> {
  const all = new Set(addresses)
  const first = new Map<PodcastId, PodcastId>()
  const best = new Map<PodcastId, PodcastId>()
  for (const address of all) {
    const representative = [...relationsOf(address).keys()].find((id) => best.has(id)) ?? address
    first.set(address, representative)
    if (representative === address) best.set(address, lastOf(address, all, relationsOf))
  }
  return new Map([...first].map(([address, representative]) => [address, best.get(representative) ?? representative]))
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
