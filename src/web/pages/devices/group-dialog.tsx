import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { captionList, captionOf, DeviceIcon } from '../../components/device.tsx'
import { errorMessage, Failure } from '../../components/feedback/notice.tsx'
import { Checkbox, SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { ownPodcastDevices } from '../../store/own-device.ts'
import { type Device, devices, groups, loadOwnPodcasts } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { GroupPreview, previewGroup } from './group-preview.tsx'
import { devicesIn, type GroupEdit, groupOf, isSame, requestsOf, saveGroup, sortAsListed } from './groups.ts'

const NEW_GROUP = 'new'

interface GroupDialogProps {
  /** The group before the edit, and the initial selection. */
  readonly start: GroupEdit
  /** Ungrouped devices for which the user chooses a group. */
  readonly ungrouped?: readonly string[] | undefined
  readonly onClose: () => void
}

/** Edits a sync group and previews the effect of saving it. */
export function GroupDialog({ start, ungrouped, onClose }: GroupDialogProps) {
  const previewId = useId()
  const edit = useSignal(start)
  // Reloaded, because apps may have changed subscriptions and the preview must be correct.
  const podcasts = useQuery(loadOwnPodcasts)
  const isDissolving = edit.value.edited.length > 0 && devicesIn(edit.value).length === 0
  const hasChanges = requestsOf(groups.value, edit.value).length > 0

  function preview() {
    if (podcasts.error.value) return <Failure error={podcasts.error.value} onRetry={() => void podcasts.reload()} />
    if (!podcasts.data.value) return <Skeleton height="3rem" count={2} />
    if (!hasChanges)
      return (
        <p class="muted">{devicesIn(edit.value).length === 0 ? t('devices.group.tooFew') : t('devices.group.same')}</p>
      )
    return <GroupPreview preview={previewGroup(podcasts.data.value, groups.value, edit.value)} />
  }

  return (
    <FormDialog
      title={edit.value.edited.length === 0 ? t('devices.group.newTitle') : t('devices.group.changeTitle')}
      submit={isDissolving ? t('devices.group.dissolve') : t('devices.group.save')}
      kind={isDissolving ? 'danger' : 'main'}
      isReady={hasChanges && podcasts.data.value !== undefined}
      class="stack group-form"
      errorText={(error) =>
        error instanceof ApiError && error.code === 'unknown_device' ? t('devices.group.stale') : errorMessage(error)
      }
      onSubmit={() => saveGroup(edit.value)}
      onClose={onClose}
      onDone={() =>
        toast(
          isDissolving
            ? t('devices.group.dissolved')
            : t('devices.group.saved', { devices: captionList(edit.value.devices) }),
        )
      }
    >
      {ungrouped && groups.value.length > 0 && (
        <GroupChoice edit={edit.value} ungrouped={ungrouped} onChoose={choose} />
      )}
      <DeviceChoices edit={edit.value} onChoose={choose} />
      <section class="stack preview" aria-labelledby={previewId}>
        <h3 id={previewId}>{t('devices.group.preview')}</h3>
        <div aria-live="polite">{preview()}</div>
      </section>
    </FormDialog>
  )

  function choose(next: GroupEdit): void {
    edit.value = next
  }
}

interface GroupChoiceProps {
  readonly edit: GroupEdit
  readonly ungrouped: readonly string[]
  readonly onChoose: (edit: GroupEdit) => void
}

/** A choice between the existing groups and a new one. */
function GroupChoice({ edit, ungrouped, onChoose }: GroupChoiceProps) {
  const options = groups.value.map((group) => ({ value: group[0] ?? '', label: captionList(group) }))
  return (
    <SelectField
      label={t('devices.group.which')}
      value={edit.edited[0] ?? NEW_GROUP}
      options={[{ value: NEW_GROUP, label: t('devices.group.fresh') }, ...options]}
      onChoose={(value) => {
        const edited = groups.value.find(([first]) => value !== NEW_GROUP && first === value) ?? []
        onChoose({ edited, devices: sortAsListed([...edited, ...ungrouped]) })
      }}
    />
  )
}

/** All devices that can hold podcasts, with those of the group checked. */
function DeviceChoices({ edit, onChoose }: { edit: GroupEdit; onChoose: (edit: GroupEdit) => void }) {
  const { edited, devices: ids } = edit
  const choices = (devices.value ?? []).filter(
    (device) => ownPodcastDevices.value?.includes(device) || ids.includes(device.id),
  )

  function toggle(device: string, isIncluded: boolean): void {
    const next = isIncluded ? [...ids, device] : ids.filter((each) => each !== device)
    onChoose({ edited, devices: sortAsListed(next) })
  }

  return (
    <fieldset class="rows device-checkboxes">
      <legend class="field-label">{t('devices.group.devices')}</legend>
      {choices.map((device) => (
        <Checkbox
          key={device.id}
          label={<DeviceLabel device={device} edited={edited} />}
          checked={ids.includes(device.id)}
          onChange={(isIncluded) => toggle(device.id, isIncluded)}
        />
      ))}
    </fieldset>
  )
}

function DeviceLabel({ device, edited }: { device: Device; edited: readonly string[] }) {
  const group = groupOf(groups.value, device.id)
  const others = isSame(group, edited) ? [] : group.filter((each) => each !== device.id)
  return (
    <span class="media">
      <DeviceIcon type={device.type} />
      <span>
        <bdi class="media-title">{captionOf(device.id, devices.value)}</bdi>
        <span class="muted small device-facts">
          <span>{t('common.podcasts', { n: device.subscriptions })}</span>
          {others.length > 0 && <span>{t('devices.group.elsewhere', { devices: captionList(others) })}</span>}
        </span>
      </span>
    </span>
  )
}
