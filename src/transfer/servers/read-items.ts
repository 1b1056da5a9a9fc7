import type { CountedKind, ImportRecord } from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { isTooLongForAddress, isTooLongForName, titleStart } from '../texts.ts'
import { createSeenTexts } from './seen-texts.ts'
import { type ItemsQuery, NotServed, type ServerClient } from './server-client.ts'

const NOTHING_THERE: ReadonlySet<number> = new Set([404, 405, 501])

export interface ReadList<Item> {
  readonly items: readonly Item[]
  readonly problem: string | undefined
  readonly isOffered: boolean
  readonly omitted: number
}

export interface ListQuery<Item> extends ItemsQuery {
  readonly max: number
  readonly read: (item: unknown) => Item | undefined
  readonly keyOf: (item: Item) => string
}

export async function readList<Item>(
  client: ServerClient,
  path: string,
  { max, read, keyOf, ...query }: ListQuery<Item>,
): Promise<ReadList<Item>> {
  const items = new Map<string, Item>()
  const unreadable = createSeenTexts()
  let above = 0
  let problem: string | undefined
  let isOffered = true
  try {
    for await (const { name, text } of client.items(path, query)) {
      if (name !== undefined) continue
      const item = text === undefined ? undefined : read(parse(text))
      const key = item === undefined ? undefined : keyOf(item)
      if (item === undefined || key === undefined) {
        if (unreadable.size < max) unreadable.add(text ?? '')
      } else if (items.size >= max && !items.has(key)) above++
      else if (!items.has(key)) items.set(key, item)
    }
  } catch (error) {
    if (!(error instanceof NotServed)) throw error
    isOffered = !NOTHING_THERE.has(error.status)
    problem = isOffered ? error.message : undefined
  }
  return { items: [...items.values()], problem, isOffered, omitted: above + unreadable.size }
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function* skippedOf(
  what: CountedKind,
  { problem, omitted }: Pick<ReadList<unknown>, 'problem' | 'omitted'>,
  where?: string,
): Generator<ImportRecord> {
  const examples = where === undefined ? [] : [where]
  if (problem !== undefined) yield { kind: 'skipped', what, reason: problem, examples }
  if (omitted > 0)
    yield { kind: 'skipped', what, reason: 'unreadable, or more than is taken', count: omitted, examples }
}

export function urlOf(item: unknown): string | undefined {
  return typeof item === 'string' ? addressOf(item) : (addressAt(item, 'url') ?? addressAt(item, 'feed'))
}

export function addressAt(item: unknown, key: string): string | undefined {
  return addressOf(textAt(item, key))
}

export function nameAt(item: unknown, key: string): string | undefined {
  const text = textAt(item, key)
  return text === undefined || text === '' || isTooLongForName(text) ? undefined : text
}

export function titleAt(item: unknown, key: string): string | undefined {
  const text = textAt(item, key)
  return text === undefined ? undefined : titleStart(text)
}

export function textAt(item: unknown, key: string): string | undefined {
  const value = isRecord(item) ? item[key] : undefined
  return typeof value === 'string' ? value : undefined
}

function addressOf(text: string | undefined): string | undefined {
  return text === undefined || isTooLongForAddress(text) ? undefined : text
}

export function createProgress() {
  let done = 0
  return (more: number): ImportRecord => {
    done += more
    return { kind: 'progress', done }
  }
}
