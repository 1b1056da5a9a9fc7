import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { DeviceIcon } from '../../components/device.tsx'
import { Button, IconButton } from '../../components/forms/button.tsx'
import { ago, date } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import { type Device, devices } from '../../store/subscriptions.ts'
import { captionList } from './groups.ts'

interface DeviceRowProps {
  readonly device: Device
  readonly onEdit: () => void
  readonly onRemove: () => void
  /** Before what it says of the last contact. */
  readonly children?: ComponentChildren
}

/** What a device is called, when it was here, and what can be done with it. */
export function DeviceRow({ device, onEdit, onRemove, children }: DeviceRowProps) {
  const { id, caption, type } = device
  return (
    <div class="device" data-dragged={dragged.value === id} {...draggableAs(id, caption)}>
      <span class="device-icon">
        <DeviceIcon type={type} />
      </span>
      <div class="device-text">
        <p class="device-name">
          <bdi>{caption}</bdi>
        </p>
        <p class="muted small device-facts">
          {children}
          <LastContact at={device.last_contact} />
        </p>
      </div>
      <IconButton icon="edit" label={t('devices.edit', { device: caption })} onClick={onEdit} />
      <IconButton icon="trash" label={t('devices.remove', { device: caption })} onClick={onRemove} />
    </div>
  )
}

function LastContact({ at }: { at: string }) {
  if (at === '') return <span>{t('devices.unseen')}</span>
  return (
    <time dateTime={`${at}Z`} title={date(at, 'time')}>
      {t('devices.seen', { ago: ago(at) })}
    </time>
  )
}

interface GroupCardProps {
  /** IDs of its devices. */
  readonly group: readonly string[]
  readonly onChange: () => void
  readonly onDrop: (device: string) => (() => void) | undefined
  readonly onEdit: (device: Device) => void
  readonly onRemove: (device: Device) => void
}

/** Devices that share a list, on one line. */
export function GroupCard({ group, onChange, onDrop, onEdit, onRemove }: GroupCardProps) {
  const members = (devices.value ?? []).filter(({ id }) => group.includes(id))
  const podcasts = Math.max(0, ...members.map(({ subscriptions }) => subscriptions))
  return (
    <section
      class="card group device-card"
      aria-label={t('devices.groupOf', { devices: captionList(group) })}
      {...dropOn(group.join(' '), onDrop)}
    >
      <h3>
        {t('common.podcasts', { n: podcasts })}
        <span class="muted"> · {t('common.devices', { n: members.length })}</span>
      </h3>
      <ul class="group-members">
        {members.map((device) => (
          <li key={device.id}>
            <DeviceRow device={device} onEdit={() => onEdit(device)} onRemove={() => onRemove(device)} />
          </li>
        ))}
      </ul>
      <Button kind="quiet" onClick={onChange}>
        {t('devices.changeGroup')}
      </Button>
    </section>
  )
}

/** The device in the hand, by its ID. */
const dragged = signal<string | undefined>(undefined)

/** The place the hand is over. */
const over = signal<string | undefined>(undefined)

interface Handlers {
  readonly draggable: boolean
  onDragStart(event: DragEvent): void
  onDragEnd(): void
}

/** Makes a device something to drag. There are buttons for the same. */
function draggableAs(id: string, caption: string): Handlers {
  return {
    draggable: true,
    onDragStart({ dataTransfer }) {
      dragged.value = id
      if (!dataTransfer) return
      dataTransfer.effectAllowed = 'move'
      // Some browsers drag nothing that has no data.
      dataTransfer.setData('text/plain', caption)
    },
    onDragEnd: letGo,
  }
}

/** Makes a place one to drop devices on; `drop` says what would come of it, and is undefined where nothing would. */
export function dropOn(place: string, drop: ((device: string) => (() => void) | undefined) | undefined) {
  const outcome = dragged.value === undefined ? undefined : drop?.(dragged.value)
  return {
    'data-drop': outcome === undefined ? undefined : over.value === place ? 'over' : 'open',
    onDragOver(event: DragEvent) {
      if (!outcome) return
      event.preventDefault()
      event.stopPropagation()
      over.value = place
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      const isInside =
        currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside && over.value === place) over.value = undefined
    },
    onDrop(event: DragEvent) {
      if (!outcome) return
      event.preventDefault()
      event.stopPropagation()
      letGo()
      outcome()
    },
  }
}

function letGo(): void {
  dragged.value = undefined
  over.value = undefined
}
