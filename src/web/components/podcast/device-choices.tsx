import type { Signal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { type Device, deviceSets, groups } from '../../store/subscriptions.ts'
import { DeviceName } from '../device.tsx'
import { Checkbox } from '../forms/choice.tsx'

interface DeviceChoicesProps {
  readonly devices: readonly Device[]
  /** IDs of the chosen devices. */
  readonly selected: Signal<ReadonlySet<string>>
}

/** Checkboxes for devices. The devices of a sync group share one. */
export function DeviceChoices({ devices, selected }: DeviceChoicesProps) {
  function choose(set: readonly Device[], isWanted: boolean): void {
    const ids = new Set(set.map(({ id }) => id))
    selected.value = isWanted ? selected.value.union(ids) : selected.value.difference(ids)
  }

  return (
    <ul class="device-choices framed">
      {deviceSets(devices, groups.value).map((set) => (
        <li key={set[0]?.id}>
          <Checkbox
            label={<DeviceSet devices={set} />}
            checked={set.some(({ id }) => selected.value.has(id))}
            onChange={(isWanted) => choose(set, isWanted)}
          />
        </li>
      ))}
    </ul>
  )
}

function DeviceSet({ devices: set }: { devices: readonly Device[] }) {
  return (
    <span class="media-text">
      <span class="row">
        {set.map((device) => (
          <DeviceName key={device.id} device={device} />
        ))}
      </span>
      {set.length > 1 && <span class="muted small">{t('subscribe.shared')}</span>}
    </span>
  )
}
