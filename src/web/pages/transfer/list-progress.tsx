import { effect } from '@preact/signals'
import { errorMessage, Notice, ServerMessage } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { number, t } from '../../locales/index.ts'
import {
  clearImport,
  continueImport,
  type ImportJob,
  importJob,
  stopImport,
} from '../../store/importing/list-import.ts'
import { href } from '../../store/paths.ts'
import { toast } from '../../store/toasts.ts'

/** The progress of an import, with buttons to stop and continue it. */
export function ListProgress({ job, onAgain }: { job: ImportJob; onAgain: () => void }) {
  const { caption } = job.target
  const place = useRestoredFocus<HTMLDivElement>(job.state)
  const numbers = { done: number(job.done), total: number(job.feeds.length) }

  function again(): void {
    clearImport()
    onAgain()
  }

  if (job.state === 'done')
    return (
      <div class="card stack" tabIndex={-1} ref={place}>
        <Notice>
          <p>{t('transfer.done', { n: job.done - job.rejected, device: caption })}</p>
          {job.rejected > 0 && <p>{t('transfer.rejected', { n: job.rejected })}</p>}
          <p>{t('transfer.doneLead')}</p>
        </Notice>
        <div class="row">
          <ButtonLink kind="main" href={href('/')}>
            {t('transfer.toPodcasts')}
          </ButtonLink>
          <Button onClick={again}>{t('transfer.again')}</Button>
        </div>
      </div>
    )
  if (job.state === 'running')
    return (
      <div class="card stack" tabIndex={-1} ref={place}>
        <h3>{t('transfer.running', { device: caption })}</h3>
        <progress class="progress" aria-label={t('transfer.import')} max={job.feeds.length} value={job.done} />
        <div class="row-apart">
          <p role="status">{t('transfer.progress', numbers)}</p>
          <Button onClick={stopImport}>{t('transfer.stop')}</Button>
        </div>
        <p class="muted small">{t('transfer.leave')}</p>
      </div>
    )
  return (
    <div class="card stack" tabIndex={-1} ref={place}>
      <Notice kind={job.state === 'failed' ? 'error' : 'info'}>
        <p>{t(job.state === 'failed' ? 'transfer.failed' : 'transfer.stopped', numbers)}</p>
        {job.error !== undefined && <p>{errorMessage(job.error)}</p>}
        <ServerMessage error={job.error} />
      </Notice>
      <div class="row">
        <Button kind="main" onClick={continueImport}>
          {t('transfer.continue')}
        </Button>
        <Button onClick={again}>{t('transfer.leaveIt')}</Button>
      </div>
    </div>
  )
}

let wasRunning = false

// The browser asks before the window is closed during an import. On other pages a message tells when it is finished.
effect(() => {
  const job = importJob.value
  const isRunning = job?.state === 'running'
  if (isRunning) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
  if (wasRunning && job?.state === 'done')
    toast(t('transfer.done', { n: job.done - job.rejected, device: job.target.caption }))
  wasRunning = isRunning
})

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
