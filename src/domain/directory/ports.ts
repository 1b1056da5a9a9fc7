import type { FeedEpisode } from '../feeds/document.ts'
import type { FeedTrace } from '../feeds/ports.ts'
import type { PodcastId, UserId } from '../shared/ids.ts'
import type { List } from '../shared/lists.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { ByApp, EpisodeAction } from '../sync/ports.ts'
import type { QueryWord } from './words.ts'

/*
 * What the directory needs from the database. As in ports.ts, one writing method is one transaction. What is listed:
 * podcasts that somebody is subscribed to now or was (docs/protocol.md#D52), without private ones (D56).
 */

export interface RankedPodcast extends PodcastObject {
  /** In the toplist seven days ago, counted from 1; 0 if it was not in it or nobody knows. */
  readonly positionLastWeek: number
}

export interface Tag {
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
  /** docs/protocol.md#D53. */
  suggestions(userId: UserId, count: number): Promise<Suggestion[]>
  /** Listed podcasts and those the user is subscribed to, best first (D52). */
  search(query: SearchQuery, userId: UserId | undefined, count: number): Promise<PodcastObject[]>
  /** Those of the feed URLs that are listed or the user's own. */
  findListed(urls: readonly string[], userId: UserId | undefined): Promise<ReadonlySet<string>>
}

/** What the indexer does to keep the directory and the search up to date. */
export interface IndexStore {
  /** Whether any podcast has changed since it was indexed. */
  hasPending(): Promise<boolean>
  /**
   * Indexes so many changed podcasts at most: decides whether they are private, and writes their tags and what search
   * finds them by. Tells how many there were.
   */
  indexBatch(limit: number): Promise<number>
  /** The version of the classifier by which all addresses have been classified; undefined if it is not known. */
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

/** What we tell about an episode (docs/protocol.md#episode-object, D21). Unknown text is '', also an unknown title. */
export interface EpisodeObject extends FeedEpisode {
  readonly podcastTitle: string
  readonly podcastUrl: string
  /** Whether it has a picture of its own: many feeds repeat that of the podcast for each episode. */
  readonly hasPicture: boolean
  /** Plain text. */
  readonly description: string
}

/** With what only pages show. */
export interface DetailedEpisode extends EpisodeObject {
  /** The description as sanitised HTML. */
  readonly notes: string
}

/** What a feed says of its podcast beyond the podcast object; `''` is unknown. */
export interface PodcastDetails {
  /** The description as sanitised HTML. */
  readonly notes: string
  /** In the order and in the words of the feed. */
  readonly tags: readonly Tag[]
  /** Where people can give money for it. */
  readonly fundingUrl: string
}

/** A podcast of the server, as one person may see it. */
export interface StoredPodcast {
  readonly id: PodcastId
  readonly podcast: PodcastObject
  /** docs/protocol.md#D56: for its subscribers alone. */
  readonly isPrivate: boolean
  /** Not for this person: private, or from the private network, which is for users unless somebody here has it. */
  readonly isHidden: boolean
  /** Whether anything is known but its URL. */
  readonly isFetched: boolean
  /** When it was last asked for, Unix seconds. */
  readonly checkedAt: number | undefined
}

export interface PodcastStore {
  /** What somebody is subscribed to or was, or has looked at. */
  find(url: string, userId: UserId | undefined): Promise<StoredPodcast | undefined>
  details(id: PodcastId): Promise<PodcastDetails>
  episode(id: PodcastId, url: string): Promise<DetailedEpisode | undefined>
  /** Where the feed says that the picture of an episode is, or ''; undefined if there is no such episode. */
  episodePicture(id: PodcastId, url: string): Promise<string | undefined>
  /** Newest first, those without a date last (docs/protocol.md#D80). */
  episodes(
    id: PodcastId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly episodes: EpisodeObject[] }>
  /** With what the user has heard of them. Of a long description only the beginning. */
  ownEpisodes(
    userId: UserId,
    id: PodcastId,
    wanted: WantedOwnEpisodes,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<OwnEpisodes>
}

export interface WantedOwnEpisodes {
  /** What the title contains, whatever the case and the accents; '' for all. */
  readonly text: string
  readonly season: number | undefined
  readonly onlyUnplayed: boolean
  /** Otherwise the newest comes first. */
  readonly isOldestFirst: boolean
}

export interface OwnEpisode extends EpisodeObject {
  /** What tells the state of it (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
  readonly isFavorite: boolean
}

export interface OwnEpisodes {
  readonly total: number
  /** All of the podcast, latest first. */
  readonly seasons: readonly number[]
  readonly episodes: readonly OwnEpisode[]
}

/*
 * What people are told of their own podcasts. As in ports.ts, times are whole Unix seconds.
 */

/** What the server knows of a podcast besides what its feed says. */
export interface OwnPodcast {
  readonly url: string
  /** Logical time at which the first of the devices that have it got it; undefined if none has it. */
  readonly addedSeq: number | undefined
  readonly newestRelease: number | undefined
  /** docs/protocol.md#D56: hidden from people who do not have it. */
  readonly isPrivate: boolean
  readonly trace: FeedTrace
}

export interface SubscribedPodcast extends OwnPodcast {
  /** Of a long description only the beginning. */
  readonly podcast: PodcastObject
  /** IDs of those that have it, oldest first. */
  readonly devices: readonly string[]
}

export interface DeviceOfPodcast {
  readonly uid: string
  readonly caption: string
  readonly type: string
  readonly isSubscribed: boolean
}

export interface MyPodcastsStore {
  /** What the user's devices are subscribed to, longest held first; with `onlyNew` only those never fetched. */
  list(userId: UserId, onlyNew?: boolean): Promise<List<SubscribedPodcast>>
  /** With all of the user's devices, oldest first; undefined if none has or had it. */
  find(userId: UserId, url: string): Promise<(OwnPodcast & { readonly devices: DeviceOfPodcast[] }) | undefined>
}

/** An episode that is new to a device. */
export interface EpisodeUpdate {
  readonly episode: EpisodeObject
  /** What tells the state of it for the user (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
}

export interface MyEpisodesStore {
  /** Newest first. Of an episode that is not known here, or hidden from the user, only the URLs. */
  favorites(userId: UserId): Promise<List<EpisodeObject>>
  /** What is known of podcasts, in the order of their URLs. */
  podcasts(userId: UserId, urls: List<string>): List<PodcastObject>
  /**
   * Of each podcast that the device has, so many of the newest episodes that were released after `since`; undefined for
   * an unknown device.
   */
  releasedSince(userId: UserId, uid: string, since: number, max: number): Promise<List<EpisodeUpdate> | undefined>
}

/** Where a page of a list that is sorted by time begins: with what comes after this one, newest first. */
export interface Before {
  readonly at: number
  /** Tells apart what has the same time. */
  readonly id: number
}

export interface PageBefore {
  /** The first page unless given. */
  readonly before: Before | undefined
  readonly limit: number
}

export interface PageOfTime<T> {
  readonly items: readonly T[]
  /** Where the next page begins; undefined after the last one. */
  readonly next: Before | undefined
}

/** An episode as a user is told of it in a list over several podcasts: without its notes. Unknown text is ''. */
export interface ListedEpisode {
  readonly podcast: { readonly url: string; readonly title: string; readonly logoUrl: string }
  readonly url: string
  readonly title: string
  readonly website: string
  readonly guid: string
  readonly imageUrl: string
  /** As in `EpisodeObject`. */
  readonly hasPicture: boolean
  readonly released: number | undefined
  readonly duration: number | undefined
  /** What tells the state of it (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
}

export interface UnplayedCount {
  readonly url: string
  readonly unplayed: number
}

/** An episode that may be marked as played or new. */
export interface MarkableEpisode extends Pick<EpisodeAction, 'podcast' | 'episode'> {
  /** Seconds, as its feed says; undefined if that is unknown, or not for this user. */
  readonly duration: number | undefined
  /** As in `ListedEpisode`. */
  readonly action: EpisodeAction | undefined
}

/** Episodes over all podcasts of a user (docs/protocol.md#D90). */
export interface InboxStore {
  /** Begun and not finished, last heard first. */
  inProgress(userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>>
  /**
   * Of the podcasts that any device has, each one once whatever its addresses, or of one of them, or of those with a tag
   * (its slug): dated episodes, newest first. With `onlyUnplayed` a page may hold fewer than it could, since so many
   * episodes are looked at and no more.
   */
  inbox(
    userId: UserId,
    page: PageBefore & {
      readonly podcast: string | undefined
      readonly tag?: string | undefined
      readonly onlyUnplayed: boolean
    },
  ): Promise<PageOfTime<ListedEpisode>>
  /** Of the podcasts that any device has, each one once: most used first, with how many of them carry it. */
  tags(userId: UserId): Promise<Tag[]>
  /** Of each of these podcasts, how many of its newest 100 episodes have not been played to the end. */
  unplayed(userId: UserId): Promise<List<UnplayedCount>>
  /** In the order of `episodes`. */
  episodesToMark(
    userId: UserId,
    episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode'>[],
  ): Promise<MarkableEpisode[]>
  /**
   * The newest episodes of a podcast for which `isWanted`, so many at most. Undefined for one that no device of the
   * user has.
   */
  episodesOfPodcast(
    userId: UserId,
    podcast: string,
    isWanted: (episode: MarkableEpisode) => boolean,
    limit: number,
  ): Promise<MarkableEpisode[] | undefined>
}

/** A podcast list without what is in it. */
export interface PodcastListHead {
  /** The slug of the title, by which paths name it. */
  readonly name: string
  readonly title: string
}

/** Feed URLs are sanitised, each once. Writing rejects with `quota_exceeded`. */
export interface PodcastListStore {
  /** Oldest first, with the name of the user as registered. Rejects with `unknown_user`, also if that is not active. */
  list(username: string): Promise<{ readonly owner: string; readonly lists: PodcastListHead[] }>
  /**
   * In the order of the list, without podcasts that are hidden from the reader (docs/protocol.md#D57); of those hidden
   * from their owner only the URL. Undefined if there is no such list.
   */
  read(
    username: string,
    name: string,
    reader: UserId | undefined,
  ): Promise<{ readonly title: string; readonly podcasts: List<PodcastObject> } | undefined>
  /** Rejects with `list_exists`. */
  create(userId: UserId, list: PodcastListHead & { readonly urls: readonly string[] }, at: number): Promise<void>
  /** Rejects with `not_found`, as the next. */
  replace(userId: UserId, name: string, urls: readonly string[]): Promise<void>
  remove(userId: UserId, name: string): Promise<void>
}

/** A play action that says from where to where somebody listened. */
export interface Play {
  /** Of the user, whatever its media URL (docs/protocol.md#D84). */
  readonly episodeId: number
  readonly podcastId: PodcastId
  /** The client's event time, Unix seconds. */
  readonly at: number
  /** Seconds from the beginning of the episode, as the next two. */
  readonly started: number
  readonly position: number
  readonly total: number | undefined
}

/** What may be told about a podcast; nothing but the URL of one that is private to others (docs/protocol.md#D56). */
export interface HeardPodcast {
  readonly id: PodcastId
  readonly url: string
  /** The URL if unknown. */
  readonly title: string
  /** '' if unknown, as other text. */
  readonly logoUrl: string
}

/** A play action as people read it. */
export interface PlayEvent {
  readonly podcast: string
  /** The URL if unknown, as the next. */
  readonly podcastTitle: string
  readonly episode: string
  readonly episodeTitle: string
  /** As in `EpisodeObject`. */
  readonly hasPicture: boolean
  readonly at: number
  readonly device: string | undefined
  readonly started: number | undefined
  readonly position: number | undefined
  readonly total: number | undefined
}

export interface ListeningStore {
  /**
   * By event time, `from` <= at < `until`, in chunks that are read as they are asked for: no history is ever whole in
   * memory, and others may have their turn in between.
   */
  plays(userId: UserId, from: number, until: number): Iterable<readonly Play[]>
  podcasts(userId: UserId, ids: readonly PodcastId[]): Promise<HeardPodcast[]>
  /** The newest 10,000 at the most, newest first. */
  history(
    userId: UserId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly events: PlayEvent[] }>
}

/** A feed that is known to be the same by https (docs/protocol.md#D73). */
export interface Upgrade {
  readonly httpUrl: string
  readonly httpsUrl: string
  readonly title: string
}

/** A feed of which its server or it itself says that it is elsewhere for good. */
export interface FeedMove {
  readonly url: string
  readonly newUrl: string
  readonly title: string
}

/** A feed by http that may be there by https as well. */
export interface ProbedFeed {
  readonly id: PodcastId
  readonly httpsUrl: string
  readonly guid: string
  readonly title: string
  readonly newest: readonly { readonly guid: string; readonly url: string }[]
}

/** What an exchange of addresses leaves. */
export interface Exchange {
  readonly devices: string[]
  readonly clock: number
  /** Missing where the podcast takes nothing along: it is fetched at the new address, or not to be known by it. */
  readonly inherited: Inheritance | undefined
}

/** What a podcast takes along to a new address that has never been fetched; what its feed says has gone along. */
export interface Inheritance {
  readonly to: PodcastId
  readonly logoUrl: string
  /** The numbers of those that are to follow, oldest first. */
  readonly episodes: readonly number[]
  /** Not if the new address is only claimed to be the same: what is not found there with the first fetch goes again. */
  readonly isProven: boolean
}

export interface UpgradeStore {
  /** Both by title. */
  list(userId: UserId): Promise<Upgrade[]>
  moves(userId: UserId): Promise<FeedMove[]>
  /**
   * Exchanges the one for the other on each device that has it and in their groups. Both reject with `unknown_podcast`
   * when none has it, `validation_failed` when the pair is none of the list.
   */
  apply(
    userId: UserId,
    pair: { readonly httpUrl: string; readonly httpsUrl: string },
    at: number,
    by?: ByApp,
  ): Promise<Exchange>
  applyMove(
    userId: UserId,
    pair: { readonly url: string; readonly newUrl: string },
    at: number,
    by?: ByApp,
  ): Promise<Exchange>
  /** Copies some of the episodes that are to go along; a power cut may take it back. */
  inheritEpisodes(inheritance: Inheritance, episodes: readonly number[]): Promise<void>
  /** Moves some of the user's episode actions that are still under the old address to the new one; tells how many. */
  moveActions(userId: UserId, urls: { readonly from: string; readonly to: string }, at: number): Promise<number>
  /** Feeds by http that somebody is subscribed to, whose https twin is not known and was not tried since `before`. */
  toProbe(before: number, limit: number): Promise<ProbedFeed[]>
  noteProbe(id: PodcastId, at: number, works: boolean): Promise<void>
}
