const formats = new Map<string, unknown>()

/**
 * A formatter of `Intl`, which is made once: making one takes longer than drawing a card of a list. The first one for
 * numbers or dates takes a slow machine a sixth of a second, so what the first pages show does without them.
 */
export function formatOf<T>(kind: string, locale: string, make: () => T): T {
  const key = `${kind} ${locale}`
  if (!formats.has(key)) formats.set(key, make())
  return formats.get(key) as T
}

/** A number with the separators of a language. Small whole ones have none, and look the same in all that there are. */
export function formatNumber(value: number, locale: string): string {
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value)
  return formatOf('number', locale, () => new Intl.NumberFormat(locale)).format(value)
}
