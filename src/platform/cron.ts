import { Cron } from 'croner'
import { messageOf } from './unknown.ts'

/** First match of the pattern, in local time, after `at`; `undefined` if it never matches. Unix seconds. */
export function nextTime(pattern: string, at: number): number | undefined {
  const next = new Cron(pattern).nextRun(new Date(at * 1000))
  return next ? Math.floor(next.getTime() / 1000) : undefined
}

/** Error in a cron pattern, as reported by the scheduler that will run it; `undefined` if valid. */
export function cronIssue(pattern: string): string | undefined {
  try {
    // In UTC: the first local time of a process takes 10 ms, and a pattern that never matches is the same in all zones.
    return new Cron(pattern, { utcOffset: 0 }).nextRun() === null ? 'it never matches' : undefined
  } catch (error) {
    return messageOf(error).replace('CronPattern: ', '')
  }
}
