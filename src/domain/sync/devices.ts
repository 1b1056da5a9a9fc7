import type { Clock } from '../../platform/clock.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { invalid } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { LastSeen } from './last-seen.ts'
import type { Device, DeviceStore, DeviceType } from './ports.ts'

const CAPTION_MAX = 100
const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

export type Devices = ReturnType<typeof createDevices>

export function createDevices(store: DeviceStore, lastSeen: LastSeen, clock: Clock) {
  return {
    /** Oldest first. */
    async list(userId: UserId): Promise<Device[]> {
      const devices = await store.list(userId)
      return devices.map((device) => ({
        ...device,
        lastSeenAt: lastSeen.latest(userId, device.uid) ?? device.lastSeenAt,
      }))
    },

    /** Creates the device or changes what is given (docs/protocol.md#devices). Throws `validation_failed`. */
    update: async (
      userId: UserId,
      device: string,
      { caption, type }: { caption?: string | undefined; type?: string | undefined },
    ): Promise<void> =>
      store.upsert(
        userId,
        parseDeviceId(device),
        { caption: captionFrom(caption), type: typeFrom(type) },
        clock.seconds(),
      ),
    /** Throws `unknown_device`. */
    async remove(userId: UserId, device: string): Promise<void> {
      await store.remove(userId, parseDeviceId(device))
      lastSeen.forget(userId, device)
    },
  }
}

function captionFrom(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined
  const caption = raw.trim()
  if (caption === '') throw invalid('caption', 'caption must not be empty')
  return Array.from(caption).slice(0, CAPTION_MAX).join('').toWellFormed()
}

function typeFrom(raw: string | undefined): DeviceType | undefined {
  if (raw === undefined) return undefined
  // mygpoclient raises when it reads this type in the list, so it is never stored (docs/protocol.md#D30).
  if (raw === 'tablet') return 'mobile'
  if (!isDeviceType(raw)) throw invalid('type', `type must be one of ${[...TYPES].join(', ')}`)
  return raw
}

function isDeviceType(text: string): text is DeviceType {
  return TYPES.has(text)
}
