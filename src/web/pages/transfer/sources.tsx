import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ErrorNotice, OutboundOff } from '../../components/feedback/notice.tsx'
import { ButtonChoice, SelectField } from '../../components/forms/choice.tsx'
import { Icon } from '../../components/icon.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { t } from '../../locales/index.ts'
import { isOutbound } from '../../store/session.ts'
import { ServerForm } from './account-import.tsx'
import { fileKindOf, hasFile, hasServer, SOURCE_NAMES, SOURCES, type Source } from './report.ts'

/** A file to import. */
export interface Chosen {
  readonly file: File
  readonly kind: ReturnType<typeof fileKindOf>
}

interface DropZoneProps {
  readonly onChoose: (chosen: Chosen) => void
}

interface SourcesProps extends DropZoneProps {
  readonly source: Signal<Source>
  /** Address of the other server. */
  readonly from: Signal<string>
  readonly username: Signal<string>
}

/** Sources of an import, with instructions, the data each provides, and a place to drop the file. */
export function Sources({ source, from, username, onChoose }: SourcesProps) {
  const choice = {
    label: t('transfer.from'),
    value: source.value,
    options: SOURCES.map((value) => ({
      value,
      label: value === 'opml' ? t('transfer.anyApp') : SOURCE_NAMES[value],
    })),
    onChoose(next: Source) {
      source.value = next
      if (next === 'gpoddernet' && from.value === '') from.value = PUBLIC_SERVER
    },
  }
  return (
    <div class="stack">
      {/* On phones, most of the buttons would be off the screen. */}
      {isNarrow.value ? <SelectField {...choice} /> : <ButtonChoice class="chips" {...choice} />}
      <div class="import-how">
        <p>{t(`transfer.sources.${source.value}.how`)}</p>
        <p class="muted">{t(`transfer.sources.${source.value}.what`)}</p>
      </div>
      {hasServer(source.value) && (isOutbound() ? <ServerForm from={from} username={username} /> : <OutboundOff />)}
      {hasFile(source.value) && <DropZone source={source.value} onChoose={onChoose} />}
    </div>
  )
}

const PUBLIC_SERVER = 'https://gpodder.net'

const HEAD = 2000

/** Accepts a dropped or chosen file. */
function DropZone({ source, onChoose }: DropZoneProps & { readonly source: Source }) {
  const isOver = useSignal(false)
  const error = useSignal<string | undefined>(undefined)
  const id = useId()

  async function take(file: File | undefined): Promise<void> {
    if (!file) return
    try {
      onChoose({ file, kind: fileKindOf(await file.slice(0, HEAD).text()) })
    } catch {
      // The file has been moved or removed in the meantime.
      error.value = t('transfer.unreadable')
    }
  }

  function choose(input: HTMLInputElement): void {
    void take(input.files?.[0])
    // Otherwise the same file could not be chosen again after a correction.
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
      <div class="empty drop-zone" data-over={isOver.value} {...dropTarget}>
        <Icon name="transfer" />
        <p class="drop-zone-title">{source === 'opml' ? t('transfer.drop') : t('transfer.dropFile')}</p>
        <p class="muted" id={id}>
          {source === 'opml' ? t('transfer.dropLead') : t('transfer.stays')}
        </p>
        <label class="button button-main">
          {t('transfer.choose')}
          <input
            class="hidden-text"
            type="file"
            aria-describedby={id}
            onChange={({ currentTarget }) => choose(currentTarget)}
          />
        </label>
      </div>
    </div>
  )
}
