import { useEffect } from 'preact/hooks'
import { language, number } from '../locales/index.ts'
import { devices, ensureDevices } from '../store/subscriptions.ts'
import { Icon, type IconName } from './icon.tsx'

const KINDS = ['mobile', 'laptop', 'desktop', 'server'] as const satisfies readonly IconName[]

/** The icon for a device type of the API. */
export function DeviceIcon({ type }: { type: string }) {
  return <Icon name={KINDS.find((kind) => kind === type) ?? 'other'} />
}

/** A device with its icon and its name. */
export function DeviceName({ device: { id, type } }: { device: { id: string; type: string } }) {
  return (
    <span class="named-device">
      <DeviceIcon type={type} />
      <bdi>{captionOf(id, devices.value)}</bdi>
    </span>
  )
}

/** Returns a function that names a device by its ID. Until names are loaded, and if that fails, it returns the ID. */
export function useDeviceCaptions(): (id: string) => string {
  const loaded = devices.value
  useEffect(() => {
    void ensureDevices().catch(() => undefined)
  }, [])
  return (id) => captionOf(id, loaded)
}

/**
 * The name of a device, with a number if an earlier one has the same; its ID if it has no name or does not exist any
 * more.
 */
export function captionOf(id: string, devices: readonly { id: string; caption: string }[] | undefined): string {
  const caption = devices?.find((device) => device.id === id)?.caption.trim() ?? ''
  if (caption === '') return id
  const place = devices?.filter((device) => device.caption.trim() === caption).findIndex((device) => device.id === id)
  return place ? `${caption} (${number(place + 1)})` : caption
}

/** The names of devices as a sentence part: “Pixel, Desktop and Laptop”. */
export function captionList(ids: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(
    ids.map((id) => captionOf(id, devices.value)),
  )
}
