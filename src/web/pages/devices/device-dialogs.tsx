import { useSignal } from '@preact/signals'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../components/forms/dialog.tsx'
import { SelectField, TextField } from '../../components/forms/field.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { type Device, groups, loadOwnPodcasts } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { PodcastNames, previewRemoval, type RemovalPreview } from './group-preview.tsx'
import { groupOf, removeDevice, saveDevice } from './groups.ts'

const TYPES = ['mobile', 'laptop', 'desktop', 'server', 'other'] as const
/** Characters of a name that the server stores (docs/protocol.md#devices). */
const NAME_MAX = 100

/** Changes name and type of a device. */
export function EditDialog({ device, onClose }: { device: Device; onClose: () => void }) {
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
      toast(t('devices.form.saved', { device: caption }))
      if (form instanceof Element) form.closest('dialog')?.close()
    } catch (error) {
      failure.value = error
    }
    isBusy.value = false
  }

  return (
    <Dialog title={t('devices.form.title')} onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => void save(event)}>
        <TextField
          label={t('devices.form.name')}
          required
          isProse
          maxLength={NAME_MAX}
          hint={t('devices.form.id', { id: device.id })}
          error={isMissing.value ? t('devices.form.nameMissing') : undefined}
          value={name.value}
          onInput={(value) => {
            name.value = value
          }}
        />
        <SelectField
          label={t('devices.form.type')}
          value={type.value}
          options={TYPES.map((value) => ({ value, label: t(`devices.types.${value}`) }))}
          onChoose={(value) => {
            type.value = value
          }}
        />
        {failure.value !== undefined && (
          <Notice kind="error">
            <p>{errorMessage(failure.value)}</p>
          </Notice>
        )}
        <DialogActions>
          <Button kind="quiet" onClick={closeDialog}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" kind="main" isBusy={isBusy.value}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Deletes a device, after showing what would be lost. */
export function RemoveDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const podcasts = useQuery(loadOwnPodcasts)
  const failure = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const { data, error } = podcasts

  async function remove({ currentTarget }: Event): Promise<void> {
    isBusy.value = true
    failure.value = undefined
    try {
      await removeDevice(device.id)
      toast(t('devices.removal.done', { device: device.caption }))
      if (currentTarget instanceof Element) currentTarget.closest('dialog')?.close()
    } catch (reason) {
      failure.value = reason
    }
    isBusy.value = false
  }

  return (
    <Dialog title={t('devices.removal.title', { device: device.caption })} onClose={onClose}>
      {error.value ? (
        <Failure error={error.value} onRetry={() => void podcasts.reload()} />
      ) : (
        <div class="stack" aria-live="polite">
          {data.value ? <RemovalEffects loss={previewRemoval(data.value, device.id)} /> : <Skeleton height="4.5rem" />}
        </div>
      )}
      <ul class="plain-list muted">
        {groupOf(groups.value, device.id).length > 1 && <li>{t('devices.removal.leavesGroup')}</li>}
        <li>{t('devices.removal.history')}</li>
        <li>{t('devices.removal.app')}</li>
      </ul>
      {failure.value !== undefined && (
        <Notice kind="error">
          <p>{errorMessage(failure.value)}</p>
        </Notice>
      )}
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t('common.cancel')}
        </Button>
        <Button kind="danger" icon="trash" isBusy={isBusy.value} disabled={!data.value} onClick={remove}>
          {t('common.delete')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function RemovalEffects({ loss: { lost, kept } }: { loss: RemovalPreview }) {
  if (lost.length + kept === 0) return <p>{t('devices.removal.nothing')}</p>
  return (
    <>
      {lost.length > 0 && (
        <Notice kind="warn">
          <p>{t('devices.removal.lost', { n: lost.length })}</p>
          <PodcastNames summary={t('devices.removal.show', { n: lost.length })} podcasts={lost} />
        </Notice>
      )}
      {kept > 0 && <p>{t('devices.removal.kept', { n: kept })}</p>}
    </>
  )
}
