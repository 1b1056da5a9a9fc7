import { useEffect } from 'preact/hooks'
import { captionOf } from '../state/device-caption.ts'
import { devices, knowDevices } from '../state/subscriptions.ts'

/** What the person calls their devices, by id. Until it is known, and where it cannot be, ids stand for themselves. */
export function useDeviceCaptions(): (id: string) => string {
  const known = devices.value
  useEffect(() => {
    void knowDevices().catch(() => undefined)
  }, [])
  return (id) => captionOf(id, known)
}
