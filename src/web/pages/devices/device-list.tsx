import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { captionList, DeviceIcon } from '../../components/device.tsx'
import { Button } from '../../components/forms/button.tsx'
import { ago, date, t } from '../../locales/index.ts'
import { type Device, devices } from '../../store/subscriptions.ts'

interface DeviceRowProps {
  readonly device: Device
  readonly onEdit: () => void
  readonly onRemove: () => void
  /** Shown before the time it was last seen. */
  readonly children?: ComponentChildren
}

/** A device: its name, when it was last seen, and its actions. */
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
          <LastSeen at={device.last_contact} />
        </p>
      </div>
      <Button kind="quiet" icon="edit" label={t('devices.edit', { device: caption })} onClick={onEdit} />
      <Button kind="quiet" icon="trash" label={t('devices.remove', { device: caption })} onClick={onRemove} />
    </div>
  )
}

function LastSeen({ at }: { at: string }) {
  if (at === '') return <span>{t('devices.unseen')}</span>
  return (
    <time dateTime={`${at}Z`} title={date(at, 'time')}>
      {t('devices.seen', { ago: ago(at) })}
    </time>
  )
}

interface GroupCardProps {
  /** The IDs of its devices. */
  readonly group: readonly string[]
  readonly onChange: () => void
  readonly onDrop: (device: string) => (() => void) | undefined
  readonly onEdit: (device: Device) => void
  readonly onRemove: (device: Device) => void
}

export function GroupCard({ group, onChange, onDrop, onEdit, onRemove }: GroupCardProps) {
  const grouped = (devices.value ?? []).filter(({ id }) => group.includes(id))
  const podcasts = Math.max(0, ...grouped.map(({ subscriptions }) => subscriptions))
  return (
    <section
      class="card group device-card"
      aria-label={t('devices.groupOf', { devices: captionList(group) })}
      {...dropOn(group.join(' '), onDrop)}
    >
      <h3>
        {t('common.podcasts', { n: podcasts })}
        <span class="muted"> · {t('common.devices', { n: grouped.length })}</span>
      </h3>
      <ul class="group-devices">
        {grouped.map((device) => (
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

/** The ID of the device that is being dragged. */
const dragged = signal<string | undefined>(undefined)

/** The drop target that the pointer is over. */
const over = signal<string | undefined>(undefined)

/** Attributes of a device that can be dragged. Buttons do the same for keyboards. */
function draggableAs(id: string, caption: string) {
  return {
    draggable: true,
    onDragStart({ dataTransfer }: DragEvent) {
      dragged.value = id
      if (!dataTransfer) return
      dataTransfer.effectAllowed = 'move'
      // Some browsers need data to start dragging.
      dataTransfer.setData('text/plain', caption)
    },
    onDragEnd: endDrag,
  }
}

/** Attributes of a drop target. `drop` returns what dropping a device would do; undefined if it cannot be dropped. */
export function dropOn(target: string, drop: ((device: string) => (() => void) | undefined) | undefined) {
  const action = dragged.value === undefined ? undefined : drop?.(dragged.value)
  return {
    'data-drop': action === undefined ? undefined : over.value === target ? 'over' : 'open',
    onDragOver(event: DragEvent) {
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      over.value = target
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      const isInside =
        currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside && over.value === target) over.value = undefined
    },
    onDrop(event: DragEvent) {
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      endDrag()
      action()
    },
  }
}

function endDrag(): void {
  dragged.value = undefined
  over.value = undefined
}
