const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const LONGEST_INTERVAL = DAY

export interface CheckedFeed {
  readonly now: number
  readonly baseSeconds: number
  readonly newestReleased: number | undefined
  /** Seconds for which the feed or its server declares it fresh. */
  readonly freshFor: number
  readonly chance: number
}

/** Time of the next fetch: after the base interval while a feed is active, later the longer it has been quiet. */
export function nextCheck({ now, baseSeconds, newestReleased, freshFor, chance }: CheckedFeed): number {
  const quiet = newestReleased === undefined ? 0 : now - newestReleased
  return now + pause(baseSeconds * stretch(quiet), freshFor, chance)
}

/** Multiple of the base interval for a feed that has been quiet for this long. */
function stretch(quietSeconds: number): number {
  if (quietSeconds < 3 * DAY) return 1
  if (quietSeconds < 14 * DAY) return 2
  if (quietSeconds < 60 * DAY) return 4
  return quietSeconds < 365 * DAY ? 12 : 24
}

export interface FailedFeed {
  readonly now: number
  readonly baseSeconds: number
  readonly failures: number
  /** Seconds the server asked us to wait. */
  readonly retryAfter: number | undefined
  /** `gone`: removed permanently, according to its server. `network`: possibly our own connection. */
  readonly kind: 'gone' | 'network' | 'refusal'
  readonly chance: number
}

/** Number of attempts after which a network failure no longer counts as a temporary outage. */
const OUTAGE_TRIES = 12
const OUTAGE_PAUSE = 2 * HOUR

/** Time of the next attempt: exponential backoff up to a day, but sooner if our own connection may be down. */
export function nextTry({ now, baseSeconds, failures, retryAfter = 0, kind, chance }: FailedFeed): number {
  const doubled = kind === 'gone' ? LONGEST_INTERVAL : baseSeconds * 2 ** Math.min(failures - 1, 10)
  const isOutage = kind === 'network' && failures <= OUTAGE_TRIES
  const backoff = isOutage ? Math.min(doubled, Math.max(OUTAGE_PAUSE, baseSeconds)) : doubled
  return now + pause(backoff, retryAfter, chance)
}

/** Varies our own pause by a tenth, so that feeds of one host spread out. Waits as the server asks, up to a day. */
function pause(backoff: number, retryAfter: number, chance: number): number {
  const jittered = Math.min(backoff, LONGEST_INTERVAL) * (0.9 + 0.2 * chance)
  return Math.round(Math.max(jittered, Math.min(retryAfter, LONGEST_INTERVAL)))
}
