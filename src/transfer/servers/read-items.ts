import type { CountedKind, ImportRecord } from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { type ItemsQuery, NotServed, type ServerClient } from './server-client.ts'

/** What a server does not have, or has never heard of: nothing that could come over. */
const NOTHING_THERE: ReadonlySet<number> = new Set([404, 405, 501])

export interface ReadList {
  readonly items: readonly unknown[]
  /** Why there may be more than these, in words; undefined if this is all. */
  readonly problem: string | undefined
  /** Whether the server offers the list at all. */
  readonly isOffered: boolean
  /** Items that were too large, no JSON, or more than `max`. */
  readonly left: number
}

/** A list that is kept in memory, or as much of it as the server serves, each item once. */
export async function readList(
  client: ServerClient,
  path: string,
  {
    max,
    keyOf,
    ...query
  }: ItemsQuery & { readonly max: number; readonly keyOf: (item: unknown) => string | undefined },
): Promise<ReadList> {
  const items = new Map<string, unknown>()
  let left = 0
  /** Items that come once more because the connection broke are counted once. */
  const bad = new Set<string>()
  try {
    for await (const { name, text } of client.items(path, query)) {
      if (name !== undefined) continue
      const item = text === undefined ? undefined : parse(text)
      const key = item === undefined ? undefined : keyOf(item)
      if (key === undefined) {
        if (bad.size < max) bad.add(text ?? '')
      } else if (items.size < max) items.set(key, items.get(key) ?? item)
      else if (!items.has(key)) left++
    }
  } catch (error) {
    if (!(error instanceof NotServed)) throw error
    const isOffered = !NOTHING_THERE.has(error.status)
    return {
      items: [...items.values()],
      problem: isOffered ? error.message : undefined,
      isOffered,
      left: left + bad.size,
    }
  }
  return { items: [...items.values()], problem: undefined, isOffered: true, left: left + bad.size }
}

/** Undefined for what is no JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the report says of a list that did not come as a whole. */
export function* skippedOf(what: CountedKind, { problem, left }: ReadList, where?: string): Generator<ImportRecord> {
  const examples = where === undefined ? [] : [where]
  if (problem !== undefined) yield { kind: 'skipped', what, reason: problem, examples }
  if (left > 0) yield { kind: 'skipped', what, reason: 'unreadable, or more than is taken', count: left, examples }
}

/** Of a list of podcasts, whose items are addresses or have one. */
export function urlOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item
  if (!isRecord(item)) return undefined
  const { url, feed } = item
  return typeof url === 'string' ? url : typeof feed === 'string' ? feed : undefined
}

export function textAt(item: unknown, key: string): string | undefined {
  const value = isRecord(item) ? item[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Counts what has been read: feeds, actions, requests for single things. */
export function createProgress() {
  let done = 0
  return (more: number): ImportRecord => {
    done += more
    return { kind: 'progress', done }
  }
}
