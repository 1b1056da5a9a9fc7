/** Whole Unix seconds of a date as found in feeds, or undefined. It may be to come: clocks of publishers are wrong. */
export function parseDate(text: string): number | undefined {
  // No date is that long, and a bound here is one for all expressions below.
  const seconds = text.length > 100 ? Number.NaN : secondsOf(text.trim())
  return seconds > 0 ? seconds : undefined
}

/** `2025-03-10`, `2025-03-10T10:00:00.000+01:00`, `20250310T090000Z` and everything in between. */
const ISO =
  /^(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?!\d)(?:[T\s]+(\d{1,2}):?(\d{2})(?::?(\d{2}))?(?!\d)(?:[.,]\d+)?)?(.*)$/i

const TIME = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?(?:\s*([ap])\.?m\b)?/i

function secondsOf(text: string): number {
  if (/^\d{9,10}$/.test(text)) return Number(text)
  if (/^\d{13}$/.test(text)) return Math.floor(Number(text) / 1000)
  const iso = ISO.exec(text)
  if (iso) {
    const [, year, , month, day, hours, minutes, seconds, zone = ''] = iso
    return utc([year, month, day, hours, minutes, seconds]) - offsetOf(zone)
  }
  const time = TIME.exec(text)
  if (!time) return utc(dateOf(text, ''))
  const [clock, hours, minutes, seconds, half] = time
  const after = text.slice(time.index + clock.length)
  const hour = half === undefined ? hours : String((Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0))
  return utc([...dateOf(text.slice(0, time.index), after), hour, minutes, seconds]) - offsetOf(after)
}

type Digits = string | undefined

/** Year, month and day of `Mon, 10 Mar 2025`, `10-Mar-25`, `March 10th, 2025` and `Mon Mar 10` (year last). */
function dateOf(text: string, after: string): Digits[] {
  const words =
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  // The last one, for in some languages a weekday begins like a month.
  const month = words.map((word) => MONTHS.get(word.slice(0, 4)) ?? MONTHS.get(word.slice(0, 3))).findLast(Boolean)
  const numbers = text.match(/\d+/g) ?? []
  const short = numbers.filter(({ length }) => length <= 2)
  const year = numbers.find(({ length }) => length === 4) ?? /^[^\d+-]*(\d{4})(?!\d)/.exec(after)?.[1]
  return [year ?? century(short[1]), month, short[0]]
}

/** As RFC 2822 reads years of two digits. */
function century(year: Digits): Digits {
  return year?.length === 2 ? (year < '50' ? '20' : '19') + year : undefined
}

/** A day that the month does not have is one of the next month: near enough, and better than none. */
function utc([year, month, day, hours = '0', minutes = '0', seconds = '0']: readonly Digits[]): number {
  const isSane =
    Number(year) >= 1970 && within(month, 1, 12) && within(day, 1, 31) && Number(hours) <= 24 && Number(minutes) < 60
  if (!isSane || Number(seconds) > 60) return Number.NaN
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds)) / 1000
}

function within(digits: Digits, least: number, most: number): boolean {
  return Number(digits) >= least && Number(digits) <= most
}

/** Seconds east of Greenwich; zones that nobody knows are UTC, as RFC 2822 has it. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(zone) ?? []
  const name = sign === undefined ? (/[a-z]{3,5}/i.exec(zone)?.[0].toUpperCase() ?? '') : ''
  const east = sign === undefined ? (ZONES.get(name) ?? 0) : Number(hours) + Number(minutes) / 60
  return Math.abs(east) > 14 ? 0 : (sign === '-' ? -east : east) * 3600
}

/** Names of RFC 2822 and of publishers elsewhere, with their hours east of Greenwich. */
const ZONES = new Map(
  [
    'EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8 PDT -7 AKST -9 AKDT -8 HST -10 BRT -3',
    'BST 1 WEST 1 CET 1 MEZ 1 CEST 2 MESZ 2 EET 2 EEST 3 MSK 3',
    'JST 9 KST 9 ACST 9.5 AEST 10 AEDT 11 NZST 12 NZDT 13',
  ].flatMap((zones) =>
    [...zones.matchAll(/(\w+) (\S+)/g)].map(([, name = '', hours]) => [name, Number(hours)] as const),
  ),
)

/** How the names of the months begin, without accents, in languages in which some programs write dates. */
const MONTHS = new Map(
  [
    'jan ene gen oca sty янв січ',
    'feb fev sub lut фев лют',
    'mar mrz maa mrt мар бер',
    'apr abr avr nis kwi апр кві',
    'may mai maj mei mag маи мая тра',
    'jun juin giu haz cze июн чер',
    'jul juil lug tem lip июл лип',
    'aug ago aou agu sie авг сер',
    'sep set eyl wrz сен вер',
    'oct okt out ott eki paz окт жов',
    'nov kas lis ноя лис',
    'dec dez dic des ara gru дек гру',
  ].flatMap((names, index) => names.split(' ').map((name) => [name.normalize('NFD'), String(index + 1)])),
)
