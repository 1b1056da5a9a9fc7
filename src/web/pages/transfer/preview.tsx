import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { useKeptFocus } from '../../parts/kept-focus.ts'
import { Notice } from '../../parts/notice.tsx'
import { startImport, type Target } from '../../state/imports.ts'
import { devices, holdersOf } from '../../state/subscriptions.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import { deviceIdFor } from './device-id.ts'
import { countStates, dryRun } from './dry-run.ts'
import type { ChosenFile } from './import.tsx'
import { PreviewTable } from './preview-table.tsx'

/** No device is called so: IDs have no white space. */
const NEW = 'a new one'

/** What the file would do to which device, before it does. */
export function Preview({ file, onForget }: { file: ChosenFile; onForget: () => void }) {
  const texts = t().transfer
  const heading = useKeptFocus<HTMLParagraphElement>(file)
  const known = devices.value ?? []
  const chosen = useSignal(known[0]?.id ?? NEW)
  const caption = useSignal(texts.newDeviceDefault)
  const isNew = chosen.value === NEW
  const target: Target = isNew
    ? {
        id: deviceIdFor(
          caption.value,
          known.map(({ id }) => id),
        ),
        caption: caption.value.trim(),
        isNew,
      }
    : { id: chosen.value, caption: known.find(({ id }) => id === chosen.value)?.caption ?? chosen.value, isNew }
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
          {fill(plural(texts.found, rows.length, language.value), { name: file.name })}
        </p>
        <Button kind="quiet" onClick={onForget}>
          {texts.chooseOther}
        </Button>
      </div>
      {file.isDamaged && (
        <Notice kind="warn">
          <p>{texts.damaged}</p>
        </Notice>
      )}
      <div class="import-target">
        <SelectField
          label={texts.device}
          value={chosen.value}
          options={[
            ...known.map(({ id, caption: label }) => ({ value: id, label })),
            { value: NEW, label: texts.newDevice },
          ]}
          onChoose={(id) => {
            chosen.value = id
          }}
          {...(!isNew && { hint: texts.deviceHint })}
        />
        {isNew && (
          <TextField
            label={texts.newDeviceName}
            value={caption.value}
            required
            maxLength={100}
            isProse
            hint={texts.newDeviceHint}
            onInput={(value) => {
              caption.value = value
            }}
          />
        )}
      </div>
      <div class="row">
        <Button kind="main" type="submit" icon="plus" disabled={counts.new === 0 || target.caption === ''}>
          {plural(texts.add, counts.new, language.value)}
        </Button>
        {counts.new === 0 && <p class="muted">{counts.known > 0 ? texts.nothingNew : texts.nothingUsable}</p>}
      </div>
      <PreviewTable rows={rows} counts={counts} />
    </form>
  )
}
