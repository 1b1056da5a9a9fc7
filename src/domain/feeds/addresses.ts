import { sanitizeUrl } from '../shared/feed-url.ts'
import type { PodcastId } from '../shared/ids.ts'
import { ADDRESSES_MAX } from '../sync/addresses.ts'

/** Why an address leads to another (docs/protocol.md#D83): its server, its document, or the same podcast over https. */
export type EdgeKind = 'redirect' | 'claim' | 'twin'

export function addressesLedTo(
  start: PodcastId,
  next: (address: PodcastId) => readonly PodcastId[],
): ReadonlySet<PodcastId> {
  const found = new Set<PodcastId>([start])
  for (const address of found) {
    for (const id of next(address)) {
      if (found.size > ADDRESSES_MAX) break
      found.add(id)
    }
  }
  found.delete(start)
  return found
}

export interface Evidence {
  readonly id: PodcastId
  /** Whether the podcast itself leads to this address, which no other feed can cause. */
  readonly isOwnWord: boolean
  readonly users: number
  /** Smallest number of these addresses that any one of its users holds; 0 if it has many users, or none. */
  readonly crowd: number
}

/** The lowest address in the order of docs/protocol.md#D83: `isOwnWord`, then more users, a smaller crowd, and age. */
export function weakestAddress(addresses: readonly Evidence[]): PodcastId | undefined {
  const [weakest] = addresses.toSorted(
    (one, other) =>
      Number(one.isOwnWord) - Number(other.isOwnWord) ||
      one.users - other.users ||
      other.crowd - one.crowd ||
      other.id - one.id,
  )
  return weakest?.id
}

export function storableAddresses(own: string, urls: readonly string[]): string[] {
  const stored = urls.flatMap((url) => sanitizeUrl(url) ?? [])
  return [...new Set(stored)].filter((url) => url !== own)
}

export interface ClaimEnd {
  readonly isSecret: boolean
  readonly isBlocked: boolean
  readonly guid: string
  readonly episodeGuids: readonly string[]
}

/** Whether both documents share a guid; always false from a private feed to a public one (docs/protocol.md#D56). */
export function isClaimTrue(from: ClaimEnd & { readonly isPrivate: boolean }, to: ClaimEnd): boolean {
  const isFromPrivate = from.isPrivate || from.isSecret || from.isBlocked
  if (isFromPrivate && !to.isSecret && !to.isBlocked) return false
  if (from.guid !== '' && from.guid === to.guid) return true
  const targetGuids = new Set(to.episodeGuids)
  return from.episodeGuids.some((guid) => guid !== '' && targetGuids.has(guid))
}
