import { type Groups, membersOf, regrouped, requestsFor, type Wish } from './regroup.ts'

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
  /** Those that were in a group before and are in none afterwards. */
  readonly released: readonly string[]
}

/** What comes of a wish: the members get the union of their lists (protocol.md D35); whoever leaves keeps what it has. */
export function previewOf(podcasts: readonly Held[], groups: Groups, wish: Wish): Preview {
  const members = membersOf(wish)
  const isJoining = requestsFor(groups, wish).some(({ synchronize }) => synchronize)
  const union = podcasts.filter(({ devices }) => devices.some((device) => members.includes(device)))
  const gains = members.map((device) => ({
    device,
    podcasts: isJoining ? union.filter(({ devices }) => !devices.includes(device)) : [],
  }))
  const grouped = regrouped(groups, wish).flat()
  return {
    gains: gains.toSorted((a, b) => b.podcasts.length - a.podcasts.length),
    total: union.length,
    released: groups.flat().filter((device) => !grouped.includes(device)),
  }
}

export interface Loss {
  /** What no other device has. */
  readonly lost: readonly Held[]
  /** How many of its podcasts are on others, too. */
  readonly kept: number
}

/** What goes with a device when it is deleted. */
export function lossOf(podcasts: readonly Held[], device: string): Loss {
  const held = podcasts.filter(({ devices }) => devices.includes(device))
  const lost = held.filter(({ devices }) => devices.length === 1)
  return { lost, kept: held.length - lost.length }
}
