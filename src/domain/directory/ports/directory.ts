import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { QueryWord } from '../words.ts'

/*
 * Listed podcasts have or had a subscriber (docs/protocol.md#D52) and are not private (D56).
 */

export interface RankedPodcast extends PodcastObject {
  readonly positionLastWeek: number
}

export interface Tag {
  readonly slug: string
  readonly title: string
  readonly usage: number
}

export interface Suggestion {
  readonly podcast: PodcastObject
  readonly because: readonly string[]
}

export interface SearchQuery {
  readonly text: string
  readonly words: readonly QueryWord[]
}

export interface DirectoryStore {
  toplist(count: number): Promise<RankedPodcast[]>
  tags(count: number): Promise<Tag[]>
  podcastsOfTag(slug: string, count: number): Promise<PodcastObject[]>
  /** Highest score first (docs/protocol.md#D53). */
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
  /** Returns listed podcasts and the user's own, best match first (D52). */
  search(query: SearchQuery, userId: UserId | undefined, count: number): Promise<PodcastObject[]>
  findListed(urls: readonly string[], userId: UserId | undefined): Promise<ReadonlySet<string>>
}

export interface IndexStore {
  hasPending(): Promise<boolean>
  /** Updates privacy, tags and search for up to `limit` changed podcasts. Returns their number. */
  indexBatch(limit: number): Promise<number>
  /** Version of the classifier that last classified all URLs; undefined if unknown. */
  classifierVersion(): Promise<number | undefined>
  saveClassifierVersion(version: number): Promise<void>
  /** Reclassifies URLs after `id`; changes are private until indexed. Returns the last ID, undefined at the end. */
  reclassify(id: number, limit: number): Promise<number | undefined>
  recordDailyStats(day: number): Promise<void>
  /**
   * Removes some orphaned podcasts: those created before `madeBefore` or, if there are more than `keep`, the oldest.
   * Podcasts with episode actions or queued episodes stay. Returns the number removed, undefined at the end.
   */
  removeOrphaned(madeBefore: number, keep: number): Promise<number | undefined>
  /** Removes unused words among the next `limit` after `word`. Returns the last word checked, '' at the end. */
  pruneVocabulary(word: string, limit: number): Promise<string>
  hasPendingEpisodes(): Promise<boolean>
  /** Updates the search for up to `limit` changed episodes. Returns their number. */
  indexEpisodes(limit: number): Promise<number>
  /** Like `pruneVocabulary`, for words of episodes. */
  pruneEpisodeVocabulary(word: string, limit: number): Promise<string>
}
