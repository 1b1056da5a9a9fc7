import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { decodeText } from '../../../platform/decode-text.ts'
import { ErrorNotice, OutboundOff } from '../../components/feedback/notice.tsx'
import { ButtonChoice, SelectField } from '../../components/forms/choice.tsx'
import { Icon } from '../../components/icon.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { t } from '../../locales/index.ts'
import { isOutbound } from '../../store/session.ts'
import { ServerForm } from './account-import.tsx'
import { type ChosenFile, readList } from './read-list.ts'
import { fileKindOf, hasFile, hasServer, SOURCE_NAMES, SOURCES, type Source } from './report.ts'
import { unpack } from './unpack.ts'

/** What is chosen: a list, which is read here, or a file for the server. */
export type Chosen =
  | { readonly list: ChosenFile }
  | { readonly file: File; readonly kind: 'database' | 'archive' | 'overcast' }

interface DropZoneProps {
  readonly onChoose: (chosen: Chosen) => void
}

interface SourcesProps extends DropZoneProps {
  readonly source: Signal<Source>
  /** The account on another server. */
  readonly from: Signal<string>
  readonly username: Signal<string>
}

/** The apps and servers to bring podcasts from: how to get the file, what comes along, and a place for it. */
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
      {/* On a phone most of the buttons would be out of sight. */}
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

/** In bytes. A list of ten thousand podcasts with descriptions is smaller. */
const LIST_MAX = 20_000_000
/** The server takes no more. */
const FILE_MAX = 1024 ** 3
const HEAD = 2000

/** Takes a file that is dropped or chosen. Nothing is sent to the server yet. */
function DropZone({ source, onChoose }: DropZoneProps & { readonly source: Source }) {
  const isOver = useSignal(false)
  const error = useSignal<string | undefined>(undefined)
  const id = useId()

  async function take(file: File | undefined): Promise<void> {
    if (!file) return
    const result = await read(file)
    if (typeof result === 'string') error.value = t(`transfer.${result}`, { name: file.name })
    else onChoose(result)
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

/** What a file is, or the key of the text for an error. */
async function read(file: File): Promise<Chosen | 'tooBig' | 'unreadable' | 'empty'> {
  const content = await unpack(file, LIST_MAX)
  if (typeof content === 'string') return content
  const kind = fileKindOf(await content.slice(0, HEAD).text())
  if (content.size > (kind === 'list' ? LIST_MAX : FILE_MAX)) return 'tooBig'
  if (kind !== 'list') return { file, kind }
  const list = readList(decodeText(new Uint8Array(await content.arrayBuffer())))
  if (!list) return 'unreadable'
  return list.entries.length === 0 ? 'empty' : { list: { name: file.name, ...list } }
}
