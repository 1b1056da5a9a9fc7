import { type Signal, useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { captionList } from '../../components/device.tsx'
import { attempt, EmptyState, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { SelectField, Switch } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { MetaLine, Page, Skeleton } from '../../components/layout/page.tsx'
import { setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { listeningBrowsers, ownPodcastDevices } from '../../store/own-device.ts'
import { href } from '../../store/paths.ts'
import {
  type Device,
  deviceSets,
  devices,
  ensureSubscriptions,
  groups,
  loadDevices,
  loadOwnPodcasts,
} from '../../store/subscriptions.ts'
import { autoSync, ensureAccountSettings, setAutoSync } from '../../store/sync/account-settings.ts'
import { autoSyncGains, enableAutoSync } from '../../store/sync/sync-offer.ts'
import { toast } from '../../store/toasts.ts'
import { BrowserList, DeviceSetCard } from './device-list.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { PodcastNames, previewRemoval, type RemovalPreview } from './group-preview.tsx'
import { appsByDevice, type GroupEdit, groupOf, removeDevice, saveDevice, sortAsListed } from './groups.ts'

/** Subject of messages about the switch. A new message replaces the previous one, which no longer applies. */
const AUTO_SYNC = 'auto-sync'

type OpenDialog =
  | { readonly kind: 'group'; readonly edit: GroupEdit; readonly ungrouped?: readonly string[] }
  | { readonly kind: 'edit' | 'remove'; readonly device: Device }

/** Devices by sync group, with dialogs to edit groups and devices. */
export default function Devices() {
  const { error, reload } = useQuery(loadDevices)
  // Optional: the page works without app names.
  const uses = useQuery((signal) => call('listActivity', { signal }))
  useHints(['devices', 'subscriptions'], () => Promise.all([reload(), uses.reload()]))
  const dialog = useSignal<OpenDialog | undefined>(undefined)
  const count = ownPodcastDevices.value?.length ?? 0
  return (
    <Page
      title={t('devices.title')}
      lead={t('devices.lead')}
      actions={
        count > 0 && (
          <>
            {count > 1 && (
              <Button icon="plus" onClick={() => proposeGroup(dialog, [])}>
                {t('devices.newGroup')}
              </Button>
            )}
            <ButtonLink kind="main" icon="connect" href={href('/connect')}>
              {t('devices.connect')}
            </ButtonLink>
          </>
        )
      }
    >
      {error.value !== undefined && <Failure error={error.value} onRetry={() => void reload()} />}
      {devices.value === undefined && error.value === undefined && <DevicesSkeleton />}
      {devices.value && <Content dialog={dialog} apps={appsByDevice(uses.data.value?.items ?? [])} />}
      {dialog.value && <CurrentDialog dialog={dialog} />}
    </Page>
  )
}

interface ContentProps {
  readonly dialog: Signal<OpenDialog | undefined>
  readonly apps: ReadonlyMap<string, string>
}

function Content({ dialog, apps }: ContentProps) {
  const all = ownPodcastDevices.value ?? []
  const actions = {
    apps,
    onEdit: (device: Device) => {
      dialog.value = { kind: 'edit', device }
    },
    onRemove: (device: Device) => {
      dialog.value = { kind: 'remove', device }
    },
  }
  return (
    <div class="stack">
      {all.length === 0 && (
        <EmptyState title={t('devices.none')} text={t('devices.noneText')}>
          <ButtonLink kind="main" icon="connect" href={href('/connect')}>
            {t('devices.connect')}
          </ButtonLink>
        </EmptyState>
      )}
      {all.length > 1 && <AutoSync />}
      <ul class="device-sets">
        {deviceSets(all, groups.value).map((set) => {
          const ids = set.map(({ id }) => id)
          const [first = ''] = ids
          return (
            <li key={first}>
              <DeviceSetCard
                devices={set}
                isOnly={all.length === 1}
                onSync={() => (set.length > 1 ? openGroup(dialog, ids) : proposeGroup(dialog, ids))}
                {...actions}
              />
            </li>
          )
        })}
      </ul>
      <BrowserList browsers={listeningBrowsers.value} {...actions} />
    </div>
  )
}

/** The switch that keeps all devices in sync, with a preview of its effect. */
function AutoSync() {
  const query = useQuery(async () => {
    await Promise.all([ensureAccountSettings(), ensureSubscriptions()])
  })
  /** Value being saved; undefined otherwise. */
  const next = useSignal<boolean | undefined>(undefined)
  const isOn = autoSync.value?.isOn ?? false

  async function change(isEnabled: boolean): Promise<void> {
    next.value = isEnabled
    await attempt(async () => {
      if (!isEnabled) {
        await setAutoSync(false)
        toast(t('devices.auto.isOff'), { subject: AUTO_SYNC })
        return
      }
      const undo = await enableAutoSync()
      toast(t('devices.auto.isOn'), {
        subject: AUTO_SYNC,
        action: { label: t('common.undo'), run: () => void attempt(undo, AUTO_SYNC) },
      })
    }, AUTO_SYNC)
    next.value = undefined
  }

  if (query.error.value !== undefined) return null
  return (
    <section class="card devices-together" aria-label={t('devices.auto.label')}>
      <Switch
        label={t('devices.auto.label')}
        hint={<AutoSyncHint isOn={isOn} />}
        checked={next.value ?? isOn}
        isBusy={next.value !== undefined || autoSync.value === undefined}
        onChange={change}
      />
    </section>
  )
}

function AutoSyncHint({ isOn }: { isOn: boolean }) {
  const except =
    autoSync.value?.except.filter((id) => ownPodcastDevices.value?.some((device) => device.id === id)) ?? []
  const gaining = (autoSyncGains.value ?? []).filter(({ urls }) => urls.length > 0)
  return (
    <>
      <p>{t('devices.auto.hint')}</p>
      {isOn && except.length > 0 && <p>{t('devices.auto.except', { devices: captionList(except) })}</p>}
      {!isOn && gaining.length > 0 && (
        <MetaLine
          items={gaining.map((gain) => t('sync.gets', { device: captionList(gain.devices), n: gain.urls.length }))}
        />
      )}
    </>
  )
}

function CurrentDialog({ dialog }: { dialog: Signal<OpenDialog | undefined> }) {
  const { value } = dialog
  function close(): void {
    dialog.value = undefined
    // The element that had the focus may have been removed.
    restoreFocus(document.querySelector('h1'))
  }
  if (value?.kind === 'group') return <GroupDialog start={value.edit} ungrouped={value.ungrouped} onClose={close} />
  if (value?.kind === 'edit') return <EditDialog device={value.device} onClose={close} />
  if (value?.kind === 'remove') return <RemoveDialog device={value.device} onClose={close} />
  return null
}

function openGroup(dialog: Signal<OpenDialog | undefined>, ids: readonly string[]): void {
  dialog.value = { kind: 'group', edit: { edited: ids, devices: ids } }
}

/** Opens the dialog for ungrouped devices. It proposes the existing group if there is exactly one, else a new one. */
function proposeGroup(dialog: Signal<OpenDialog | undefined>, ungrouped: readonly string[]): void {
  const [group, ...others] = groups.value
  const hasOneGroup = group && others.length === 0 && ungrouped.length > 0
  const edit = hasOneGroup
    ? { edited: group, devices: sortAsListed([...group, ...ungrouped]) }
    : { edited: [], devices: ungrouped }
  dialog.value = { kind: 'group', edit, ungrouped }
}

/** Reserves the space of a group and a single device. */
function DevicesSkeleton() {
  return (
    <div class="device-sets">
      <Skeleton height="12rem" />
      <Skeleton height="12rem" />
    </div>
  )
}

const TYPES = ['mobile', 'laptop', 'desktop', 'server', 'other'] as const
/** Maximum length of a name in characters (docs/protocol.md#devices). */
const NAME_MAX = 100

interface DeviceDialogProps {
  readonly device: Device
  readonly onClose: () => void
}

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

/** Deletes a device after showing which podcasts would be lost. */
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
