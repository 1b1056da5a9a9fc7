import type { UserId } from './ids.ts'

/*
 * What of an account is too much to be held in memory at once, or is shown nowhere else. As in ports.ts, times are whole Unix seconds. Lists
 * come in chunks that are read as they are asked for, so that what is changed meanwhile may be in them or not.
 */

export interface FeedChange {
  readonly url: string
  /** Logical time. */
  readonly seq: number
}

export interface StoredSettings {
  readonly scope: 'account' | 'device' | 'podcast' | 'episode'
  /** As in `SettingsKey`. */
  readonly target: string
  /** A JSON object. */
  readonly value: string
}

/** What the user calls a podcast whose feed has not said a title. */
export interface StoredTitle {
  /** Feed URL. */
  readonly podcast: string
  readonly title: string
}

export interface ExportStore {
  /** Rejects with `unauthorized` when the user is gone. */
  createdAt(userId: UserId): Promise<number>
  /** The feeds a device has, or those that it had, in the order of getting or leaving them. */
  feeds(userId: UserId, uid: string, isSubscribed: boolean): Iterable<readonly FeedChange[]>
  settings(userId: UserId): Iterable<readonly StoredSettings[]>
  titles(userId: UserId): Iterable<readonly StoredTitle[]>
}
