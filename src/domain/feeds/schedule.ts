const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** No feed is asked less often than this while somebody is subscribed, whatever it wishes. */
export const LONGEST_INTERVAL = DAY

export interface CheckedFeed {
  readonly now: number
  readonly baseSeconds: number
  readonly newestReleased: number | undefined
  readonly freshFor: number
  readonly chance: number
}

/**
 * When to look at a feed again: as often as the setting says while it is lively, less often the longer it has been
 * quiet, and never sooner than it asks for.
 */
export function nextCheck({ now, baseSeconds, newestReleased, freshFor, chance }: CheckedFeed): number {
  const quiet = newestReleased === undefined ? 0 : now - newestReleased
  return now + pause(baseSeconds * stretch(quiet), freshFor, chance)
}

/** How many times the base interval a feed may be left alone that has had nothing new for so long. */
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
  readonly retryAfter: number | undefined
  /** `gone`: nothing will ever be there again, as far as its server knows. `network`: it may be our own line. */
  readonly kind: 'gone' | 'network' | 'refusal'
  readonly chance: number
}

/** Tries after which a network that fails is no passing outage. */
const OUTAGE_TRIES = 12
const OUTAGE_PAUSE = 2 * HOUR

/**
 * When to try a feed again that could not be had: twice as late with each failure, up to a day. Not so late at first
 * where it may be our own line that is down: after a night without it everything should be fresh soon.
 */
export function nextTry({ now, baseSeconds, failures, retryAfter = 0, kind, chance }: FailedFeed): number {
  const doubled = kind === 'gone' ? LONGEST_INTERVAL : baseSeconds * 2 ** Math.min(failures - 1, 10)
  const isOutage = kind === 'network' && failures <= OUTAGE_TRIES
  const ours = isOutage ? Math.min(doubled, Math.max(OUTAGE_PAUSE, baseSeconds)) : doubled
  return now + pause(ours, retryAfter, chance)
}

/**
 * Ours is a tenth more or less, so that feeds of one host that came together do not stay together; what the other side
 * asks for is never undercut.
 */
function pause(ours: number, asked: number, chance: number): number {
  const jittered = Math.min(ours, LONGEST_INTERVAL) * (0.9 + 0.2 * chance)
  return Math.round(Math.max(jittered, Math.min(asked, LONGEST_INTERVAL)))
}
