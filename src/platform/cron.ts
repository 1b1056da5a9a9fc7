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
    return new Cron(pattern).nextRun() === null ? 'it never matches' : undefined
  } catch (error) {
    return messageOf(error).replace('CronPattern: ', '')
  }
}
