import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { errorText, Notice } from '../../parts/notice.tsx'
import type { Device } from '../../state/subscriptions.ts'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { saveDevice } from './changes.ts'

const TYPES = ['mobile', 'laptop', 'desktop', 'server', 'other'] as const
/** Characters of a name that the server keeps (protocol.md 5.2). */
const NAME_MAX = 100

export function EditDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const texts = t().devices.form
  const name = useSignal(device.caption)
  const type = useSignal(TYPES.find((each) => each === device.type) ?? 'other')
  const isMissing = useSignal(false)
  const failure = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    const caption = name.value.trim()
    isMissing.value = caption === ''
    if (isMissing.value) return
    isBusy.value = true
    failure.value = undefined
    try {
      await saveDevice(device.id, caption, type.value)
      toast(fill(texts.saved, { device: caption }))
      if (form instanceof Element) form.closest('dialog')?.close()
    } catch (error) {
      failure.value = error
    }
    isBusy.value = false
  }

  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => void save(event)}>
        <TextField
          label={texts.name}
          required
          isProse
          maxLength={NAME_MAX}
          hint={fill(texts.id, { id: device.id })}
          error={isMissing.value ? texts.nameMissing : undefined}
          value={name.value}
          onInput={(value) => {
            name.value = value
          }}
        />
        <SelectField
          label={texts.type}
          value={type.value}
          options={TYPES.map((value) => ({ value, label: t().devices.types[value] }))}
          onChoose={(value) => {
            type.value = value
          }}
        />
        {failure.value !== undefined && (
          <Notice kind="error">
            <p>{errorText(failure.value)}</p>
          </Notice>
        )}
        <DialogActions>
          <Button kind="quiet" onClick={closeDialog}>
            {t().common.cancel}
          </Button>
          <Button type="submit" kind="main" isBusy={isBusy.value}>
            {t().common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
