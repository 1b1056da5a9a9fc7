import { effect } from '@preact/signals'
import { importJob } from '../../state/imports.ts'
import { toast } from '../../state/toasts.ts'
import { fill, language, plural, t } from '../../text/index.ts'

let wasRunning = false

/** Closing the window while an import runs is asked about; going to other pages of ours is not, and there its end is told. */
effect(() => {
  const job = importJob.value
  const isRunning = job?.state === 'running'
  if (isRunning) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
  if (wasRunning && job?.state === 'done')
    toast(fill(plural(t().transfer.done, job.done - job.refused, language.peek()), { device: job.target.caption }))
  wasRunning = isRunning
})

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
