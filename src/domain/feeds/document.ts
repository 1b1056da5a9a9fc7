import type { PodcastObject } from '../shared/podcast.ts'

/** What a feed says about a podcast. Texts have sane lengths; `''` is unknown. Descriptions are sanitised HTML. */
export interface FeedDetails extends Omit<PodcastObject, 'url' | 'subscribers' | 'subscribersLastWeek'> {
  /** As the feed writes them, each once. */
  readonly tags: readonly string[]
  /** Of the podcast namespace; the same for all addresses of one podcast. */
  readonly guid: string
  /** The publisher does not want it in directories. */
  readonly isBlocked: boolean
  /** The publisher does not want it imported elsewhere. */
  readonly isLocked: boolean
  readonly newFeedUrl: string
  readonly selfUrl: string
  readonly fundingUrl: string
  /** How long the publisher says that nothing will change; undefined without such a statement. */
  readonly ttlSeconds: number | undefined
}

/**
 * The media files of those the publisher does not want in directories, which are not among the episodes; as many as
 * there may be episodes. None if the whole podcast is not wanted there, which is for its subscribers alone anyway.
 */
export type BlockedEpisodes = readonly string[]

/** Those of their guids that no other episode has: media files may have another address each time. */
export type BlockedGuids = readonly string[]

export interface FeedEpisode {
  /** Of the media file. */
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
  readonly season: number | undefined
  /** The feed says so of the episode, or of all. */
  readonly isExplicit: boolean
  /** JSON of a list of `FeedChapter` that the feed itself holds; '' without any. */
  readonly chapters: string
}

/** Seconds, what is told there, and a link about it or ''. */
export type FeedChapter = readonly [start: number, title: string, link: string]

const CHAPTERS_MAX = 200
/** Characters in all chapters of an episode: a link of one character may stand for an address of thousands. */
const CHAPTERS_TEXT_MAX = 64 * 1024

/** In order, and of those without end the first ones. */
export function boundedChapters(chapters: readonly FeedChapter[]): FeedChapter[] {
  let room = CHAPTERS_TEXT_MAX
  return chapters
    .slice(0, CHAPTERS_MAX)
    .toSorted(([one], [other]) => one - other)
    .filter(([, title, link]) => {
      room -= title.length + link.length
      return room >= 0
    })
}

export interface FeedOutline extends FeedDetails {
  readonly episodeCount: number
  readonly blockedEpisodes: BlockedEpisodes
  readonly blockedGuids: BlockedGuids
}

/** Which episodes of a document are wanted, and in what order. */
export interface WantedEpisodes {
  /** The fingerprints of those that are stored, from `FeedStore.fingerprints`: these episodes are not wanted. */
  readonly known: string
  /** Those that say no date are as new as they are near the beginning of the document, and older than all others. */
  readonly order: 'newest first' | 'oldest first'
  readonly limit?: number
}

export interface FingerprintedEpisode extends FeedEpisode {
  /** Of all that is above: another one for another episode, and for one that has changed. */
  readonly fingerprint: string
  /** The number of the same episode as it is stored, if the document has that at another address by now. */
  readonly inPlaceOf: number | undefined
}

export interface FeedContents {
  readonly document: FeedOutline
  /** As of the answer that follows. */
  readonly isInside: boolean
  readonly leads: readonly string[]
  readonly episodes: readonly FingerprintedEpisode[]
}

/** A feed that a web page names. */
export interface PageLink {
  readonly url: string
  /** `''` if the page gives it none. */
  readonly title: string
}

/** The document is no podcast feed; the message says what it is instead. */
export class NotAFeed extends Error {
  override readonly name = 'NotAFeed'
  /** The feeds that it names, if it is a web page. */
  readonly links: readonly PageLink[] | undefined
  /** The new address of the feed, if the document is nothing but a redirect. */
  readonly movedTo: string | undefined

  constructor(message: string, links?: readonly PageLink[], movedTo?: string) {
    super(message)
    this.links = links
    this.movedTo = movedTo
  }
}
