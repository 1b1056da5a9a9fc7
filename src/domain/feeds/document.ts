import type { PodcastObject } from '../shared/podcast.ts'

export interface FeedDetails extends Omit<PodcastObject, 'url' | 'subscribers' | 'subscribersLastWeek'> {
  readonly tags: readonly string[]
  readonly guid: string
  readonly isBlocked: boolean
  readonly isLocked: boolean
  readonly newFeedUrl: string
  readonly selfUrl: string
  readonly fundingUrl: string
  /** Time to live, if the publisher declares one. */
  readonly ttlSeconds: number | undefined
}

/** Media URLs of episodes that the publisher keeps out of directories. They are not among the episodes. */
export type BlockedEpisodes = readonly string[]

/** Guids of blocked episodes that no other episode has, since media URLs may change each time. */
export type BlockedGuids = readonly string[]

export interface FeedEpisode {
  readonly url: string
  readonly title: string
  readonly description: string
  readonly website: string
  /** Unix seconds from the feed, possibly in the future. */
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
  /** Episode number from the feed, counted per season if there are seasons. */
  readonly number: number | undefined
  readonly isExplicit: boolean
  readonly chapters: string
}

/** Start in seconds, title, link or '', and URL of the picture, if any. */
export type FeedChapter = readonly [start: number, title: string, link: string, picture?: string]

const CHAPTERS_MAX = 200
/** Characters in all chapters of an episode: a link of one character may resolve to a URL of thousands. */
const CHAPTERS_TEXT_MAX = 64 * 1024

/** Sorts chapters by start, and keeps only the first ones if there are too many or they are too long. */
export function boundedChapters(chapters: readonly FeedChapter[]): FeedChapter[] {
  let room = CHAPTERS_TEXT_MAX
  return chapters
    .toSorted(([one], [other]) => one - other)
    .slice(0, CHAPTERS_MAX)
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

export interface EpisodeSelection {
  readonly fingerprints: string
  /** Episodes without a date are older than all others. Among them, those first in the document are the newest. */
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
  /** New address of the feed, if the document is only a redirect. */
  readonly movedTo: string | undefined

  constructor(message: string, links?: readonly PageLink[], movedTo?: string) {
    super(message)
    this.links = links
    this.movedTo = movedTo
  }
}
