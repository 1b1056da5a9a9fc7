import type { UserId } from '../../shared/ids.ts'

export interface Folder {
  readonly id: number
  readonly name: string
  /** Feed URLs that the user's devices are subscribed to; all of a podcast that has several addresses. */
  readonly podcasts: readonly string[]
}

export interface FolderName {
  readonly name: string
  /** The folded name, by which folders of a user differ. */
  readonly key: string
}

export interface FolderChange {
  /** Feed URLs, sanitised. */
  readonly podcasts: readonly string[]
  /** IDs of folders. */
  readonly add: readonly number[]
  readonly remove: readonly number[]
}

export interface FolderStore {
  /** In the order of their keys. */
  list(userId: UserId): Promise<Folder[]>
  /** Returns the folder with this key, which is made if there is none. Rejects with `quota_exceeded`. */
  ensure(userId: UserId, name: FolderName): Promise<number>
  /** Rejects with `not_found`, `validation_failed` if another folder has the key. */
  rename(userId: UserId, id: number, name: FolderName): Promise<void>
  /** Rejects with `not_found`. */
  remove(userId: UserId, id: number): Promise<void>
  /** Puts podcasts that the user has or had into a folder, and leaves out others. Returns how many were not in it. */
  fill(userId: UserId, id: number, podcasts: readonly string[]): Promise<number>
  /** Rejects with `not_found`; with `unknown_podcast` if the user has never had one of the podcasts. */
  assign(userId: UserId, change: FolderChange): Promise<void>
}
