import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { decodeText } from '../../../platform/decode-text.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { t } from '../../locales/index.ts'
import { type ChosenFile, type ImportList, readList } from './read-list.ts'

/** In bytes. A list of ten thousand podcasts with descriptions is smaller. */
const MAX = 20_000_000

/** Reads a file that is dropped or chosen. Nothing is sent to the server. */
export function DropZone({ onRead }: { onRead: (file: ChosenFile) => void }) {
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
      {error.value && (
        <Notice kind="error">
          <p>{error.value}</p>
        </Notice>
      )}
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
