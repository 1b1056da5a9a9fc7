import { effect, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { decodeText } from '../../../platform/decode-text.ts'
import { requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { DeviceName } from '../../components/device.tsx'
import { ErrorNotice, errorMessage, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Page, Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { clearImport, continueImport, type ImportJob, importJob, stopImport } from '../../store/imports.ts'
import { href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { devices, ensureSubscriptions, holders } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
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

  // Subscriptions are needed to tell what is new. If they cannot be loaded all counts as new, which does no harm.
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

/** Downloads of the subscriptions of each device, and of all together. */
function ExportLists() {
  const { error, reload } = useQuery(ensureSubscriptions)
  const isKnown = devices.value !== undefined && holders.value !== undefined
  return (
    <TitledSection title={t('transfer.export')}>
      <p class="muted">{t('transfer.exportLead')}</p>
      {Boolean(error.value) && !isKnown && <Failure error={error.value} onRetry={() => void reload()} />}
      {!isKnown && !error.value && <Skeleton height="3.75rem" count={3} />}
      {isKnown && (
        <ul class="exports">
          <li>
            <ListName count={subscribed()}>{t('transfer.together')}</ListName>
            <Files list={t('transfer.together')} name="podcasts" />
          </li>
          {devices.value?.map((device) => (
            <li key={device.id}>
              <ListName count={device.subscriptions}>
                <DeviceName device={device} />
              </ListName>
              <Files list={device.caption} name={device.id} device={device.id} />
            </li>
          ))}
        </ul>
      )}
    </TitledSection>
  )
}

function ListName({ count, children }: { count: number; children: ComponentChildren }) {
  return (
    <div>
      <h3>{children}</h3>
      <p class="muted small">{t('common.podcasts', { n: count })}</p>
    </div>
  )
}

function subscribed(): number {
  return [...(holders.value?.values() ?? [])].filter(({ size }) => size > 0).length
}

interface FilesProps {
  /** The name to show. */
  readonly list: string
  /** The file name. */
  readonly name: string
  /** The device ID; all devices if undefined. */
  readonly device?: string
}

function Files({ list, name, device }: FilesProps) {
  return (
    <ul class="row export-files">
      {(['opml', 'txt'] as const).map((format) => {
        const label = format === 'opml' ? t('transfer.opml') : t('transfer.text')
        return (
          <li key={format}>
            <ButtonLink href={fileAddress(format, device)} download={`podstep-${name}.${format}`}>
              <span aria-hidden="true">{label}</span>
              <span class="hidden-text">{t('transfer.of', { format: label, list })}</span>
            </ButtonLink>
          </li>
        )
      })}
    </ul>
  )
}

function fileAddress(format: 'opml' | 'txt', device: string | undefined): string {
  const username = ownName()
  return device === undefined
    ? requestUrl(ADDRESSES.listUserSubscriptions[1], { username, format })
    : requestUrl(ADDRESSES.listDeviceSubscriptions[1], { username, deviceid: device, format })
}
