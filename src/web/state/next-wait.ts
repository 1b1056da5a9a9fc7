/** Milliseconds between two questions while people watch a podcast come that they have just added. */
const WAIT_FIRST = 2000
const FIRST_MINUTE = 60_000
/** More than these come one after the other, and the whole list would be loaded for each. */
const FEW = 20
/** The least between two questions otherwise, and the most between two that bring nothing new. */
const WAIT_MIN = 10_000
const WAIT_MAX = 80_000

interface Waiting {
  /** Milliseconds since the first question was due. */
  readonly since: number
  /** Whether the last question has brought anything. */
  readonly hasNews: boolean
  /** How many things are still to come. */
  readonly awaited: number
}

/** Milliseconds to the next question: few things are asked for all the time at first, then soon after news, and ever later without. */
export function nextWait(wait: number, { since, hasNews, awaited }: Waiting): number {
  if (since < FIRST_MINUTE && awaited <= FEW) return WAIT_FIRST
  return hasNews ? WAIT_MIN : Math.max(WAIT_MIN, Math.min(WAIT_MAX, wait * 2))
}
