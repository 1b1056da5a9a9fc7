import { useEffect } from 'preact/hooks'
import { language, number } from '../locales/index.ts'
import { devices, ensureDevices } from '../store/subscriptions.ts'
import { Icon, type IconName } from './icon.tsx'

const KINDS = ['mobile', 'laptop', 'desktop', 'server'] as const satisfies readonly IconName[]

/** Icon for a device type of the API, or a generic one for unknown types. */
export function DeviceIcon({ type }: { type: string }) {
  return <Icon name={KINDS.find((kind) => kind === type) ?? 'other'} />
}

export function DeviceName({ device: { id, type } }: { device: { id: string; type: string } }) {
  return (
    <span class="named-device">
      <DeviceIcon type={type} />
      <bdi>{captionOf(id, devices.value)}</bdi>
    </span>
  )
}

/** Returns a function that maps device IDs to names. It returns the ID while names are loading or if that fails. */
export function useDeviceCaptions(): (id: string) => string {
  const loaded = devices.value
  useEffect(() => {
    void ensureDevices().catch(() => undefined)
  }, [])
  return (id) => captionOf(id, loaded)
}

/**
 * Returns the name of a device, numbered if an earlier device has the same name. Returns the ID if the device has no
 * name or no longer exists.
 */
export function captionOf(id: string, devices: readonly { id: string; caption: string }[] | undefined): string {
  const caption = devices?.find((device) => device.id === id)?.caption.trim() ?? ''
  if (caption === '') return id
  const place = devices?.filter((device) => device.caption.trim() === caption).findIndex((device) => device.id === id)
  return place ? `${caption} (${number(place + 1)})` : caption
}

/** Returns the names of devices as a list for a sentence: “Pixel, Desktop and Laptop”. */
export function captionList(ids: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(
    ids.map((id) => captionOf(id, devices.value)),
  )
}
