import { language } from './index.ts'

const DAY = 86_400_000

/** Formats the time of day of Unix seconds: `14:03`, `2:03 PM`. */
export function clockTime(seconds: number): string {
  return new Intl.DateTimeFormat(language.value, { timeStyle: 'short' }).format(seconds * 1000)
}

/** Formats the day of Unix seconds: `Today`, `Yesterday`, `Saturday`, `November 2`, `November 2, 2024`. */
export function dayName(seconds: number): string {
  return nameOfDay(new Date(seconds * 1000), new Date(), language.value)
}

/** Like `dayName`, for a given `now` and language; `longer` adds parts to the names of older days. */
export function nameOfDay(day: Date, now: Date, locale: string, longer: Intl.DateTimeFormatOptions = {}): string {
  const away = Math.round((startOfDay(day) - startOfDay(now)) / DAY)
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(day)
  if (away === 0 || away === -1)
    return capitalized(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(away, 'day'), locale)
  if (away < 0 && away > -7) return capitalized(format({ weekday: 'long' }), locale)
  const isThisYear = day.getFullYear() === now.getFullYear()
  return capitalized(
    format({ day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }), ...longer }),
    locale,
  )
}

/** Capitalizes a name for use as a heading. */
function capitalized(name: string, locale: string): string {
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
}

function startOfDay(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
}
