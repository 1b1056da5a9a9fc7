interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names in place of numbers; the first one stands for `min`. */
  readonly words?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const SECOND: Field = { name: 'second', min: 0, max: 59 }
const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  { name: 'day of the week', min: 0, max: 7, words: DAYS },
]

/**
 * Says what is wrong with a cron pattern, or undefined when it is well formed. Accepts the common subset only: five fields, or six
 * with seconds first; stars, numbers, names, ranges, lists and steps. Special letters (`L`, `W`, `#`, `@daily`) are refused.
 */
export function cronProblem(pattern: string): string | undefined {
  const parts = pattern.trim().split(/\s+/)
  if (parts.length !== 5 && parts.length !== 6) return 'a cron pattern has 5 fields, or 6 with seconds first'
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? ''
    if (!part.split(',').every((item) => isItem(item, field))) {
      return `the field for the ${field.name} is not understood: ${JSON.stringify(part)} (${field.min} to ${field.max})`
    }
  }
  return undefined
}

/** One item of a list: `*`, `n`, `a-b`, `*` with step, `a-b` with step. */
function isItem(item: string, field: Field): boolean {
  const [range = '', step, ...more] = item.split('/')
  if (more.length > 0) return false
  const bounds = readRange(range, field)
  if (bounds === undefined) return false
  if (step === undefined) return true
  // "5/10" means different things to different programs, so a step needs a star or a range before it.
  const span = field.words === DAYS ? 7 : field.max - field.min + 1
  return bounds.many && /^\d{1,2}$/.test(step) && Number(step) >= 1 && Number(step) <= span
}

function readRange(range: string, field: Field): { readonly many: boolean } | undefined {
  if (range === '*') return { many: true }
  const [from = '', to, ...more] = range.split('-')
  const low = readValue(from, field)
  if (low === undefined || more.length > 0) return undefined
  if (to === undefined) return { many: false }
  const high = readValue(to, field)
  if (high === undefined) return undefined
  // Sunday is both ends of the week: by its name it ends one, as the scheduler reads it too; the number for that is 7.
  const end = to.toLowerCase() === 'sun' && field.words === DAYS ? 7 : high
  return low <= end ? { many: true } : undefined
}

function readValue(text: string, field: Field): number | undefined {
  const word = field.words?.indexOf(text.toLowerCase()) ?? -1
  if (word >= 0) return field.min + word
  if (!/^\d{1,2}$/.test(text)) return undefined
  const value = Number(text)
  return value >= field.min && value <= field.max ? value : undefined
}
