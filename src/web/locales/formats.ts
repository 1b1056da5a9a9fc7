const formats = new Map<string, unknown>()

/**
 * Returns a cached `Intl` formatter, since creating one takes longer than rendering a list item. The first one for
 * numbers or dates takes a sixth of a second on slow machines, so the first pages avoid them.
 */
export function formatOf<T>(kind: string, locale: string, make: () => T): T {
  const key = `${kind} ${locale}`
  if (!formats.has(key)) formats.set(key, make())
  return formats.get(key) as T
}

/** Formats a number for a locale. Integers below 1000 look the same in all supported languages. */
export function formatNumber(value: number, locale: string): string {
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value)
  return formatOf('number', locale, () => new Intl.NumberFormat(locale)).format(value)
}
