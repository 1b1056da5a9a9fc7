import type { UserId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'
import type { QueryWord } from './search-words.ts'

/*
 * What the directory needs from the database. As in ports.ts, one writing method is one transaction. What is listed: podcasts that
 * somebody is subscribed to now or was (protocol.md D52), without private ones (D56).
 */

export interface RankedPodcast extends PodcastObject {
  /** In the toplist seven days ago, counted from 1; 0 if it was not in it or nobody knows. */
  readonly positionLastWeek: number
}

export interface Tag {
  /** As in paths. */
  readonly slug: string
  readonly title: string
  /** Listed podcasts that carry it. */
  readonly usage: number
}

/** A podcast that a user might like, and the tags that say so, most telling first. */
export interface Suggestion {
  readonly podcast: PodcastObject
  readonly because: readonly string[]
}

export interface SearchQuery {
  /** As typed. */
  readonly text: string
  readonly words: readonly QueryWord[]
}

export interface DirectoryStore {
  /** Listed podcasts with subscribers: most subscribed first, then by title. */
  toplist(count: number): Promise<RankedPodcast[]>
  /** Most used first, then by slug. */
  tags(count: number): Promise<Tag[]>
  /** Listed podcasts, most subscribed first, then by title. */
  podcastsOfTag(slug: string, count: number): Promise<PodcastObject[]>
  /** protocol.md D53. */
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
  /** Listed podcasts and those the user is subscribed to, best first (D52). */
  search(query: SearchQuery, userId: UserId | undefined, count: number): Promise<PodcastObject[]>
  /** Those of the feed URLs that are listed or the user's own. */
  findListed(urls: readonly string[], userId: UserId | undefined): Promise<ReadonlySet<string>>
}

/** What has to be done so that the directory knows what has changed. */
export interface DirectoryUpkeep {
  /** Whether anything has changed that it does not know yet. */
  isBehind(): Promise<boolean>
  /** Takes in so many changed podcasts at most; tells how many there were. Unless somebody waits for it, it waits for the disk elsewhere. */
  catchUp(limit: number, isWaitedFor?: boolean): Promise<number>
  /** The rules that all addresses have been judged by which anybody has judged; undefined if nobody knows. */
  secretRules(): Promise<number | undefined>
  noteSecretRules(rules: number): Promise<void>
  /**
   * Judges anew the addresses of so many podcasts at most that have been judged before, those after `id`; tells the last one, or undefined
   * if there was none.
   */
  judgeAnew(id: number, limit: number): Promise<number | undefined>
  /** Notes the numbers of subscribers at the end of a day, and what they were a week before. `day` is counted from 1970. */
  turnDay(day: number): Promise<void>
  /**
   * Removes a bounded part of the podcasts that nobody has or had, nor listened to: those made before a time, and the oldest beyond a
   * number. Tells how many are gone by it, or undefined if there was none.
   */
  removeStrangers(madeBefore: number, keep: number): Promise<number | undefined>
  /** Looks at so many words of the search, those after `word`, and forgets which no podcast has any more; the last one, or '' at the end. */
  forgetWords(word: string, limit: number): Promise<string>
}
