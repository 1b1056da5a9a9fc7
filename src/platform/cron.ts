import { Cron } from 'croner'
import { messageOf } from './unknown.ts'

/** The first time after `at` that the pattern matches, in local time; undefined if there is none. Unix seconds. */
export function nextTime(pattern: string, at: number): number | undefined {
  const next = new Cron(pattern).nextRun(new Date(at * 1000))
  return next ? Math.floor(next.getTime() / 1000) : undefined
}

/** What is wrong with a cron pattern, in the words of the scheduler that will run it; undefined when it is good. */
export function cronIssue(pattern: string): string | undefined {
  try {
    // In UTC: the first local time of a process costs 10 ms, and a pattern that never matches does so in no zone.
    return new Cron(pattern, { utcOffset: 0 }).nextRun() === null ? 'it never matches' : undefined
  } catch (error) {
    return messageOf(error).replace('CronPattern: ', '')
  }
}
