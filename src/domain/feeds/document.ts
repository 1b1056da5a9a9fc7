import type { PodcastObject } from '../shared/podcast.ts'

export interface FeedDetails extends Omit<PodcastObject, 'url' | 'subscribers' | 'subscribersLastWeek'> {
  readonly tags: readonly string[]
  readonly guid: string
  readonly isBlocked: boolean
  readonly isLocked: boolean
  readonly newFeedUrl: string
  readonly selfUrl: string
  readonly fundingUrl: string
  /** How long the publisher says that nothing will change; undefined without such a statement. */
  readonly ttlSeconds: number | undefined
}

/** Media files of episodes kept out of directories, which are not among the episodes. */
export type BlockedEpisodes = readonly string[]

/** Those of their guids that no other episode has: media files may have another address each time. */
export type BlockedGuids = readonly string[]

export interface FeedEpisode {
  readonly url: string
  readonly title: string
  readonly description: string
  readonly website: string
  /** Unix seconds, as the feed says: this may be to come. */
  readonly released: number | undefined
  readonly guid: string
  /** Seconds. */
  readonly duration: number | undefined
  /** Bytes. */
  readonly size: number | undefined
  readonly mimeType: string
  readonly imageUrl: string
  readonly chaptersUrl: string
  readonly transcriptUrl: string
  readonly transcriptType: string
  readonly season: number | undefined
  /** Episode number, as the feed says it: in its season, if there are seasons. */
  readonly number: number | undefined
  readonly isExplicit: boolean
  readonly chapters: string
}

/** Start in seconds, title, a link about the chapter or '', and the address of its picture if it has one. */
export type FeedChapter = readonly [start: number, title: string, link: string, picture?: string]

const CHAPTERS_MAX = 200
/** Characters in all chapters of an episode: a link of one character may stand for an address of thousands. */
const CHAPTERS_TEXT_MAX = 64 * 1024

/** In order, and of those without end the first ones. */
export function boundedChapters(chapters: readonly FeedChapter[]): FeedChapter[] {
  let room = CHAPTERS_TEXT_MAX
  return chapters
    .slice(0, CHAPTERS_MAX)
    .toSorted(([one], [other]) => one - other)
    .filter(([, title, link, picture = '']) => {
      room -= title.length + link.length + picture.length
      return room >= 0
    })
}

export interface FeedOutline extends FeedDetails {
  readonly episodeCount: number
  readonly blockedEpisodes: BlockedEpisodes
  readonly blockedGuids: BlockedGuids
}

export interface WantedEpisodes {
  readonly known: string
  /** Those that say no date are as new as they are near the beginning of the document, and older than all others. */
  readonly order: 'newest first' | 'oldest first'
  readonly limit?: number
}

export interface FingerprintedEpisode extends FeedEpisode {
  readonly fingerprint: string
  readonly inPlaceOf: number | undefined
}

export interface FeedContents {
  readonly document: FeedOutline
  readonly isInside: boolean
  readonly leads: readonly string[]
  readonly episodes: readonly FingerprintedEpisode[]
}

export interface PageLink {
  readonly url: string
  readonly title: string
}

export class NotAFeed extends Error {
  override readonly name = 'NotAFeed'
  readonly links: readonly PageLink[] | undefined
  /** The new address of the feed, if the document is nothing but a redirect. */
  readonly movedTo: string | undefined

  constructor(message: string, links?: readonly PageLink[], movedTo?: string) {
    super(message)
    this.links = links
    this.movedTo = movedTo
  }
}
