import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { DeviceIcon } from '../../components/device.tsx'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../components/forms/dialog.tsx'
import { Checkbox, SelectField } from '../../components/forms/field.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { type Device, devices, groups, loadOwnPodcasts } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { GroupPreview, previewGroup } from './group-preview.tsx'
import {
  captionList,
  devicesIn,
  type GroupEdit,
  groupOf,
  inDeviceOrder,
  isSame,
  requestsOf,
  saveGroup,
} from './groups.ts'

const FRESH = 'new'

interface GroupDialogProps {
  /** What the person has shown to want by the way here. */
  readonly start: GroupEdit
  /** Devices that look for a group: any one will do. */
  readonly seeking?: readonly string[] | undefined
  readonly onClose: () => void
}

/** Who is in a group, and what comes of it, before it is so. */
export function GroupDialog({ start, seeking, onClose }: GroupDialogProps) {
  const previewId = useId()
  const wish = useSignal(start)
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  // Apps change the lists, too: what is promised is looked up now.
  const podcasts = useQuery(loadOwnPodcasts)
  const isDissolving = wish.value.edited.length > 0 && devicesIn(wish.value).length === 0
  const hasChanges = requestsOf(groups.value, wish.value).length > 0

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    isBusy.value = true
    failure.value = undefined
    try {
      await saveGroup(wish.value)
      toast(
        isDissolving
          ? t('devices.group.dissolved')
          : t('devices.group.saved', { devices: captionList(wish.value.devices) }),
      )
      if (form instanceof Element) form.closest('dialog')?.close()
    } catch (error) {
      failure.value =
        error instanceof ApiError && error.code === 'unknown_device' ? t('devices.group.stale') : errorMessage(error)
    }
    isBusy.value = false
  }

  function preview() {
    if (podcasts.error.value) return <Failure error={podcasts.error.value} onRetry={() => void podcasts.reload()} />
    if (!podcasts.data.value) return <Skeleton height="3rem" count={2} />
    if (!hasChanges)
      return (
        <p class="muted">{devicesIn(wish.value).length === 0 ? t('devices.group.tooFew') : t('devices.group.same')}</p>
      )
    return <GroupPreview preview={previewGroup(podcasts.data.value, groups.value, wish.value)} />
  }

  return (
    <Dialog
      title={wish.value.edited.length === 0 ? t('devices.group.newTitle') : t('devices.group.changeTitle')}
      onClose={onClose}
    >
      <form class="stack group-form" onSubmit={(event) => void save(event)}>
        {seeking && groups.value.length > 0 && <GroupChoice wish={wish.value} seeking={seeking} onChoose={choose} />}
        <MemberChoices wish={wish.value} onChoose={choose} />
        <section class="preview" aria-labelledby={previewId}>
          <h3 id={previewId}>{t('devices.group.preview')}</h3>
          <div aria-live="polite">{preview()}</div>
        </section>
        {failure.value && (
          <Notice kind="error">
            <p>{failure.value}</p>
          </Notice>
        )}
        <DialogActions>
          <Button kind="quiet" onClick={closeDialog}>
            {t('common.cancel')}
          </Button>
          <Button
            type="submit"
            kind={isDissolving ? 'danger' : 'main'}
            isBusy={isBusy.value}
            disabled={!(hasChanges && podcasts.data.value)}
          >
            {isDissolving ? t('devices.group.dissolve') : t('devices.group.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )

  function choose(next: GroupEdit): void {
    wish.value = next
  }
}

interface GroupChoiceProps {
  readonly wish: GroupEdit
  readonly seeking: readonly string[]
  readonly onChoose: (wish: GroupEdit) => void
}

/** A new group, or one that is there already. */
function GroupChoice({ wish, seeking, onChoose }: GroupChoiceProps) {
  const options = groups.value.map((group) => ({ value: group[0] ?? '', label: captionList(group) }))
  return (
    <SelectField
      label={t('devices.group.which')}
      value={wish.edited[0] ?? FRESH}
      options={[{ value: FRESH, label: t('devices.group.fresh') }, ...options]}
      onChoose={(value) => {
        const edited = groups.value.find(([first]) => value !== FRESH && first === value) ?? []
        onChoose({ edited, devices: inDeviceOrder([...edited, ...seeking]) })
      }}
    />
  )
}

/** All devices, those of the group ticked. */
function MemberChoices({ wish, onChoose }: { wish: GroupEdit; onChoose: (wish: GroupEdit) => void }) {
  const { edited, devices: members } = wish

  function toggle(device: string, isMember: boolean): void {
    const next = isMember ? [...members, device] : members.filter((each) => each !== device)
    onChoose({ edited, devices: inDeviceOrder(next) })
  }

  return (
    <fieldset class="members">
      <legend class="field-label">{t('devices.group.members')}</legend>
      {(devices.value ?? []).map((device) => (
        <Checkbox
          key={device.id}
          label={<Member device={device} edited={edited} />}
          checked={members.includes(device.id)}
          onChange={(isMember) => toggle(device.id, isMember)}
        />
      ))}
    </fieldset>
  )
}

function Member({ device, edited }: { device: Device; edited: readonly string[] }) {
  const group = groupOf(groups.value, device.id)
  const others = isSame(group, edited) ? [] : group.filter((each) => each !== device.id)
  return (
    <span class="member">
      <DeviceIcon type={device.type} />
      <span>
        <bdi class="device-name">{device.caption}</bdi>
        <span class="muted small device-facts">
          <span>{t('common.podcasts', { n: device.subscriptions })}</span>
          {others.length > 0 && <span>{t('devices.group.elsewhere', { devices: captionList(others) })}</span>}
        </span>
      </span>
    </span>
  )
}
