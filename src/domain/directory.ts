import type { DirectoryKeeper } from './directory-keeper.ts'
import type { DirectoryStore, RankedPodcast, Suggestion, Tag } from './directory-ports.ts'
import { slugOf } from './fold.ts'
import type { UserId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'

/** The podcasts of this server (protocol.md sections 10 and 11). Lists are the same for everybody: without private podcasts (D56). */
export interface Directory {
  toplist(count: number): Promise<RankedPodcast[]>
  tags(count: number): Promise<Tag[]>
  /** `tag` as somebody writes it; an unknown one has no podcasts. */
  podcastsOfTag(tag: string, count: number): Promise<PodcastObject[]>
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
}

export function createDirectory(store: DirectoryStore, keeper: DirectoryKeeper): Directory {
  return {
    async toplist(count) {
      await keeper.catchUp()
      return store.toplist(count)
    },
    async tags(count) {
      await keeper.catchUp()
      return store.tags(count)
    },
    async podcastsOfTag(tag, count) {
      await keeper.catchUp()
      return store.podcastsOfTag(slugOf(tag), count)
    },
    async suggestions(userId, count) {
      await keeper.catchUp()
      return store.suggestions(userId, count)
    },
  }
}
