import { Cron } from 'croner'

/** The first time after `at` that the pattern means, in local time; undefined if there is none. Unix seconds. */
export function nextTime(pattern: string, at: number): number | undefined {
  const next = new Cron(pattern).nextRun(new Date(at * 1000))
  return next ? Math.floor(next.getTime() / 1000) : undefined
}
