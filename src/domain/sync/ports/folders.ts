import type { UserId } from '../../shared/ids.ts'

export interface Folder {
  readonly id: number
  readonly name: string
  /** Feed URLs that the user's devices are subscribed to, including all such addresses of a podcast. */
  readonly podcasts: readonly string[]
}

export interface FolderName {
  readonly name: string
  /** Folded name, unique per user. */
  readonly key: string
}

export interface FolderChange {
  /** Sanitised feed URLs; `add` and `remove` are folder IDs. */
  readonly podcasts: readonly string[]
  readonly add: readonly number[]
  readonly remove: readonly number[]
}

export interface FolderStore {
  /** Sorted by key. */
  list(userId: UserId): Promise<Folder[]>
  /** Returns the ID of the folder with this key, which is created if missing. Rejects with `quota_exceeded`. */
  ensure(userId: UserId, name: FolderName): Promise<number>
  /** Rejects with `not_found`, `validation_failed` if another folder has the key. */
  rename(userId: UserId, id: number, name: FolderName): Promise<void>
  /** Rejects with `not_found`. */
  remove(userId: UserId, id: number): Promise<void>
  /** Adds podcasts that the user has or had, and skips others. Returns how many were new. Rejects with `not_found`. */
  fill(userId: UserId, id: number, podcasts: readonly string[]): Promise<number>
  /** Rejects with `not_found`, `quota_exceeded`; `unknown_podcast` if the user has never had one of the podcasts. */
  assign(userId: UserId, change: FolderChange): Promise<void>
}
