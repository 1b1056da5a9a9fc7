import { useSignal } from '@preact/signals'
import { ErrorNotice, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { ButtonChoice, SelectField } from '../../components/forms/choice.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Form } from '../../components/forms/form.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { setter } from '../../hooks/setters.ts'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { type FilePreview, importFile, previewFile } from '../../store/importing/account-imports.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { fileError } from './account-import.tsx'
import { deviceIdFor } from './device-id.ts'

/** Cannot collide with a device ID, because IDs contain no spaces. */
const NEW = 'a new one'

/** Shows which podcasts an import would add to a device. The server parses the file. */
export function Preview({ file, onForget }: { file: File; onForget: () => void }) {
  const heading = useRestoredFocus<HTMLParagraphElement>(file)
  const ownDevices = ownPodcastDevices.value ?? []
  const chosen = useSignal(ownDevices[0]?.id ?? NEW)
  const caption = useSignal(t('transfer.newDeviceDefault'))
  const isNew = chosen.value === NEW
  const name = caption.value.trim()
  const query = useQuery((signal) => previewFile(file, isNew ? '' : chosen.value, signal), [file, chosen.value])
  const { isBusy, error, run } = useMutation()
  const preview = query.data.value
  const failure = error.value ?? query.error.value

  async function start(): Promise<void> {
    const ids = ownDevices.map(({ id }) => id)
    const target = isNew ? { device: deviceIdFor(name, ids), caption: name } : { device: chosen.value }
    if (await run(() => importFile(file, target))) onForget()
  }

  return (
    <Form class="stack" error={error.value} onSubmit={start}>
      <div class="row-apart">
        <p class="import-file" tabIndex={-1} ref={heading}>
          {preview ? t('transfer.found', { n: total(preview), name: file.name }) : file.name}
        </p>
        <Button kind="quiet" onClick={onForget}>
          {t('transfer.chooseOther')}
        </Button>
      </div>
      <ErrorNotice text={fileError(failure)} error={failure} />
      {!preview && failure === undefined && <Skeleton height="3rem" count={3} />}
      {preview?.damaged && <Notice kind="warn">{t('transfer.damaged')}</Notice>}
      {preview && (
        <>
          <div class="import-target">
            <SelectField
              label={t('transfer.device')}
              value={chosen.value}
              options={[
                ...ownDevices.map(({ id, caption: label }) => ({ value: id, label })),
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
            <Button
              kind="main"
              type="submit"
              icon="plus"
              isBusy={isBusy.value}
              disabled={preview.counts.new === 0 || (isNew && name === '')}
            >
              {t('transfer.add', { n: preview.counts.new })}
            </Button>
            {preview.counts.new === 0 && (
              <p class="muted">{preview.counts.known > 0 ? t('transfer.nothingNew') : t('transfer.nothingUsable')}</p>
            )}
          </div>
          {preview.folders.length > 0 && (
            <p dir="auto">{t('common.pair', { what: t('folders.title'), value: preview.folders.join(', ') })}</p>
          )}
          <PreviewTable rows={preview.podcasts} counts={preview.counts} />
        </>
      )}
    </Form>
  )
}

function total({ counts }: FilePreview): number {
  return STATES.reduce((sum, state) => sum + counts[state], 0)
}

type Row = FilePreview['podcasts'][number]
type EntryState = Row['state']

const STATES: readonly EntryState[] = ['new', 'known', 'duplicate', 'invalid']

/** Number of rows added at a time, because thousands of rows make phones slow. */
const STEP = 25

const LOOKS: Readonly<Record<EntryState, string>> = {
  new: 'chip-good',
  known: '',
  duplicate: 'chip-warn',
  invalid: 'chip-bad',
}

/** Entries of the file with their states, optionally only those in one state. */
function PreviewTable({ rows, counts }: { rows: readonly Row[]; counts: FilePreview['counts'] }) {
  const only = useSignal<EntryState | ''>('')
  const limit = useSignal(STEP)
  const filtered = only.value === '' ? rows : rows.filter(({ state }) => state === only.value)
  const rest = filtered.length - limit.value
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
            {filtered.slice(0, limit.value).map(({ state, url, title }, index) => (
              // A list may contain the same URL many times.
              <tr key={index}>
                <th scope="row">
                  <div class="rows">
                    {title !== '' && (
                      <span class="import-title" dir="auto">
                        {title}
                      </span>
                    )}
                    <span class="small muted" dir="ltr">
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
