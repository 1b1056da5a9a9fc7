const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Bytes as people read them: `18 MB`; steps of 1,024, as everywhere where disks are looked at. */
export function bytes(count: number, locale: string): string {
  const step = Math.min(SIZES.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10))
  const amount = count / 1024 ** step
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: SIZES[step] ?? 'byte',
    maximumFractionDigits: step > 0 && amount < 10 ? 1 : 0,
  }).format(amount)
}

const SPANS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time that has passed, by its two largest units: `3 days, 4 hours`. */
export function duration(seconds: number, locale: string): string {
  const first = SPANS.findIndex(([, size]) => seconds >= size)
  const spans = SPANS.slice(first === -1 ? SPANS.length - 1 : first).slice(0, 2)
  let rest = Math.floor(seconds)
  const words = spans.flatMap(([unit, size], index) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
    return index > 0 && count === 0 ? [] : [format.format(count)]
  })
  return new Intl.ListFormat(locale, { type: 'unit' }).format(words)
}
