import type { UserId } from '../../shared/ids.ts'
import type { Chapter } from './chapters.ts'
import type { EpisodeAction } from './episode-actions.ts'
import type { SettingsKey } from './settings.ts'

/* Parts of an account that are too large for memory or shown nowhere else, in pages. */

export interface FeedChange {
  readonly url: string
  readonly seq: number
}

export interface StoredSettings extends SettingsKey {
  readonly value: string
}

export interface StoredFavorite {
  readonly target: string
  readonly at: number
}

export interface StoredQueued {
  readonly podcast: string
  readonly episode: string
}

export interface StoredFolder {
  readonly name: string
  /** Feed URLs of podcasts that the user has or had. */
  readonly podcasts: readonly string[]
}

export interface StoredList {
  readonly name: string
  readonly title: string
  readonly urls: readonly string[]
}

export interface StoredChapter extends Chapter {
  readonly target: string
}

export interface StoredTitle {
  readonly podcast: string
  readonly title: string
}

export interface EpisodeTitles {
  readonly podcast: string
  readonly episode: string
}

export interface ExportStore {
  /** Rejects with `unauthorized` if the user was deleted. */
  createdAt(userId: UserId): Promise<number>
  feeds(userId: UserId, uid: string, isSubscribed: boolean): AsyncIterable<readonly FeedChange[]>
  /** Addresses of podcasts that a device has replaced by others (docs/protocol.md#D83). */
  replacedAddresses(userId: UserId, uid: string): AsyncIterable<readonly string[]>
  settings(userId: UserId): AsyncIterable<readonly StoredSettings[]>
  titlesOf(userId: UserId, episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode'>[]): Promise<EpisodeTitles[]>
  favorites(userId: UserId): AsyncIterable<readonly StoredFavorite[]>
  folders(userId: UserId): Promise<readonly StoredFolder[]>
  /** In queue order. */
  queue(userId: UserId): Promise<readonly StoredQueued[]>
  titles(userId: UserId): AsyncIterable<readonly StoredTitle[]>
  lists(userId: UserId): AsyncIterable<readonly StoredList[]>
  chapters(userId: UserId): AsyncIterable<readonly StoredChapter[]>
  webhook(userId: UserId): Promise<StoredWebhook | undefined>
}

/** Parts of a webhook that an export may contain. The full URL may hold a secret. */
export interface StoredWebhook {
  readonly origin: string
  readonly format: string
  readonly events: readonly string[]
}
