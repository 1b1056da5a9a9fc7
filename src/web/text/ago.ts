const MINUTE = 60

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', MINUTE],
]

/**
 * How far away a moment is, in words that follow a sentence: `2 hours ago`, `in 5 minutes`. Nobody counts seconds: the last minute is
 * `justNow`, the next one is one minute. `seconds` are negative for what has been.
 */
export function relative(seconds: number, locale: string, justNow: string): string {
  if (seconds <= 0 && seconds > -MINUTE) return justNow
  const away = seconds > 0 ? Math.max(seconds, MINUTE) : seconds
  const [unit, size] = UNITS.find(([, each]) => Math.abs(away) >= each) ?? ['minute', MINUTE]
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(away / size), unit)
}
