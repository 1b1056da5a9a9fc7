import type { PodcastId } from '../../../domain/shared/ids.ts'
import type { DeviceChange } from '../../../domain/sync/list-changes/restoring.ts'

export interface ChangeSection extends DeviceChange {
  readonly devices: readonly number[]
}

/**
 * Compact encoding, since most changes are about one podcast: numbers with seven bits per byte, each as the difference
 * from the previous one. Devices with equal changes, usually those of a sync group, share a section.
 *
 * Section: devices, added, removed, renamed, each a count followed by the numbers (pairs of them for `renamed`).
 */
export function encodeSections(sections: readonly ChangeSection[]): Uint8Array {
  const bytes: number[] = []
  for (const { devices, added, removed, renamed } of sections) {
    putList(bytes, devices)
    putList(bytes, added)
    putList(bytes, removed)
    put(bytes, renamed.length)
    for (const [from, to] of renamed) {
      put(bytes, from)
      put(bytes, to)
    }
  }
  return new Uint8Array(bytes)
}

/** Yields the sections one by one, so that a reader of the first one need not decode the others. */
export function* decodeSections(bytes: Uint8Array): Generator<ChangeSection, void> {
  let at = 0

  function number(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }
  function list<T extends number>(): T[] {
    const found: T[] = []
    let last = 0
    for (let left = number(); left > 0; left--) {
      last += number()
      found.push(last as T)
    }
    return found
  }

  while (at < bytes.length) {
    const devices = list()
    const added = list<PodcastId>()
    const removed = list<PodcastId>()
    const renamed = Array.from({ length: number() }, () => [number() as PodcastId, number() as PodcastId] as const)
    yield { devices, added, removed, renamed }
  }
}

function putList(bytes: number[], values: readonly number[]): void {
  put(bytes, values.length)
  let last = 0
  for (const value of sorted(values)) {
    put(bytes, value - last)
    last = value
  }
}

function sorted(values: readonly number[]): Iterable<number> {
  return values.length < 2 ? values : Float64Array.from(values).sort()
}

function put(bytes: number[], value: number): void {
  let left = value
  while (left >= 128) {
    bytes.push((left % 128) + 128)
    left = Math.floor(left / 128)
  }
  bytes.push(left)
}
