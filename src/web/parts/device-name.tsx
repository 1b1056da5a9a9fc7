import { DeviceIcon } from './device-icon.tsx'

/** A device as people know it: what kind it is, and what they call it. */
export function DeviceName({ device: { caption, type } }: { device: { caption: string; type: string } }) {
  return (
    <span class="named-device">
      <DeviceIcon type={type} />
      <bdi>{caption}</bdi>
    </span>
  )
}
