import { Button } from '../../parts/button.tsx'
import { type Device, devices } from '../../state/subscriptions.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import { DeviceRow } from './device-row.tsx'
import { dropOn } from './drag.ts'
import { listed } from './names.ts'

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
  const texts = t().devices
  const members = (devices.value ?? []).filter(({ id }) => group.includes(id))
  const podcasts = Math.max(0, ...members.map(({ subscriptions }) => subscriptions))
  return (
    <section
      class="card group device-card"
      aria-label={fill(texts.groupOf, { devices: listed(group) })}
      {...dropOn(group.join(' '), onDrop)}
    >
      <h3>
        {plural(t().common.podcasts, podcasts, language.value)}
        <span class="muted"> · {plural(t().common.devices, members.length, language.value)}</span>
      </h3>
      <ul class="group-members">
        {members.map((device) => (
          <li key={device.id}>
            <DeviceRow device={device} onEdit={() => onEdit(device)} onRemove={() => onRemove(device)} />
          </li>
        ))}
      </ul>
      <Button kind="quiet" onClick={onChange}>
        {texts.changeGroup}
      </Button>
    </section>
  )
}
