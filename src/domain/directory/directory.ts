import type { UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import { slugOf } from '../shared/text.ts'
import type { DirectoryStore, RankedPodcast, Suggestion, Tag } from './ports.ts'

/** The podcasts of this server (docs/protocol.md#directory and #suggestions). Lists are the same for everybody: without private podcasts (D56). */
export interface Directory {
  toplist(count: number): Promise<RankedPodcast[]>
  tags(count: number): Promise<Tag[]>
  /** `tag` as somebody writes it; an unknown one has no podcasts. */
  podcastsOfTag(tag: string, count: number): Promise<PodcastObject[]>
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
}

export function createDirectory(store: DirectoryStore): Directory {
  return {
    toplist: (count) => store.toplist(count),
    tags: (count) => store.tags(count),
    podcastsOfTag: (tag, count) => store.podcastsOfTag(slugOf(tag), count),
    suggestions: (userId, count) => store.suggestions(userId, count),
  }
}
