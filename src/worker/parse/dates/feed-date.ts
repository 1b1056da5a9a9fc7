/** Whole Unix seconds of a date in a feed; undefined if unreadable. May be in the future. */
export function parseDate(text: string): number | undefined {
  // No date is longer. The limit bounds the running time of the expressions below.
  const seconds = text.length > 100 ? Number.NaN : secondsOf(text.trim())
  return Number.isFinite(seconds) && !PLACEHOLDERS.has(seconds) ? seconds : undefined
}

/** Values for missing dates: 0, and -1 for an error. */
const PLACEHOLDERS: ReadonlySet<number> = new Set([0, -1])

/** `2025-03-10`, `2025. 3. 10.` or `20250310`, optionally after the name of a weekday, and the rest of the text. */
const YEAR_FIRST = /^[^\d+-]*(\d{4})(?:\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{1,2})|(\d{2})(\d{2}))(?!\d)(?:\s*\.)?(.*)$/s

const YEAR_AND_MONTH = /^(\d{4})[-/](\d{1,2})-?$/

const TIME = /(?<![\d+-])(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?!\d)(?:[.,]\d+)?(?:\s*([apπμ])\.?\s?[mμ](?!\p{L})\.?)?/iu

const COMPACT_TIME = /^[T\s]+(\d{2})(\d{2})(\d{2})?(?!\d)/i

function secondsOf(text: string): number {
  if (/^\d{9,10}$/.test(text)) return Number(text)
  if (/^\d{13}$/.test(text)) return Math.floor(Number(text) / 1000)
  const date = inDigits(text)
  const [, year, month] = YEAR_AND_MONTH.exec(date) ?? []
  if (year !== undefined) return dayOf({ year, month, day: '1' })
  const yearFirst = YEAR_FIRST.exec(date)
  if (!yearFirst) {
    const time = TIME.exec(date)
    return time ? timeOf(dayIn(date, time), date, time) : dayOf(partsOf(date))
  }
  const day = dayOf(yearFirstParts(yearFirst))
  const rest = yearFirst[7] ?? ''
  const time = TIME.exec(rest) ?? COMPACT_TIME.exec(rest)
  return time ? timeOf(day, rest, time) : day
}

function inDigits(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text
  return text
    .normalize('NFKC')
    .replace(/(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(?:(\d{1,2})\s*[日日号號일]?)?/, '$1-$2-$3 ')
    .replace(/(\d{1,2})\s*[時时点點시]\s*(?:(\d{1,2})\s*[分분])?(?:\s*(\d{1,2})\s*[秒초])?/, clockOf)
    .trim()
}

function clockOf(_text: string, hours: string, minutes = '00', seconds = '00'): string {
  return `${hours}:${minutes}:${seconds}`
}

function timeOf(day: number, text: string, time: RegExpExecArray): number {
  const [clock, hours, minutes, seconds = '0', half = halfBefore(text.slice(0, time.index))] = time
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/[pμ]/i.test(half) ? 12 : 0)
  if (hour > 24 || Number(minutes) > 59 || Number(seconds) > 60) return day
  const local = day + hour * 3600 + Number(minutes) * 60 + Number(seconds)
  return toUtc(local, text.slice(time.index + clock.length))
}

function halfBefore(text: string): string | undefined {
  if (/(?:오후|午後|午后|下午|晚上|\bp\.?m\.?)\s*$/i.test(text)) return 'p'
  return /(?:오전|午前|上午|早上|凌晨|\ba\.?m\.?)\s*$/i.test(text) ? 'a' : undefined
}

type Digits = string | undefined

interface DateParts {
  readonly year: Digits
  readonly month: Digits
  readonly day: Digits
}

function dayIn(text: string, { 0: clock, index }: RegExpExecArray): number {
  const before = text.slice(0, index)
  const after = text.slice(index + clock.length).replace(/(^|\s|gmt|utc)[+-]\d{1,2}:?\d{0,2}(?!\d)/i, '$1')
  const { year, ...day } = partsOf(/\d/.test(before) ? before : after)
  return dayOf({ year: year ?? /(?<![\d+-])\d{4}(?!\d)/.exec(after)?.[0], ...day })
}

function partsOf(text: string): DateParts {
  const yearFirst = YEAR_FIRST.exec(text)
  if (yearFirst) return yearFirstParts(yearFirst)
  const month = monthIn(text)
  return month === undefined ? numericParts(text) : namedParts(text, month)
}

function yearFirstParts([, year, , month, day, compactMonth, compactDay]: RegExpExecArray): DateParts {
  return { year, month: month ?? compactMonth, day: day ?? compactDay }
}

function namedParts(text: string, month: string): DateParts {
  const numbers = text.match(/\d+/g) ?? []
  const [day, year] = numbers.filter(({ length }) => length <= 2)
  return { year: numbers.find(({ length }) => length === 4) ?? century(year), month, day }
}

function numericParts(text: string): DateParts {
  const [, one, sign, other, year = ''] =
    /(?<![\d./-])(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})(?!\d)/.exec(text) ?? []
  const isYear = year.length === 4 || sign !== '-'
  const isOneMonth = Number(one) <= 12
  const isOtherMonth = Number(other) <= 12
  if (!isYear || (isOneMonth === isOtherMonth && Number(one) !== Number(other))) return UNKNOWN
  const [day, month] = isOneMonth ? [other, one] : [one, other]
  return { year: century(year) ?? year, month, day }
}

const UNKNOWN: DateParts = { year: undefined, month: undefined, day: undefined }

/** Expands years of two digits by the rule of RFC 2822. */
function century(year: Digits): Digits {
  return year?.length === 2 ? (year < '50' ? '20' : '19') + year : undefined
}

/** Earlier years mean a missing date. */
const FIRST_YEAR = 1000

function dayOf({ year, month, day }: DateParts): number {
  if (!(Number(year) >= FIRST_YEAR && isWithin(month, 12) && isWithin(day, 31))) return Number.NaN
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000
}

function isWithin(digits: Digits, max: number): boolean {
  return Number(digits) >= 1 && Number(digits) <= max
}

const MONTHS = new Map(
  [
    'jan ene gen ian oca sty led tam янв січ яну ιαν',
    'feb fev sub lut uno hel фев лют φεβ φευ',
    'mar mrz maa mrt bre мар бер μαρ',
    'apr abr avr nis kwi dub huh апр кві απρ',
    'may mai maj mei mag kve tou маи мая тра μαι',
    'jun juin giu haz cze iun cvn cerven cervna kes июн чер юни ιουν',
    'jul juil lug tem lip iul cvc cervenec cervence hei июл лип юли ιουλ',
    'aug ago aou agu agt sie srp elo авг сер αυγ',
    'sep set eyl wrz szep zar syy сен вер сеп σεπ',
    'oct okt out ott eki paz rij lok окт жов οκτ',
    'nov kas lis marr ноя лис ное νοε',
    'dec dez dic des ara gru pro jou дек гру δεκ',
  ].flatMap((names, index) => names.split(' ').map((name) => [name.normalize('NFD'), String(index + 1)])),
)

function monthIn(text: string): string | undefined {
  const words =
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return words.map(monthOf).findLast(Boolean)
}

function monthOf(word: string): string | undefined {
  return MONTHS.get(word) ?? MONTHS.get(word.slice(0, 4)) ?? MONTHS.get(word.slice(0, 3))
}

/** UTC seconds of a local time, given in seconds as if it were UTC. Unknown zones are UTC, as in RFC 2822. */
function toUtc(local: number, zone: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(zone) ?? []
  if (sign !== undefined) {
    const east = Number(hours) + Number(minutes) / 60
    return east > 14 ? local : local - (sign === '-' ? -east : east) * 3600
  }
  const [timeZone] = /\b[a-z]{2,20}(?:\/[\w-]{2,20}){1,2}/i.exec(zone) ?? []
  if (timeZone !== undefined) return fromPlace(local, timeZone)
  for (const [word] of zone.matchAll(/\b[a-z]{2,5}\b/gi)) {
    const name = word.toUpperCase()
    const east = HOURS_EAST.get(name)
    if (east !== undefined) return local - east * 3600
    const timeZone = PLACES.get(name)
    if (timeZone !== undefined) return fromPlace(local, timeZone)
  }
  return local
}

const HOURS_EAST = new Map(
  [
    'GMT 0 UTC 0 UT 0 WET 0',
    'NST -3.5 NDT -2.5 AST -4 ADT -3 EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8 PDT -7',
    'AKST -9 AKDT -8 HST -10 BRT -3 ART -3',
    'BST 1 WEST 1 CET 1 MET 1 MEZ 1 CEST 2 MEST 2 MESZ 2 EET 2 EEST 3 MSK 3 TRT 3 SAST 2',
    'HKT 8 SGT 8 AWST 8 JST 9 KST 9 ACST 9.5 ACDT 10.5 AEST 10 AEDT 11 NZST 12 NZDT 13',
  ].flatMap((zones) =>
    [...zones.matchAll(/(\w+) (\S+)/g)].map(([, name = '', hours]) => [name, Number(hours)] as const),
  ),
)

const PLACES: ReadonlyMap<string, string> = new Map([
  ['AT', 'America/Halifax'],
  ['ET', 'America/New_York'],
  ['CT', 'America/Chicago'],
  ['MT', 'America/Denver'],
  ['PT', 'America/Los_Angeles'],
])

function fromPlace(local: number, timeZone: string): number {
  const format = formatOf(timeZone)
  if (!format) return local
  const estimate = local - offsetAt(local, format)
  return local - offsetAt(estimate, format)
}

const FORMATS_MAX = 100
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(timeZone)) return formats.get(timeZone)
  if (formats.size >= FORMATS_MAX) formats.clear()
  const format = createFormat(timeZone)
  formats.set(timeZone, format)
  return format
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function offsetAt(at: number, format: Intl.DateTimeFormat): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(new Date(at * 1000))) ?? []
  const east = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -east : east
}
