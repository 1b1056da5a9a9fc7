import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { captionOf } from '../../components/device.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { ButtonChoice, SelectField } from '../../components/forms/choice.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { setter } from '../../hooks/setters.ts'
import { number, t } from '../../locales/index.ts'
import { type ImportTarget, startImport } from '../../store/importing/list-import.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { holdersOf } from '../../store/subscriptions.ts'
import { type ChosenFile, countStates, dryRun, type EntryState, type Row, STATES } from './read-list.ts'

/** Cannot be the ID of a device, since these contain no spaces. */
const NEW = 'a new one'

/** What an import would add to a device, before it starts. */
export function Preview({ file, onForget }: { file: ChosenFile; onForget: () => void }) {
  const heading = useRestoredFocus<HTMLParagraphElement>(file)
  const known = ownPodcastDevices.value ?? []
  const chosen = useSignal(known[0]?.id ?? NEW)
  const caption = useSignal(t('transfer.newDeviceDefault'))
  const isNew = chosen.value === NEW
  const ids = known.map(({ id }) => id)
  const target: ImportTarget = isNew
    ? { id: deviceIdFor(caption.value, ids), caption: caption.value.trim(), isNew }
    : { id: chosen.value, caption: captionOf(chosen.value, known), isNew }
  const rows = useMemo(
    () => dryRun(file.entries, (url) => !isNew && holdersOf(url).has(chosen.value)),
    [file, chosen.value],
  )
  const counts = countStates(rows)

  function start(event: Event): void {
    event.preventDefault()
    const feeds = rows.filter(({ state }) => state === 'new')
    void startImport(target, feeds).then(() => onForget())
  }

  return (
    <form class="stack" onSubmit={start}>
      <div class="row-apart">
        <p class="import-file" tabIndex={-1} ref={heading}>
          {t('transfer.found', { n: rows.length, name: file.name })}
        </p>
        <Button kind="quiet" onClick={onForget}>
          {t('transfer.chooseOther')}
        </Button>
      </div>
      {file.isDamaged && <Notice kind="warn">{t('transfer.damaged')}</Notice>}
      <div class="import-target">
        <SelectField
          label={t('transfer.device')}
          value={chosen.value}
          options={[
            ...known.map(({ id, caption: label }) => ({ value: id, label })),
            { value: NEW, label: t('transfer.newDevice') },
          ]}
          onChoose={setter(chosen)}
          {...(!isNew && { hint: t('transfer.deviceHint') })}
        />
        {isNew && (
          <TextField
            label={t('transfer.newDeviceName')}
            value={caption}
            required
            maxLength={100}
            isProse
            hint={t('transfer.newDeviceHint')}
          />
        )}
      </div>
      <div class="row">
        <Button kind="main" type="submit" icon="plus" disabled={counts.new === 0 || target.caption === ''}>
          {t('transfer.add', { n: counts.new })}
        </Button>
        {counts.new === 0 && (
          <p class="muted">{counts.known > 0 ? t('transfer.nothingNew') : t('transfer.nothingUsable')}</p>
        )}
      </div>
      <PreviewTable rows={rows} counts={counts} />
    </form>
  )
}

/** Rows that are added at a time, since thousands of rows make phones slow. */
const STEP = 25

const LOOKS: Readonly<Record<EntryState, string>> = {
  new: 'chip-good',
  known: '',
  duplicate: 'chip-warn',
  invalid: 'chip-bad',
}

/** The entries of the file with their state, all or those of one state. */
function PreviewTable({ rows, counts }: { rows: readonly Row[]; counts: ReturnType<typeof countStates> }) {
  const only = useSignal<EntryState | ''>('')
  const limit = useSignal(STEP)
  const chosen = only.value === '' ? rows : rows.filter(({ state }) => state === only.value)
  const rest = chosen.length - limit.value
  const table = useRestoredFocus<HTMLDivElement>(limit.value > STEP ? limit.value : undefined)

  function choose(state: EntryState | ''): void {
    only.value = state
    limit.value = STEP
  }

  return (
    <>
      <ButtonChoice
        class="chips"
        label={t('transfer.show')}
        value={only.value}
        options={[
          { value: '', label: <Counted label={t('transfer.all')} count={rows.length} /> },
          ...STATES.filter((state) => counts[state] > 0).map((state) => ({
            value: state,
            label: <Counted label={t(`transfer.states.${state}`)} count={counts[state]} />,
          })),
        ]}
        onChoose={choose}
      />
      <div class="table-frame import-table" tabIndex={-1} ref={table}>
        <table class="table">
          <caption class="hidden-text">{t('transfer.preview')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('transfer.podcast')}</th>
              <th scope="col">{t('transfer.verdict')}</th>
            </tr>
          </thead>
          <tbody>
            {chosen.slice(0, limit.value).map(({ state, url, title }, index) => (
              // A list may contain the same URL many times.
              <tr key={index}>
                <th scope="row">
                  <div class="import-podcast">
                    {title !== '' && (
                      <span class="import-title" dir="auto">
                        {title}
                      </span>
                    )}
                    <span class="import-url small muted" dir="ltr">
                      {url}
                    </span>
                  </div>
                </th>
                <td>
                  <span class={`chip ${LOOKS[state]}`}>{t(`transfer.states.${state}`)}</span>
                  {state === 'invalid' && <span class="import-reason small muted">{t('transfer.invalid')}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <p>
          <Button
            kind="quiet"
            onClick={() => {
              limit.value += STEP
            }}
          >
            {t('transfer.more', { n: Math.min(STEP, rest) })}
          </Button>
        </p>
      )}
    </>
  )
}

function Counted({ label, count }: { label: string; count: number }) {
  return (
    <>
      {label} <strong>{number(count)}</strong>
    </>
  )
}

const MAX = 64

/** A free device ID made from a name, with the characters that IDs may have (docs/protocol.md#D13). */
export function deviceIdFor(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  const start = startOf(words, MAX) || 'web'
  if (!taken.includes(start)) return start
  for (let n = 2; ; n++) {
    const id = `${startOf(start, MAX - 5)}-${n}`
    if (!taken.includes(id)) return id
  }
}

function startOf(text: string, max: number): string {
  return [...text].slice(0, max).join('')
}
