import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { QueryWord } from '../words.ts'

/*
 * What is listed: podcasts that somebody is subscribed to now or was (docs/protocol.md#D52), without private ones (D56).
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
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
  search(query: SearchQuery, userId: UserId | undefined, count: number): Promise<PodcastObject[]>
  /** Those of the feed URLs that are listed or the user's own. */
  findListed(urls: readonly string[], userId: UserId | undefined): Promise<ReadonlySet<string>>
}

/** What the indexer does to keep the directory and the search up to date. */
export interface IndexStore {
  hasPending(): Promise<boolean>
  /**
   * Indexes so many changed podcasts at most: decides whether they are private, and writes their tags and what search
   * finds them by. Tells how many there were.
   */
  indexBatch(limit: number): Promise<number>
  classifierVersion(): Promise<number | undefined>
  saveClassifierVersion(version: number): Promise<void>
  /**
   * Classifies again the addresses of so many podcasts at most that have been classified before, those after `id`.
   * Those of which the answer is another one now are private until they have been indexed. Tells the last podcast, or
   * undefined if there was none.
   */
  reclassify(id: number, limit: number): Promise<number | undefined>
  /** Records the numbers of subscribers at the end of a day, and those of a week before. `day` is counted from 1970. */
  recordDailyStats(day: number): Promise<void>
  /**
   * Removes a bounded part of the orphaned podcasts that nobody listened to: those made before a time, and the oldest
   * beyond a number. Tells how many it has removed, or undefined if there was none.
   */
  removeOrphaned(madeBefore: number, keep: number): Promise<number | undefined>
  /**
   * Looks at so many words of the vocabulary, those after `word`, and removes those that no podcast has any more. Tells
   * the last one, or '' at the end.
   */
  pruneVocabulary(word: string, limit: number): Promise<string>
}
