import { devices } from '../../state/subscriptions.ts'
import { language } from '../../text/index.ts'

/** What the person calls a device. */
export function captionOf(id: string): string {
  return devices.value?.find((device) => device.id === id)?.caption ?? id
}

/** “Pixel, Desktop and Laptop”. */
export function listed(ids: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(ids.map(captionOf))
}

/** The same devices, oldest first, as all lists have them. */
export function inOrder(ids: readonly string[]): readonly string[] {
  return (devices.value ?? []).map(({ id }) => id).filter((id) => ids.includes(id))
}
