import type { ComponentChildren } from 'preact'
import { IconButton } from '../../parts/button.tsx'
import { DeviceIcon } from '../../parts/device-icon.tsx'
import type { Device } from '../../state/subscriptions.ts'
import { ago, date, fill, t } from '../../text/index.ts'
import { draggableAs, dragged } from './drag.ts'

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
      <IconButton icon="edit" label={fill(t().devices.edit, { device: caption })} onClick={onEdit} />
      <IconButton icon="trash" label={fill(t().devices.remove, { device: caption })} onClick={onRemove} />
    </div>
  )
}

function LastContact({ at }: { at: string }) {
  if (at === '') return <span>{t().devices.unseen}</span>
  return (
    <time dateTime={`${at}Z`} title={date(at, 'time')}>
      {fill(t().devices.seen, { ago: ago(at) })}
    </time>
  )
}
