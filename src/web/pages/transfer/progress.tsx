import { effect } from '@preact/signals'
import { errorText, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { useKeptFocus } from '../../components/forms/focus.ts'
import { continueImport, forgetImport, type ImportJob, importJob, stopImport } from '../../store/imports.ts'
import { href } from '../../store/paths.ts'
import { toast } from '../../store/toasts.ts'
import { fill, language, number, plural, t } from '../../text/index.ts'

/** How far an import is, and what can be done about it. */
export function Progress({ job, onAgain }: { job: ImportJob; onAgain: () => void }) {
  const texts = t().transfer
  const { caption } = job.target
  const place = useKeptFocus<HTMLDivElement>(job.state)
  const numbers = { done: number(job.done), total: number(job.feeds.length) }

  function again(): void {
    forgetImport()
    onAgain()
  }

  if (job.state === 'done')
    return (
      <div class="card stack" tabIndex={-1} ref={place}>
        <Notice>
          <p>{fill(plural(texts.done, job.done - job.refused, language.value), { device: caption })}</p>
          {job.refused > 0 && <p>{plural(texts.refused, job.refused, language.value)}</p>}
          <p>{texts.doneLead}</p>
        </Notice>
        <div class="row">
          <ButtonLink kind="main" href={href('/')}>
            {texts.toPodcasts}
          </ButtonLink>
          <Button onClick={again}>{texts.again}</Button>
        </div>
      </div>
    )
  if (job.state === 'running')
    return (
      <div class="card stack" tabIndex={-1} ref={place}>
        <h3>{fill(texts.running, { device: caption })}</h3>
        <progress class="progress" aria-label={texts.import} max={job.feeds.length} value={job.done} />
        <div class="row-apart">
          <p role="status">{fill(texts.progress, numbers)}</p>
          <Button onClick={stopImport}>{texts.stop}</Button>
        </div>
        <p class="muted small">{texts.leave}</p>
      </div>
    )
  return (
    <div class="card stack" tabIndex={-1} ref={place}>
      <Notice kind={job.state === 'failed' ? 'error' : 'info'}>
        <p>{fill(job.state === 'failed' ? texts.failed : texts.stopped, numbers)}</p>
        {job.error !== undefined && <p>{errorText(job.error)}</p>}
      </Notice>
      <div class="row">
        <Button kind="main" onClick={continueImport}>
          {texts.continue}
        </Button>
        <Button onClick={again}>{texts.leaveIt}</Button>
      </div>
    </div>
  )
}

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
