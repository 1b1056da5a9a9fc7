import { Cron } from 'croner'
import type { Job } from '../app.ts'

/** Has each job run by the clock until the function returned is called. */
export function schedule(jobs: readonly Job[]): () => void {
  // Nothing of this keeps the process alive.
  const crons = jobs.map(({ pattern, run }) => new Cron(pattern, { unref: true }, run))
  return () => {
    for (const cron of crons) cron.stop()
  }
}
