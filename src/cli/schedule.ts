import { Cron } from 'croner'
import type { Job } from '../jobs.ts'

/** Has the jobs run by the clock, and some of them now, until the function returned is called. */
export function schedule(jobs: readonly Job[]): () => void {
  for (const { isForStart, run } of jobs) if (isForStart) run()
  // Nothing of this keeps the process alive.
  const crons = jobs.map(({ pattern, run }) => new Cron(pattern, { unref: true }, run))
  return () => {
    for (const cron of crons) cron.stop()
  }
}
