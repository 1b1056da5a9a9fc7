import { isExactNumber, parseExactly } from '../../domain/shared/exact-json.ts'
import type { CountedKind, ImportRecord } from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import type { SentRecord } from './protocol.ts'

/** Longer than any stored text, so a truncated text is refused for its length, as the whole would be. */
const TEXT_MAX = 4096
const SIZE_MAX = 2 * 1024 * 1024
const VALUE_SIZE = 16
/** The settings of one thing in bytes, docs/protocol.md#D19. JSON has at least as many bytes as characters. */
const SETTINGS_MAX = 64 * 1024
/** Numbers of these that need `parseExactly` to keep them, which takes the server much longer than all others. */
const EXACT_NUMBERS_MAX = 1000

const KINDS: Readonly<Partial<Record<ImportRecord['kind'], CountedKind>>> = {
  podcast_list: 'podcast_lists',
  sync_group: 'sync_groups',
  chapters: 'chapters',
}

/** Returns the record to send to the server; one that is too long becomes a record that reports that. */
export function sentRecord(record: ImportRecord): SentRecord {
  if (record.kind === 'settings') {
    const { values, ...target } = record
    let exactNumbers = 0
    const json = JSON.stringify(values, (_key, value: unknown) => {
      if (isExactNumber(value)) exactNumbers++
      return value
    })
    if (json.length > SETTINGS_MAX || exactNumbers > EXACT_NUMBERS_MAX) return tooLong('settings')
    return { ...shortened(target).value, json }
  }
  const what = KINDS[record.kind]
  const { value, size } = shortened(record)
  return what !== undefined && size > SIZE_MAX ? tooLong(what) : value
}

export function receivedRecord(record: SentRecord): ImportRecord {
  if (record.kind !== 'settings') return record
  const { json, ...target } = record
  const values = parseExactly(json)
  return { ...target, values: isRecord(values) ? values : {} }
}

function tooLong(what: CountedKind): SentRecord {
  return { kind: 'skipped', what, reason: 'too long' }
}

function shortened<Value>(value: Value): { readonly value: Value; readonly size: number } {
  let size = 0
  function cut(each: unknown): unknown {
    size += VALUE_SIZE
    if (Array.isArray(each)) return each.map(cut)
    if (isRecord(each)) return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, cut(item)]))
    if (typeof each !== 'string') return each
    const text = each.slice(0, TEXT_MAX)
    size += text.length
    return text
  }
  return { value: cut(value) as Value, size }
}
