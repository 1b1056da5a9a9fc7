import { type Groups, isSame, requestsFor, type Wish } from './regroup.ts'

/** A podcast and the IDs of the devices that have it. */
export interface Held {
  readonly url: string
  readonly title: string
  readonly devices: readonly string[]
}

export interface Gain {
  readonly device: string
  /** What it gets from the others. */
  readonly podcasts: readonly Held[]
}

export interface Preview {
  /** What each member gets, most first. */
  readonly gains: readonly Gain[]
  /** How many podcasts all members together have afterwards. */
  readonly total: number
  /** Those that are in no group afterwards and were in one before. */
  readonly released: readonly string[]
}

/** What comes of a wish: the members get the union of their lists (protocol.md D35), whoever leaves keeps what it has. */
export function previewOf(podcasts: readonly Held[], groups: Groups, wish: Wish): Preview {
  const { edited, members } = wish
  const isJoining = requestsFor(groups, wish).some(({ synchronize }) => synchronize)
  const union = podcasts.filter(({ devices }) => devices.some((device) => members.includes(device)))
  const gains = members.map((device) => ({
    device,
    podcasts: isJoining ? union.filter(({ devices }) => !devices.includes(device)) : [],
  }))
  const isKept = (device: string) => members.length > 1 && members.includes(device)
  const released = groups.flatMap((group) => {
    const rest = group.filter((device) => !members.includes(device))
    if (isSame(group, edited)) return group.filter((device) => !isKept(device))
    return rest.length === 1 ? rest : []
  })
  return { gains: gains.toSorted((a, b) => b.podcasts.length - a.podcasts.length), total: union.length, released }
}

/** What goes with a device when it is deleted, and how much of its list is elsewhere, too. */
export function lossOf(podcasts: readonly Held[], device: string): { readonly lost: readonly Held[]; kept: number } {
  const held = podcasts.filter(({ devices }) => devices.includes(device))
  const lost = held.filter(({ devices }) => devices.length === 1)
  return { lost, kept: held.length - lost.length }
}
