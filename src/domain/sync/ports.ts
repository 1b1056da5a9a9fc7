import type { UserId } from '../shared/ids.ts'
import type { List } from '../shared/lists.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { ListChangeKind } from './list-changes/ports.ts'
import type { ProvisionalTitles } from './provisional-titles.ts'

/*
 * Everything the domain needs from the database. One writing method is one transaction and one use case; it settles
 * when the change is on disk. All methods reject with `unavailable` when the database cannot be written, and those that
 * add devices, subscriptions or settings with `quota_exceeded`. Times are whole Unix seconds.
 */

/** What the app that makes a change calls itself, for the list of changes (docs/protocol.md#undo). */
export interface ByApp {
  readonly app?: string | undefined
}

export type DeviceType = 'mobile' | 'laptop' | 'desktop' | 'server' | 'other'

export interface Device {
  readonly uid: string
  readonly caption: string
  readonly type: DeviceType
  readonly subscriptions: number
  /** When an app last used it, as far as that is written down. */
  readonly lastSeenAt: number | undefined
}

export interface DeviceLastSeen {
  readonly userId: UserId
  readonly uid: string
  readonly at: number
}

export interface DeviceStore {
  /** Oldest first. */
  list(userId: UserId): Promise<Device[]>
  /** Creates the device or changes the given properties only. */
  upsert(
    userId: UserId,
    uid: string,
    change: { caption?: string | undefined; type?: DeviceType | undefined },
    at: number,
  ): Promise<void>
  /** Removes the device with its subscriptions; a group of one device dissolves. Rejects with `unknown_device`. */
  remove(userId: UserId, uid: string, at: number, by?: ByApp): Promise<void>
  /** Passes over devices that do not exist. A power cut may take it back. */
  noteLastSeen(lastSeen: readonly DeviceLastSeen[]): Promise<void>
}

/** Device uids, each inner array one group of at least two, in order of creation. */
export interface SyncStatus {
  readonly synchronized: string[][]
  readonly notSynchronized: string[]
}

export interface SyncGroupStore {
  status(userId: UserId): Promise<SyncStatus>
  /** Joins, merges and leaves in one transaction (docs/protocol.md#sync-groups), or rejects with `unknown_device`. */
  regroup(
    userId: UserId,
    request: { synchronize: readonly (readonly string[])[]; stop: readonly string[] },
    at: number,
    by?: ByApp,
  ): Promise<SyncStatus>
}

export interface Written {
  /** The user's logical clock after the request; unchanged when the request changed nothing. */
  readonly clock: number
  /** Whether the stream holds rows from anybody else with `seq >= seenUntil` (docs/protocol.md#D14b). */
  readonly missed: boolean
}

export interface WrittenSubscriptions extends Written {
  /** Whether any device has a feed now that it did not have, and that has never been fetched nor tried. */
  readonly hasUnfetched: boolean
}

export interface SubscriptionChanges {
  readonly add: List<string>
  readonly remove: List<string>
  readonly clock: number
}

export interface SubscriptionStore {
  /** Feed URLs by `added_seq`, then URL (long lists: then as they became known); undefined for an unknown device. */
  listDevice(userId: UserId, uid: string): Promise<List<string> | undefined>
  /** As `listDevice`, with what is known of each podcast. */
  listDevicePodcasts(userId: UserId, uid: string): Promise<List<PodcastObject> | undefined>
  /** The union over all devices, each feed once. */
  listUser(userId: UserId): Promise<List<PodcastObject>>
  /**
   * Rows with `seq >= since`; no removals for `since` 0 (D36). An unknown device has no rows (D42), unless this is a `contact` by which it comes to be
   * where all devices belong together (docs/protocol.md#auto-sync).
   */
  changesSince(
    userId: UserId,
    uid: string,
    since: number,
    contact?: ByApp & { at: number },
  ): Promise<SubscriptionChanges>
  /**
   * Adds and removes on the device (created if unknown) and all members of its group. URLs are sanitised and disjoint.
   * `titles` are kept for podcasts that the user is subscribed to afterwards and whose feeds have not said theirs.
   */
  applyUpload(
    userId: UserId,
    uid: string,
    change: { add: readonly string[]; remove: readonly string[]; titles?: ProvisionalTitles },
    context: ByApp & { at: number; seenUntil: number | undefined; kind?: Extract<ListChangeKind, 'upload' | 'import'> },
  ): Promise<WrittenSubscriptions>
  /** Makes the list of the device (created if unknown) and its group exactly `urls`. */
  replace(
    userId: UserId,
    uid: string,
    urls: readonly string[],
    at: number,
    context?: ByApp & { titles?: ProvisionalTitles },
  ): Promise<Pick<WrittenSubscriptions, 'hasUnfetched'>>
}

/** A removal that is remembered (docs/protocol.md#late-removals), by its row number. */
export interface LateRemoval {
  readonly id: number
  readonly userId: UserId
}

export interface LateRemovalStore {
  /** Those of addresses that have become, or ceased to be, of one podcast with others; oldest first. */
  due(limit: number): Promise<LateRemoval[]>
  /** Does what the removal means by now; nothing if it is gone. */
  apply(removal: LateRemoval, at: number): Promise<void>
  /** Those that came until then; tells how many, which are no more than the limit. */
  forget(until: number, limit: number): Promise<number>
}

export interface FeedGuidStore {
  /** Whether `fill` has come to the end once. */
  isDone(): Promise<boolean>
  /**
   * Gives some of the media URLs that come after this one, and of which users have actions but no guid, the guid that
   * the feed tells. Returns up to which; undefined at the end.
   */
  fill(after: number): Promise<number | undefined>
}

/** What happened to the episode. `flattr` is history, but old clients send it. */
export type ActionKind = 'download' | 'play' | 'delete' | 'new' | 'flattr'

/** One report of a device about an episode (docs/protocol.md#the-action), ready to be stored. */
export interface EpisodeAction {
  /** Feed URL, sanitised. */
  podcast: string
  /** Media URL, sanitised. */
  episode: string
  kind: ActionKind
  /** When it happened by the client's clock, Unix seconds. */
  at: number
  device?: string | undefined
  guid?: string | undefined
  /** Whole seconds, only for `play`; `started` and `total` never without `position`. */
  started?: number | undefined
  position?: number | undefined
  total?: number | undefined
  /** Only what comes from the log for an archive, or from an archive for the log. */
  sitting?: Sitting | undefined
}

/** What only the server knows of an action that stands for the reports of a sitting (docs/protocol.md#D92). */
export interface Sitting {
  /** The time of the first report, Unix seconds. */
  readonly since: number
  /** Where the part begins that counts as heard at the time of the action, if that is not `started`. */
  readonly heardFrom?: number | undefined
}

export interface ActionQuery {
  readonly since: number
  readonly podcast?: string | undefined
  readonly device?: string | undefined
  readonly aggregated: boolean
  /** Only `play` and `new` count, which tell how far somebody is. Together with `aggregated`, without other filters. */
  readonly onlyStates?: boolean
  /** Actions that stand for a sitting come with it. For a whole history, without filters. */
  readonly withSittings?: boolean
}

export interface ActionList {
  readonly clock: number
  /** By event time, then upload order; in chunks, so that no list is ever whole in memory. */
  readonly chunks: Iterable<readonly EpisodeAction[]>
}

export interface WrittenActions extends Written {
  /** How many were not there already. */
  readonly added: number
}

export interface EpisodeActionStore {
  /** Actions with `seq >= since` that match every filter given. */
  list(userId: UserId, query: ActionQuery): Promise<ActionList>
  /**
   * Stores what is not an exact duplicate (D49) and creates devices, podcasts and episodes not known yet. A history that
   * comes from elsewhere, or that a user has set (`isHistory`), creates no devices, which it may name long after they are gone, and keeps what
   * is repeated in it (D86): that has been decided already. The actions are taken one after the other as they are
   * written, so there is no need for all of them to be in memory.
   */
  applyUpload(
    userId: UserId,
    actions: Iterable<EpisodeAction>,
    context: { at: number; seenUntil: number | undefined; isHistory?: boolean },
  ): Promise<WrittenActions>
}

/** What is done to histories in the background; each looks at every action once. */
export type HistoryTask = 'history_folding' | 'history_removal'

/** An action of one media URL, as it is stored. */
export interface HistoryAction {
  readonly id: number
  readonly deviceId: number
  readonly kind: ActionKind
  /** The client's event time, Unix seconds. */
  readonly at: number
  readonly started: number | undefined
  readonly position: number | undefined
  readonly total: number | undefined
  /** Where the part begins that counts as heard at its own time, if that is not `started`. */
  readonly heardFrom: number | undefined
  /** The time of the first of the reports that it stands for. */
  readonly foldedSince: number | undefined
}

/** A stretch of the episode that was heard, by an action that is gone; `from` and `to` in seconds of the episode. */
export interface Heard {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The same of an episode, by its URLs. */
export interface HeardEpisode extends Heard {
  readonly podcast: string
  readonly episode: string
}

export interface Rewrite {
  /** Numbers of actions. */
  readonly removed: ReadonlySet<number>
  /** What stands in the place of others from now on, by its number. */
  readonly changed: ReadonlyMap<number, HistoryAction>
  readonly heard: readonly Heard[]
}

/** Plans for pieces of the list of one media URL, the last uploaded actions first. */
export type HistoryPlan = (piece: readonly HistoryAction[]) => Rewrite

/** Actions are numbered in the order of their upload, over all users. */
export interface HistoryStore {
  /** The number of the last action that was uploaded before a logical time; 0 if there is none. */
  lastBefore(seq: number): Promise<number>
  /** The number up to which the task has looked at all actions. */
  doneUntil(task: HistoryTask): Promise<number>
  noteDone(task: HistoryTask, until: number): Promise<void>
  /**
   * Media URLs of users, by their numbers, with some of the actions after one and up to another; `until` is the last
   * action that they are of.
   */
  nextEpisodes(
    after: number,
    until: number,
  ): Promise<{
    readonly until: number
    readonly ofUsers: readonly { readonly userId: UserId; readonly userEpisodeIds: readonly number[] }[]
  }>
  /**
   * Applies a plan to the actions of each media URL up to a number, in jobs of some milliseconds that a power cut may take
   * back. Nothing gets a new logical time. Tells how many actions are gone.
   */
  rewrite(
    userId: UserId,
    userEpisodeIds: readonly number[],
    until: number,
    createPlan: () => HistoryPlan,
  ): Promise<number>
}

export type SettingsScope = 'account' | 'device' | 'podcast' | 'episode'

export interface SettingsKey {
  readonly scope: SettingsScope
  /** Nothing, a device's uid, a feed URL, or feed URL and media URL with a space in between. */
  readonly target: string
}

/** Values as `parseExactly` makes them. */
export interface SettingsChange {
  readonly set: Readonly<Record<string, unknown>>
  readonly remove: readonly string[]
}

/** JSON objects as text; `{}` where nothing is set. Both methods reject with `unknown_device`. */
export interface SettingsStore {
  read(userId: UserId, key: SettingsKey): Promise<string>
  /**
   * As `changeSettings`. Rejects with `payload_too_large`. An episode that becomes a favorite by it is the newest one,
   * as of `at`.
   */
  change(userId: UserId, key: SettingsKey, change: SettingsChange, at: number): Promise<string>
}

/** Whole seconds from the beginning of an episode; `end` is not before `start`. */
export interface ChapterTimes {
  readonly start: number
  readonly end: number
}

/** A part of an episode that a user has marked (docs/protocol.md#chapters); known by its times. */
export interface Chapter extends ChapterTimes {
  readonly label: string
  readonly isAdvertisement: boolean
}

/** Of a user; `target` is feed URL and media URL with a space in between, as in `SettingsKey`. */
export interface ChapterStore {
  /** Those with `seq >= since`, by their times. */
  list(userId: UserId, target: string, since: number): Promise<{ readonly chapters: Chapter[]; readonly clock: number }>
  /**
   * Removes and then adds; what is there already gets another label. Creates the device if it is named and unknown.
   * Rejects with `quota_exceeded`.
   */
  change(
    userId: UserId,
    target: string,
    change: {
      readonly add: readonly Chapter[]
      readonly remove: readonly ChapterTimes[]
      readonly device: string | undefined
    },
    context: { at: number; seenUntil: number | undefined },
  ): Promise<Written>
}

/*
 * What of an account is too much to be held in memory at once, or is shown nowhere else. As in ports.ts, times are
 * whole Unix seconds. Lists come in chunks that are read as they are asked for, so that what is changed meanwhile may
 * be in them or not.
 */

export interface FeedChange {
  readonly url: string
  readonly seq: number
}

export interface StoredSettings extends SettingsKey {
  readonly value: string
}

export interface StoredFavorite {
  /** Feed URL and media URL with a space in between. */
  readonly target: string
  readonly at: number
}

export interface StoredList {
  readonly name: string
  readonly title: string
  readonly urls: readonly string[]
}

export interface StoredChapter extends Chapter {
  /** Feed URL and media URL with a space in between. */
  readonly target: string
}

/** What the user calls a podcast whose feed has not said a title. */
export interface StoredTitle {
  readonly podcast: string
  readonly title: string
}

/** What episodes and their podcasts are called; '' where nobody knows. */
export interface EpisodeTitles {
  readonly podcast: string
  readonly episode: string
}

export interface ExportStore {
  /** Rejects with `unauthorized` when the user is gone. */
  createdAt(userId: UserId): Promise<number>
  /** The feeds a device has, or those that it had, in the order of getting or leaving them. */
  feeds(userId: UserId, uid: string, isSubscribed: boolean): Iterable<readonly FeedChange[]>
  /** Addresses of podcasts that a device has replaced by others (docs/protocol.md#D83). */
  replacedAddresses(userId: UserId, uid: string): Iterable<readonly string[]>
  settings(userId: UserId): Iterable<readonly StoredSettings[]>
  /** For the user, of media URLs of podcasts, in the same order. */
  titlesOf(userId: UserId, episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode'>[]): readonly EpisodeTitles[]
  /** Newest first. */
  favorites(userId: UserId): Iterable<readonly StoredFavorite[]>
  /** Of podcasts that a device has or had. */
  titles(userId: UserId): Iterable<readonly StoredTitle[]>
  lists(userId: UserId): Iterable<readonly StoredList[]>
  chapters(userId: UserId): Iterable<readonly StoredChapter[]>
  webhook(userId: UserId): Promise<StoredWebhook | undefined>
  /** What was heard by actions that are gone (docs/protocol.md#D93), by time and then alike on every server. */
  heard(userId: UserId): Iterable<readonly HeardEpisode[]>
}

/** What may be told of a webhook to somebody who reads an export: its address may hold a secret. */
export interface StoredWebhook {
  /** The beginning of the address, up to the host. */
  readonly origin: string
  readonly format: string
  readonly events: readonly string[]
}

/** Has feeds fetched that a user has just subscribed to and that have never been tried; returns at once. */
export type FetchNew = (userId: UserId, urls: readonly string[]) => void
