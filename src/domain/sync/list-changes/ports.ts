import type { UserId } from '../../shared/ids.ts'

/**
 * Why lists have changed: an upload of changes, a whole list, a sync group, a device that joined the others by itself (`auto_sync`), an address in the
 * place of another, an import, a restore, the removal of a device.
 */
export type ListChangeKind = 'upload' | 'replace' | 'sync' | 'join' | 'exchange' | 'import' | 'restore' | 'device'

export interface ChangedPodcast {
  readonly url: string
  readonly title: string
}

/** How many podcasts, and the first few of them. */
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
  /** Newest first. */
  readonly items: readonly ListChange[]
  /** Whether there are older ones. */
  readonly hasMore: boolean
  /** Since when all changes are known. */
  readonly start: number
}

export interface RestoreRequest {
  /** Undefined for all devices. */
  readonly uid: string | undefined
  /** Changes after this second are taken back. */
  readonly time: number
}

export interface Restored {
  /** Those whose lists have changed, oldest first. */
  readonly devices: string[]
  /** The logical clock; unchanged if nothing had to change. */
  readonly clock: number
}

export interface UserHistory {
  readonly userId: UserId
  /** Of the oldest change that is kept. */
  readonly at: number
}

export interface ListChangeStore {
  /** Those before `before`, if given, at most `limit`. Rejects with `unauthorized` when the user is gone. */
  list(userId: UserId, query: { readonly before: number | undefined; readonly limit: number }): Promise<ListChangePage>
  /**
   * Brings lists back to what they were. Rejects with `unknown_device`, with `validation_failed` for a time of which nothing is known, and with
   * `quota_exceeded`.
   */
  restore(
    userId: UserId,
    request: RestoreRequest,
    context: { readonly at: number; readonly app: string | undefined },
  ): Promise<Restored>
  /** The users after this one that have any, in their order. */
  oldest(after: UserId | 0, limit: number): Promise<UserHistory[]>
  /** Forgets changes of a user from before that time; tells how many, which are no more than the limit. */
  forget(userId: UserId, before: number, limit: number): Promise<number>
}
