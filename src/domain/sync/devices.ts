import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { invalid, isUnavailable } from '../shared/errors.ts'
import type { Hint, Hints } from '../shared/hints.ts'
import type { UserId } from '../shared/ids.ts'
import type { Device, DeviceLastSeen, DeviceStore, DeviceType } from './ports/devices.ts'
import type { ByApp } from './ports/written.ts'

const CAPTION_MAX = 100
const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

/** Stands for all apps that use the Nextcloud API (docs/protocol.md#D61). */
export const NEXTCLOUD_DEVICE = 'gpoddersync'

export function defaultCaption(uid: string): string {
  return uid === NEXTCLOUD_DEVICE ? 'Nextcloud apps' : uid
}

export type Devices = ReturnType<typeof createDevices>

export function createDevices(store: DeviceStore, lastSeen: LastSeen, clock: Clock) {
  return {
    async list(userId: UserId): Promise<Device[]> {
      const devices = await store.list(userId)
      return devices.map((device) => ({
        ...device,
        lastSeenAt: lastSeen.latest(userId, device.uid) ?? device.lastSeenAt,
      }))
    },

    /** Creates the device, or changes the given fields (docs/protocol.md#devices). Throws `validation_failed`. */
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
    async remove(userId: UserId, device: string, by?: ByApp): Promise<void> {
      await store.remove(userId, parseDeviceId(device), clock.seconds(), by)
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

/**
 * Devices waiting to be saved. Enough for a few thousand users in the five minutes between two saves; a client that
 * makes up device names fills it sooner and causes an early save.
 */
const WAITING_MAX = 10_000

/** Devices in one job, which takes a few milliseconds. */
const SAVED_AT_ONCE = 1000

const DEVICES: Hint = { topic: 'devices' }

export type LastSeen = ReturnType<typeof createLastSeen>

/** Times when apps last used each device. Kept in memory and saved every few minutes, since reads must not write. */
export function createLastSeen(store: DeviceStore, clock: Clock, background: Background, hints: Hints) {
  let waiting = new Map<string, DeviceLastSeen>()
  let beingSaved = new Map<string, DeviceLastSeen>()
  let saving: Promise<void> | undefined

  async function saveWaiting(): Promise<void> {
    if (waiting.size === 0) return
    beingSaved = waiting
    waiting = new Map()
    try {
      while (beingSaved.size > 0) {
        const entries = beingSaved.entries().take(SAVED_AT_ONCE).toArray()
        await store.noteLastSeen(entries.map(([, device]) => device))
        for (const [key] of entries) beingSaved.delete(key)
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (beingSaved.size + waiting.size < WAITING_MAX) waiting = new Map([...beingSaved, ...waiting])
    } finally {
      beingSaved = new Map()
    }
  }

  function save(): Promise<void> {
    saving ??= saveWaiting().finally(() => {
      saving = undefined
    })
    return saving
  }

  return {
    note(userId: UserId, device: string): void {
      waiting.set(keyOf(userId, device), { userId, uid: device, at: clock.seconds() })
      // The request may have created the device, which other windows do not show yet.
      hints.publish(userId, DEVICES)
      if (waiting.size >= WAITING_MAX) background.run(save)
    },

    /** Unix seconds; undefined if the stored time is the latest. */
    latest(userId: UserId, device: string): number | undefined {
      const key = keyOf(userId, device)
      return (waiting.get(key) ?? beingSaved.get(key))?.at
    },

    forget(userId: UserId, device: string): void {
      const key = keyOf(userId, device)
      waiting.delete(key)
      beingSaved.delete(key)
    },

    save,

    jobs: [{ name: 'last seen', pattern: '*/5 * * * *', run: save }],

    stop: (): void => background.run(save),
  }
}

function keyOf(userId: UserId, device: string): string {
  return `${userId} ${device}`
}
