/** Milliseconds to the first question, and the most between two that bring nothing new. */
export const WAIT_MIN = 10_000
const WAIT_MAX = 80_000

/** Milliseconds to the next question: soon after news, and ever later without. */
export function nextWait(wait: number, hasNews: boolean): number {
  return hasNews ? WAIT_MIN : Math.min(WAIT_MAX, wait * 2)
}
