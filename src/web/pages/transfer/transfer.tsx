import { effect, useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { decodeText } from '../../../platform/decode-text.ts'
import { ErrorNotice, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Page, TitledSection } from '../../components/layout/page.tsx'
import { number, t } from '../../locales/index.ts'
import { clearImport, continueImport, type ImportJob, importJob, stopImport } from '../../store/imports.ts'
import { href } from '../../store/paths.ts'
import { ensureSubscriptions } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { ExportLists } from './export.tsx'
import { Preview } from './preview.tsx'
import { type ChosenFile, type ImportList, readList } from './read-list.ts'

/** Import and export of podcast lists. */
export default function Transfer() {
  return (
    <Page title={t('transfer.title')} lead={t('transfer.lead')}>
      <div class="transfer">
        <Import />
        <ExportLists />
      </div>
    </Page>
  )
}

/** Choosing a file, its preview, and the import: three steps in the same place. */
function Import() {
  const file = useSignal<ChosenFile | undefined>(undefined)
  useEffect(() => {
    ensureSubscriptions().catch(() => undefined)
  }, [])

  // Subscriptions are needed to tell what is new. If they cannot be loaded everything counts as new, which does no
  // harm.
  async function look(read: ChosenFile): Promise<void> {
    await ensureSubscriptions().catch(() => undefined)
    file.value = read
  }

  function forget(): void {
    file.value = undefined
  }

  return (
    <TitledSection title={t('transfer.import')}>
      {importJob.value ? (
        <Progress job={importJob.value} onAgain={forget} />
      ) : file.value ? (
        <Preview file={file.value} onForget={forget} />
      ) : (
        <DropZone onRead={(read) => void look(read)} />
      )}
    </TitledSection>
  )
}

/** In bytes. A list of ten thousand podcasts with descriptions is smaller. */
const MAX = 20_000_000

/** Reads a file that is dropped or chosen. Nothing is sent to the server. */
function DropZone({ onRead }: { onRead: (file: ChosenFile) => void }) {
  const isOver = useSignal(false)
  const error = useSignal<string | undefined>(undefined)
  const id = useId()

  async function take(file: File | undefined): Promise<void> {
    if (!file) return
    const result = await read(file)
    if (typeof result === 'string') error.value = t(`transfer.${result}`, { name: file.name })
    else onRead({ name: file.name, ...result })
  }

  function choose(input: HTMLInputElement): void {
    void take(input.files?.[0])
    // Without this the same file could not be chosen again after it was corrected.
    input.value = ''
  }

  const dropTarget = {
    onDragOver(event: DragEvent): void {
      event.preventDefault()
      isOver.value = true
    },
    onDragLeave(): void {
      isOver.value = false
    },
    onDrop(event: DragEvent): void {
      event.preventDefault()
      isOver.value = false
      void take(event.dataTransfer?.files[0])
    },
  }

  return (
    <div class="stack">
      <ErrorNotice text={error.value} />
      <div class="drop-zone" data-over={isOver.value} {...dropTarget}>
        <Icon name="transfer" />
        <p class="drop-zone-title">{t('transfer.drop')}</p>
        <p class="muted" id={id}>
          {t('transfer.dropLead')}
        </p>
        <label class="button button-main">
          {t('transfer.choose')}
          <input
            class="hidden-text"
            type="file"
            aria-describedby={id}
            accept=".opml,.xml,.txt,text/plain,text/xml,text/x-opml,application/xml"
            onChange={({ currentTarget }) => choose(currentTarget)}
          />
        </label>
      </div>
    </div>
  )
}

/** The content of a file, or the key of the error text. */
async function read(file: File): Promise<ImportList | 'tooBig' | 'unreadable' | 'empty'> {
  if (file.size > MAX) return 'tooBig'
  const list = readList(decodeText(new Uint8Array(await file.arrayBuffer())))
  if (!list) return 'unreadable'
  return list.entries.length === 0 ? 'empty' : list
}

/** The progress of an import, with buttons to stop and continue it. */
function Progress({ job, onAgain }: { job: ImportJob; onAgain: () => void }) {
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

// The browser asks before the window is closed during an import. On other pages a message tells when the import is
// finished.
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
