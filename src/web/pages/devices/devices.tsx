import { type Signal, useSignal } from '@preact/signals'
import { EmptyState, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Page, Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { type Device, devices, groups, loadDevices, loadOwnPodcasts } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { DeviceRow, dropOn, GroupCard } from './device-list.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { PodcastNames, previewRemoval, type RemovalPreview } from './group-preview.tsx'
import { type GroupEdit, groupOf, joinGroup, leaveGroup, removeDevice, saveDevice, sortAsListed } from './groups.ts'

/** The dialog that is open. */
type OpenDialog =
  | { readonly kind: 'group'; readonly edit: GroupEdit; readonly seeking?: readonly string[] }
  | { readonly kind: 'edit' | 'remove'; readonly device: Device }

/** Devices by sync group. Groups are edited in a dialog or by dragging devices. */
export default function Devices() {
  const { error, reload } = useQuery(loadDevices)
  const dialog = useSignal<OpenDialog | undefined>(undefined)
  const count = devices.value?.length ?? 0
  return (
    <Page
      title={t('devices.title')}
      lead={t('devices.lead')}
      actions={
        count > 0 && (
          <>
            <ButtonLink icon="connect" href={href('/connect')}>
              {t('devices.connect')}
            </ButtonLink>
            {count > 1 && (
              <Button kind="main" icon="plus" onClick={() => seekGroup(dialog, [])}>
                {t('devices.newGroup')}
              </Button>
            )}
          </>
        )
      }
    >
      {error.value !== undefined && <Failure error={error.value} onRetry={() => void reload()} />}
      {devices.value === undefined && error.value === undefined && <DevicesSkeleton />}
      {devices.value && <Content dialog={dialog} />}
      {dialog.value && <CurrentDialog dialog={dialog} />}
    </Page>
  )
}

function Content({ dialog }: { dialog: Signal<OpenDialog | undefined> }) {
  const all = devices.value ?? []
  const alone = all.filter(({ id }) => !groups.value.flat().includes(id))
  if (all.length === 0)
    return (
      <EmptyState title={t('devices.none')} text={t('devices.noneText')}>
        <ButtonLink kind="main" icon="connect" href={href('/connect')}>
          {t('devices.connect')}
        </ButtonLink>
      </EmptyState>
    )
  const actions = {
    onEdit: (device: Device) => {
      dialog.value = { kind: 'edit', device }
    },
    onRemove: (device: Device) => {
      dialog.value = { kind: 'remove', device }
    },
  }
  const joining = (target: string) => (device: string) => editOnDrop(dialog, joinGroup(groups.value, device, target))
  return (
    <div class={all.length > 1 ? 'devices devices-many' : 'devices'}>
      {all.length > 1 && <p class="muted small devices-hint">{t('devices.dragHint')}</p>}
      {all.length > 1 && (
        <TitledSection title={t('devices.groups')}>
          {groups.value.length === 0 && <p class="devices-none">{t('devices.groupsNone')}</p>}
          <div class="devices-list">
            {groups.value.map((group) => (
              <GroupCard
                key={group.join(' ')}
                group={group}
                onChange={() => openGroup(dialog, { edited: group, devices: group })}
                onDrop={joining(group[0] ?? '')}
                {...actions}
              />
            ))}
          </div>
        </TitledSection>
      )}
      <section
        class="stack devices-alone"
        {...(all.length > 1 && { 'aria-labelledby': 'alone' })}
        {...dropOn('alone', (device) => editOnDrop(dialog, leaveGroup(groups.value, device)))}
      >
        {all.length > 1 && <h2 id="alone">{t('devices.alone')}</h2>}
        {alone.length === 0 && <p class="devices-none">{t('devices.aloneNone')}</p>}
        <ul class="devices-list">
          {alone.map((device) => (
            <li class="card device-card" key={device.id} {...dropOn(device.id, joining(device.id))}>
              <DeviceRow
                device={device}
                onEdit={() => actions.onEdit(device)}
                onRemove={() => actions.onRemove(device)}
              >
                <span>{t('common.podcasts', { n: device.subscriptions })}</span>
              </DeviceRow>
              {all.length > 1 && (
                <Button kind="quiet" onClick={() => seekGroup(dialog, [device.id])}>
                  {t('devices.join')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function CurrentDialog({ dialog }: { dialog: Signal<OpenDialog | undefined> }) {
  const { value } = dialog
  function close(): void {
    dialog.value = undefined
    // The element that had the focus may have been removed.
    restoreFocus(document.querySelector('h1'))
  }
  if (value?.kind === 'group') return <GroupDialog start={value.edit} seeking={value.seeking} onClose={close} />
  if (value?.kind === 'edit') return <EditDialog device={value.device} onClose={close} />
  if (value?.kind === 'remove') return <RemoveDialog device={value.device} onClose={close} />
  return null
}

function openGroup(dialog: Signal<OpenDialog | undefined>, edit: GroupEdit): void {
  dialog.value = { kind: 'group', edit }
}

/** Opens the dialog for devices that are in no group. It proposes the only group there is, or else a new one. */
function seekGroup(dialog: Signal<OpenDialog | undefined>, seeking: readonly string[]): void {
  const [group, ...others] = groups.value
  const hasOneGroup = group && others.length === 0 && seeking.length > 0
  const edit = hasOneGroup
    ? { edited: group, devices: sortAsListed([...group, ...seeking]) }
    : { edited: [], devices: seeking }
  dialog.value = { kind: 'group', edit, seeking }
}

function editOnDrop(dialog: Signal<OpenDialog | undefined>, edit: GroupEdit | undefined): (() => void) | undefined {
  return edit && (() => openGroup(dialog, edit))
}

/** Reserves the space of a group and a single device. */
function DevicesSkeleton() {
  return (
    <div class="devices devices-many">
      <Skeleton height="15rem" />
      <Skeleton height="15rem" />
    </div>
  )
}

const TYPES = ['mobile', 'laptop', 'desktop', 'server', 'other'] as const
/** Characters of a name that the server stores (docs/protocol.md#devices). */
const NAME_MAX = 100

interface DeviceDialogProps {
  readonly device: Device
  readonly onClose: () => void
}

/** Changes name and type of a device. */
function EditDialog({ device, onClose }: DeviceDialogProps) {
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
function RemoveDialog({ device, onClose }: DeviceDialogProps) {
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
