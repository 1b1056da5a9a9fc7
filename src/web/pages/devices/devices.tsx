import { type Signal, useSignal } from '@preact/signals'
import { EmptyState, Failure } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Page } from '../../components/layout/page.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { type Device, devices, groups, loadDevices } from '../../store/subscriptions.ts'
import { EditDialog, RemoveDialog } from './device-dialogs.tsx'
import { DeviceRow, dropOn, GroupCard } from './device-list.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { type GroupEdit, inDeviceOrder, joinGroup, leaveGroup } from './groups.ts'

/** What is asked at the moment. */
type Question =
  | { readonly kind: 'group'; readonly wish: GroupEdit; readonly seeking?: readonly string[] }
  | { readonly kind: 'edit' | 'remove'; readonly device: Device }

/** Devices by sync group; groups are made by ticking devices or by dragging them together. */
export default function Devices() {
  const { error, reload } = useQuery(loadDevices)
  const question = useSignal<Question | undefined>(undefined)
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
              <Button kind="main" icon="plus" onClick={() => seekGroup(question, [])}>
                {t('devices.newGroup')}
              </Button>
            )}
          </>
        )
      }
    >
      {error.value !== undefined && <Failure error={error.value} onRetry={() => void reload()} />}
      {devices.value === undefined && error.value === undefined && <DevicesSkeleton />}
      {devices.value && <Content question={question} />}
      {question.value && <Answering question={question} />}
    </Page>
  )
}

function Content({ question }: { question: Signal<Question | undefined> }) {
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
      question.value = { kind: 'edit', device }
    },
    onRemove: (device: Device) => {
      question.value = { kind: 'remove', device }
    },
  }
  const joining = (target: string) => (device: string) => asking(question, joinGroup(groups.value, device, target))
  return (
    <div class={all.length > 1 ? 'devices devices-many' : 'devices'}>
      {all.length > 1 && <p class="muted small devices-hint">{t('devices.dragHint')}</p>}
      {all.length > 1 && (
        <section class="stack" aria-labelledby="groups">
          <h2 id="groups">{t('devices.groups')}</h2>
          {groups.value.length === 0 && <p class="devices-none">{t('devices.groupsNone')}</p>}
          <div class="devices-list">
            {groups.value.map((group) => (
              <GroupCard
                key={group.join(' ')}
                group={group}
                onChange={() => ask(question, { edited: group, devices: group })}
                onDrop={joining(group[0] ?? '')}
                {...actions}
              />
            ))}
          </div>
        </section>
      )}
      <section
        class="stack devices-alone"
        {...(all.length > 1 && { 'aria-labelledby': 'alone' })}
        {...dropOn('alone', (device) => asking(question, leaveGroup(groups.value, device)))}
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
                <Button kind="quiet" onClick={() => seekGroup(question, [device.id])}>
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

function Answering({ question }: { question: Signal<Question | undefined> }) {
  const { value } = question
  function close(): void {
    question.value = undefined
    // What the question was asked from may be gone.
    restoreFocus(document.querySelector('h1'))
  }
  if (value?.kind === 'group') return <GroupDialog start={value.wish} seeking={value.seeking} onClose={close} />
  if (value?.kind === 'edit') return <EditDialog device={value.device} onClose={close} />
  if (value?.kind === 'remove') return <RemoveDialog device={value.device} onClose={close} />
  return null
}

function ask(question: Signal<Question | undefined>, wish: GroupEdit): void {
  question.value = { kind: 'group', wish }
}

/** For devices that are in no group: into the one there is, else into a new one. */
function seekGroup(question: Signal<Question | undefined>, seeking: readonly string[]): void {
  const [group, ...others] = groups.value
  const isPlain = group && others.length === 0 && seeking.length > 0
  const wish = isPlain
    ? { edited: group, devices: inDeviceOrder([...group, ...seeking]) }
    : { edited: [], devices: seeking }
  question.value = { kind: 'group', wish, seeking }
}

function asking(question: Signal<Question | undefined>, wish: GroupEdit | undefined): (() => void) | undefined {
  return wish && (() => ask(question, wish))
}

/** As high as a group of two and a device by itself. */
function DevicesSkeleton() {
  return (
    <div class="devices devices-many">
      <Skeleton height="15rem" />
      <Skeleton height="15rem" />
    </div>
  )
}
