import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'

export interface PodcastListHead {
  readonly name: string
  readonly title: string
}

export interface OwnedPodcastList extends PodcastListHead {
  readonly owner: string
}

/** Feed URLs are sanitized and distinct. Writes reject with `quota_exceeded`. */
export interface PodcastListStore {
  list(username: string): Promise<OwnedPodcastList[]>
  /** Omits podcasts hidden from the reader (docs/protocol.md#D57). Undefined if the list does not exist. */
  read(
    username: string,
    name: string,
    reader: UserId | undefined,
  ): Promise<{ readonly title: string; readonly podcasts: readonly PodcastObject[] } | undefined>
  /** Rejects with `list_exists`. */
  create(userId: UserId, list: PodcastListHead & { readonly urls: readonly string[] }, at: number): Promise<void>
  /** Rejects with `not_found`, like `remove`. */
  replace(userId: UserId, name: string, urls: readonly string[]): Promise<void>
  remove(userId: UserId, name: string): Promise<void>
  listUrls(userId: UserId, name: string): Promise<readonly string[] | undefined>
}
