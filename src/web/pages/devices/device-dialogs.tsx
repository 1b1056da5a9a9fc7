import { useSignal } from '@preact/signals'
import { Failure, Notice } from '../../components/feedback/notice.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { type Device, groups, loadOwnPodcasts } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { PodcastNames, previewRemoval, type RemovalPreview } from './group-preview.tsx'
import { groupOf, removeDevice, saveDevice } from './groups.ts'

const TYPES = ['mobile', 'laptop', 'desktop', 'server', 'other'] as const
/** Characters of a name that the server stores (docs/protocol.md#devices). */
const NAME_MAX = 100

interface DeviceDialogProps {
  readonly device: Device
  readonly onClose: () => void
}

/** Changes name and type of a device. */
export function EditDialog({ device, onClose }: DeviceDialogProps) {
  const name = useSignal(device.caption)
  const type = useSignal(TYPES.find((each) => each === device.type) ?? 'other')
  const isMissing = useSignal(false)
  const caption = name.value.trim()
  return (
    <FormDialog
      title={t('devices.form.title')}
      submit={t('common.save')}
      validate={() => {
        isMissing.value = caption === ''
        return caption !== ''
      }}
      onSubmit={() => saveDevice(device.id, caption, type.value)}
      onClose={onClose}
      onDone={() => toast(t('devices.form.saved', { device: caption }))}
    >
      <TextField
        label={t('devices.form.name')}
        required
        isProse
        maxLength={NAME_MAX}
        hint={t('devices.form.id', { id: device.id })}
        error={isMissing.value ? t('devices.form.nameMissing') : ''}
        value={name}
      />
      <SelectField
        label={t('devices.form.type')}
        value={type.value}
        options={TYPES.map((value) => ({ value, label: t(`devices.types.${value}`) }))}
        onChoose={setter(type)}
      />
    </FormDialog>
  )
}

/** Deletes a device, after showing what would be lost. */
export function RemoveDialog({ device, onClose }: DeviceDialogProps) {
  const { data, error, reload } = useQuery(loadOwnPodcasts)
  return (
    <FormDialog
      title={t('devices.removal.title', { device: device.caption })}
      submit={t('common.delete')}
      kind="danger"
      icon="trash"
      isReady={data.value !== undefined}
      onSubmit={() => removeDevice(device.id)}
      onClose={onClose}
      onDone={() => toast(t('devices.removal.done', { device: device.caption }))}
    >
      {error.value ? (
        <Failure error={error.value} onRetry={() => void reload()} />
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
    </FormDialog>
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
