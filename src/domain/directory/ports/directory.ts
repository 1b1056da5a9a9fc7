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
  /** docs/protocol.md#D53. */
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
  /** Listed podcasts and those the user is subscribed to, best first (D52). */
  search(query: SearchQuery, userId: UserId | undefined, count: number): Promise<PodcastObject[]>
  findListed(urls: readonly string[], userId: UserId | undefined): Promise<ReadonlySet<string>>
}

export interface IndexStore {
  hasPending(): Promise<boolean>
  /** Indexes at most `limit` changed podcasts: privacy, tags and search. Returns how many there were. */
  indexBatch(limit: number): Promise<number>
  /** The version of the classifier by which all addresses have been classified; undefined if it is not known. */
  classifierVersion(): Promise<number | undefined>
  saveClassifierVersion(version: number): Promise<void>
  /** Classifies the addresses after `id` again; changed ones count as private until indexed. Returns the last. */
  reclassify(id: number, limit: number): Promise<number | undefined>
  recordDailyStats(day: number): Promise<void>
  /** Removes a bounded part of the orphaned podcasts without listening; returns how many, or undefined at the end. */
  removeOrphaned(madeBefore: number, keep: number): Promise<number | undefined>
  /** Removes unused words after `word`, a bounded number at a time. Returns the last one, or '' at the end. */
  pruneVocabulary(word: string, limit: number): Promise<string>
  hasPendingEpisodes(): Promise<boolean>
  /** Brings the search in episodes up to date for at most `limit` of them. Returns how many there were. */
  indexEpisodes(limit: number): Promise<number>
  /** Like `pruneVocabulary`, for the words of episodes. */
  pruneEpisodeVocabulary(word: string, limit: number): Promise<string>
}
