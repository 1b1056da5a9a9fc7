import type { Clock } from '../../platform/clock.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { invalid } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { LastSeen } from './last-seen.ts'
import type { Device, DeviceStore, DeviceType } from './ports.ts'

const CAPTION_MAX = 100
const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

export interface Devices {
  /** Oldest first. */
  list(userId: UserId): Promise<Device[]>
  /** Creates the device or changes what is given (docs/protocol.md#devices). Throws `validation_failed`. */
  update(
    userId: UserId,
    device: string,
    change: { caption?: string | undefined; type?: string | undefined },
  ): Promise<void>
  /** Throws `unknown_device`. */
  remove(userId: UserId, device: string): Promise<void>
}

export function createDevices(store: DeviceStore, lastSeen: LastSeen, clock: Clock): Devices {
  return {
    async list(userId) {
      const devices = await store.list(userId)
      return devices.map((device) => ({
        ...device,
        lastSeenAt: lastSeen.latest(userId, device.uid) ?? device.lastSeenAt,
      }))
    },

    update: async (userId, device, { caption, type }) =>
      store.upsert(
        userId,
        parseDeviceId(device),
        { caption: captionFrom(caption), type: typeFrom(type) },
        clock.seconds(),
      ),
    async remove(userId, device) {
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
