import type { UserId } from '../../shared/ids.ts'
import type { ByApp } from './written.ts'

export type DeviceType = 'mobile' | 'laptop' | 'desktop' | 'server' | 'other'

export interface Device {
  readonly uid: string
  readonly caption: string
  readonly type: DeviceType
  readonly subscriptions: number
  readonly lastSeenAt: number | undefined
}

export interface DeviceLastSeen {
  readonly userId: UserId
  readonly uid: string
  readonly at: number
}

export interface DeviceStore {
  list(userId: UserId): Promise<Device[]>
  upsert(
    userId: UserId,
    uid: string,
    change: { caption?: string | undefined; type?: DeviceType | undefined },
    at: number,
  ): Promise<void>
  /** Removes the device with its subscriptions; a group of one device dissolves. Rejects with `unknown_device`. */
  remove(userId: UserId, uid: string, at: number, by?: ByApp): Promise<void>
  /** Skips unknown devices. A power cut may undo it. */
  noteLastSeen(lastSeen: readonly DeviceLastSeen[]): Promise<void>
  /** Keeps webhooks from announcing an imported device. */
  forgetDeviceNews(userId: UserId, uid: string): Promise<void>
}

export interface SyncStatus {
  readonly synchronized: string[][]
  readonly notSynchronized: string[]
}

export interface SyncGroupStore {
  status(userId: UserId): Promise<SyncStatus>
  /** Joins, merges and leaves in one transaction (docs/protocol.md#sync-groups), or rejects with `unknown_device`. */
  regroup(
    userId: UserId,
    request: { synchronize: readonly (readonly string[])[]; stop: readonly string[] },
    at: number,
    by?: ByApp,
  ): Promise<SyncStatus>
}
