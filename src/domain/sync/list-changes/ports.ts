import type { UserId } from '../../shared/ids.ts'

/** Causes of a change of lists; `auto_sync` and the removal of a device are among them. */
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
  /** The device whose app did it, also if it is gone by now; undefined for what is done to several. */
  readonly device: { readonly uid: string; readonly caption: string } | undefined
  readonly app: string | undefined
  readonly added: ChangedPodcasts
  readonly removed: ChangedPodcasts
  /** Since when there have been devices whose lists a restore would bring back; undefined if there are none. */
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
