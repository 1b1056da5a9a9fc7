import type { UserId } from '../../shared/ids.ts'

/** Cause of a change. `join` is a device that joins by `auto_sync`; `device` is the removal of a device. */
export type ListChangeKind = 'upload' | 'replace' | 'sync' | 'join' | 'exchange' | 'import' | 'restore' | 'device'

export interface ChangedPodcast {
  readonly url: string
  readonly title: string
}

export interface ChangedPodcasts {
  readonly count: number
  readonly first: readonly ChangedPodcast[]
}

export interface ListChange {
  readonly id: number
  readonly at: number
  readonly kind: ListChangeKind
  /** Device whose app made the change, even if removed since; undefined for a change of several devices. */
  readonly device: { readonly uid: string; readonly caption: string } | undefined
  readonly app: string | undefined
  readonly added: ChangedPodcasts
  readonly removed: ChangedPodcasts
  /** Creation time of the oldest device whose list a restore would change; undefined without such a device. */
  readonly devicesSince: number | undefined
}

export interface ListChangePage {
  readonly items: readonly ListChange[]
  readonly hasMore: boolean
  readonly start: number
}

export interface RestoreRequest {
  readonly uid: string | undefined
  readonly time: number
}

export interface Restored {
  readonly devices: string[]
  readonly clock: number
}

export interface UserHistory {
  readonly userId: UserId
  readonly at: number
}

export interface ListChangeStore {
  list(userId: UserId, query: { readonly before: number | undefined; readonly limit: number }): Promise<ListChangePage>
  /** Rejects with `unknown_device`, `validation_failed` for an unknown time, `quota_exceeded`. */
  restore(
    userId: UserId,
    request: RestoreRequest,
    context: { readonly at: number; readonly app: string | undefined },
  ): Promise<Restored>
  oldest(after: UserId | 0, limit: number): Promise<UserHistory[]>
  forget(userId: UserId, before: number, limit: number): Promise<number>
}
