import { Cron } from 'croner'
import type { Job } from '../app.ts'

/** Has each job run now, for what fell due while nothing ran, and then by the clock until the function returned is called. */
export function schedule(jobs: readonly Job[]): () => void {
  for (const { run } of jobs) run()
  // Nothing of this keeps the process alive.
  const crons = jobs.map(({ pattern, run }) => new Cron(pattern, { unref: true }, run))
  return () => {
    for (const cron of crons) cron.stop()
  }
}
