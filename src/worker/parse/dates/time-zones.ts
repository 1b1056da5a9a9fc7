/** UTC seconds of a local time, given in seconds as if it were UTC. Unknown zones are UTC, as in RFC 2822. */
export function toUtc(local: number, zone: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(zone) ?? []
  if (sign !== undefined) {
    const east = Number(hours) + Number(minutes) / 60
    return east > 14 ? local : local - (sign === '-' ? -east : east) * 3600
  }
  const [place] = /\b[a-z]{2,20}(?:\/[\w-]{2,20}){1,2}/i.exec(zone) ?? []
  if (place !== undefined) return fromPlace(local, place)
  for (const [word] of zone.matchAll(/\b[a-z]{2,5}\b/gi)) {
    const name = word.toUpperCase()
    const east = HOURS_EAST.get(name)
    if (east !== undefined) return local - east * 3600
    const known = PLACES.get(name)
    if (known !== undefined) return fromPlace(local, known)
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

function fromPlace(local: number, place: string): number {
  const format = formatOf(place)
  if (!format) return local
  const near = local - offsetAt(local, format)
  return local - offsetAt(near, format)
}

const FORMATS_MAX = 100
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

function formatOf(place: string): Intl.DateTimeFormat | undefined {
  if (formats.has(place)) return formats.get(place)
  if (formats.size >= FORMATS_MAX) formats.clear()
  const format = createFormat(place)
  formats.set(place, format)
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
