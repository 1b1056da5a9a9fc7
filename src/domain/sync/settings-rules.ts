import { DomainError } from '../shared/errors.ts'
import { parseExactly } from '../shared/exact-json.ts'

/** Of one object as it is stored, in bytes of UTF-8 (docs/protocol.md#D19). */
const BYTES_MAX = 64 * 1024

/** As if all settings of everything that nobody has set anything for were stored. */
export const NOTHING_SET = '{}'

/** Values as `parseExactly` makes them. */
export interface SettingsChange {
  readonly set: Readonly<Record<string, unknown>>
  readonly remove: readonly string[]
}

const encoder = new TextEncoder()

/**
 * The JSON object `stored` after a change (docs/protocol.md#settings): `set` comes first, so a key in both is removed. The same text when
 * nothing changes. Throws `payload_too_large`.
 */
export function changeSettings(stored: string, { set, remove }: SettingsChange): string {
  // A map and `fromEntries` make ordinary keys of `__proto__` and its like.
  const settings = new Map([...entriesOf(parseExactly(stored)), ...entriesOf(set)])
  for (const key of remove) settings.delete(key)
  const changed = JSON.stringify(Object.fromEntries(settings))
  if (encoder.encode(changed).length > BYTES_MAX)
    throw new DomainError('payload_too_large', `these settings would be larger than ${BYTES_MAX} bytes`)
  return changed
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
