import { useEffect } from 'preact/hooks'
import { devices, ensureDevices } from '../store/subscriptions.ts'
import { Icon, type IconName } from './icon.tsx'

const KINDS = ['mobile', 'laptop', 'desktop', 'server'] as const satisfies readonly IconName[]

/** `type` as the server names it. */
export function DeviceIcon({ type }: { type: string }) {
  return <Icon name={KINDS.find((kind) => kind === type) ?? 'other'} />
}

/** A device as people know it: what kind it is, and what they call it. */
export function DeviceName({ device: { caption, type } }: { device: { caption: string; type: string } }) {
  return (
    <span class="named-device">
      <DeviceIcon type={type} />
      <bdi>{caption}</bdi>
    </span>
  )
}

/** What the person calls their devices, by id. Until it is known, and where it cannot be, ids stand for themselves. */
export function useDeviceCaptions(): (id: string) => string {
  const known = devices.value
  useEffect(() => {
    void ensureDevices().catch(() => undefined)
  }, [])
  return (id) => captionOf(id, known)
}

interface Named {
  readonly id: string
  readonly caption: string
}

/** What a person calls a device; its id where it has no name, or is not there any more. */
export function captionOf(id: string, devices: readonly Named[] | undefined): string {
  const caption = devices?.find((device) => device.id === id)?.caption.trim() ?? ''
  return caption === '' ? id : caption
}
