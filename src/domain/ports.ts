import type {
  AuditStore,
  ExpiryStore,
  IdentityStore,
  MailStore,
  SessionStore,
  TokenStore,
  UserStore,
} from './account-ports.ts'
import type { DiskStore, FeedHealthStore } from './admin-ports.ts'
import type { CatalogueStore } from './catalogue-ports.ts'
import type { DirectoryStore, DirectoryUpkeep } from './directory-ports.ts'
import type { EpisodeAction } from './episode-action-rules.ts'
import type { ExportStore } from './export-ports.ts'
import type { FeedStore } from './feed-ports.ts'
import type { PodcastId, UserId } from './ids.ts'
import type { LibraryStore } from './library-ports.ts'
import type { ListeningStore } from './listening-ports.ts'
import type { List } from './lists.ts'
import type { OwnAccountStore } from './own-account-ports.ts'
import type { PodcastObject } from './podcast.ts'
import type { ProvisionalTitles } from './provisional-titles.ts'
import type { SettingsChange } from './settings-rules.ts'

/*
 * Everything the domain needs from the database. One writing method is one transaction and one use case; it settles when the change
 * is on disk. All methods reject with `unavailable` when the database cannot be written, and those that add devices, subscriptions or
 * settings with `quota_exceeded`. Times are whole Unix seconds.
 */

export type DeviceType = 'mobile' | 'laptop' | 'desktop' | 'server' | 'other'

export interface Device {
  readonly uid: string
  readonly caption: string
  readonly type: DeviceType
  readonly subscriptions: number
  /** When an app last used it, as far as that is written down. */
  readonly lastContactAt: number | undefined
}

/** An app has used a device. */
export interface DeviceContact {
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
  /** Removes the device with its subscriptions; a group left with one member dissolves. Rejects with `unknown_device`. */
  remove(userId: UserId, uid: string): Promise<void>
  /** Passes over devices that do not exist. A power cut may take it back. */
  noteContacts(contacts: readonly DeviceContact[]): Promise<void>
}

/** Device uids, each inner array one group of at least two, in order of creation. */
export interface SyncStatus {
  readonly synchronized: string[][]
  readonly notSynchronized: string[]
}

export interface SyncGroupStore {
  status(userId: UserId): Promise<SyncStatus>
  /** Joins, merges and leaves in one transaction (protocol.md 7.2). Rejects with `unknown_device`, nothing applied. */
  regroup(
    userId: UserId,
    request: { synchronize: readonly (readonly string[])[]; stop: readonly string[] },
    at: number,
  ): Promise<SyncStatus>
}

/** What an upload tells the cursor rules. */
export interface Written {
  /** The user's logical clock after the request; unchanged when the request changed nothing. */
  readonly clock: number
  /** Whether the stream holds rows from anybody else with `seq >= seenUntil` (protocol.md D14b). */
  readonly missed: boolean
}

export interface WrittenSubscriptions extends Written {
  /** Whether any device has a feed now that it did not have. */
  readonly hasAdded: boolean
}

export interface SubscriptionChanges {
  readonly add: List<string>
  readonly remove: List<string>
  readonly clock: number
}

export interface SubscriptionStore {
  /** Feed URLs by `added_seq`, then URL (in long lists in the order in which they became known); undefined for an unknown device. */
  listDevice(userId: UserId, uid: string): Promise<List<string> | undefined>
  /** As `listDevice`, with what is known of each podcast. */
  listDevicePodcasts(userId: UserId, uid: string): Promise<List<PodcastObject> | undefined>
  /** The union over all devices, each feed once. */
  listUser(userId: UserId): Promise<List<PodcastObject>>
  /** Rows with `seq >= since`; no removals for `since` 0 (D36). An unknown device has no rows (D42). */
  changesSince(userId: UserId, uid: string, since: number): Promise<SubscriptionChanges>
  /**
   * Adds and removes on the device (created if unknown) and all members of its group. URLs are sanitised and disjoint. `titles` are kept
   * for podcasts that the user is subscribed to afterwards and whose feeds have not said theirs.
   */
  applyUpload(
    userId: UserId,
    uid: string,
    change: { add: readonly string[]; remove: readonly string[]; titles?: ProvisionalTitles },
    context: { at: number; seenUntil: number | undefined },
  ): Promise<WrittenSubscriptions>
  /** Makes the list of the device (created if unknown) and its group exactly `urls`. */
  replace(
    userId: UserId,
    uid: string,
    urls: readonly string[],
    at: number,
    titles?: ProvisionalTitles,
  ): Promise<Pick<WrittenSubscriptions, 'hasAdded'>>
}

export interface ActionQuery {
  readonly since: number
  readonly podcast?: string | undefined
  readonly device?: string | undefined
  readonly aggregated: boolean
}

export interface ActionList {
  readonly clock: number
  /** By event time, then upload order; in chunks, so that no list is ever whole in memory. */
  readonly chunks: Iterable<readonly EpisodeAction[]>
}

export interface EpisodeActionStore {
  /** Actions with `seq >= since` that match every filter given. */
  list(userId: UserId, query: ActionQuery): Promise<ActionList>
  /** Stores what is not an exact duplicate (D49) and creates devices, podcasts and episodes not known yet. */
  applyUpload(
    userId: UserId,
    actions: readonly EpisodeAction[],
    context: { at: number; seenUntil: number | undefined },
  ): Promise<Written>
}

/** A feed that is known to be the same by https (protocol.md D73). */
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
  /** The newest episodes known, some of them. */
  readonly newest: readonly { readonly guid: string; readonly url: string }[]
}

/** What an exchange of addresses leaves. */
export interface Exchange {
  readonly devices: string[]
  readonly clock: number
  /** Missing where the podcast takes nothing along: it has been fetched at the new address, or is not to be known by it. */
  readonly inherited: Inheritance | undefined
}

/** What a podcast takes along to a new address that has never been fetched; what its feed says of it has gone along already. */
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
   * Exchanges the one for the other on each device that has it and in their groups. Both reject with `unknown_podcast` when none has it,
   * `validation_failed` when the pair is none of the list.
   */
  apply(userId: UserId, pair: { readonly httpUrl: string; readonly httpsUrl: string }, at: number): Promise<Exchange>
  applyMove(userId: UserId, pair: { readonly url: string; readonly newUrl: string }, at: number): Promise<Exchange>
  /** Copies some of the episodes that are to go along; a power cut may take it back. */
  inheritEpisodes(inheritance: Inheritance, episodes: readonly number[]): Promise<void>
  /** Moves some of the user's episode actions that are still under the old address to the new one; tells how many. */
  moveActions(userId: UserId, urls: { readonly from: string; readonly to: string }, at: number): Promise<number>
  /** Feeds by http that somebody is subscribed to, whose https twin is not known and was not tried since `before`. */
  toProbe(before: number, limit: number): Promise<ProbedFeed[]>
  noteProbe(id: PodcastId, at: number, works: boolean): Promise<void>
}

export type SettingsScope = 'account' | 'device' | 'podcast' | 'episode'

/** Which object of a user's settings. */
export interface SettingsKey {
  readonly scope: SettingsScope
  /** Nothing, a device's uid, a feed URL, or feed URL and media URL with a space in between. */
  readonly target: string
}

/** JSON objects as text; `{}` where nothing is set. Both methods reject with `unknown_device`. */
export interface SettingsStore {
  read(userId: UserId, key: SettingsKey): Promise<string>
  /** As `changeSettings`. Rejects with `payload_too_large`. */
  change(userId: UserId, key: SettingsKey, change: SettingsChange): Promise<string>
}

export interface Store {
  readonly users: UserStore
  readonly ownAccount: OwnAccountStore
  readonly sessions: SessionStore
  readonly tokens: TokenStore
  readonly mails: MailStore
  readonly identities: IdentityStore
  readonly audit: AuditStore
  readonly expiry: ExpiryStore
  readonly devices: DeviceStore
  readonly syncGroups: SyncGroupStore
  readonly subscriptions: SubscriptionStore
  readonly episodeActions: EpisodeActionStore
  readonly listening: ListeningStore
  readonly feeds: FeedStore
  readonly feedHealth: FeedHealthStore
  readonly catalogue: CatalogueStore
  readonly library: LibraryStore
  readonly exports: ExportStore
  readonly directory: DirectoryStore
  readonly directoryUpkeep: DirectoryUpkeep
  readonly upgrades: UpgradeStore
  readonly settings: SettingsStore
  readonly disk: DiskStore
  /** Takes back what the last process has begun and not finished; before anything else. */
  recover(): Promise<void>
  /**
   * Resolves while what is stored can be read and changed; rejects with `unavailable` otherwise. At most every five seconds it asks the
   * disk, by writing and committing a little.
   */
  probe(): Promise<void>
  /**
   * Reads all that is stored, without keeping anybody waiting. Resolves with the number of faults; if there are any, changes are refused
   * from then on. Rejects when it could not be read to its end.
   */
  check(): Promise<number>
  /** Whether nothing is known to be wrong with what is stored, nor with the files it is in. */
  isSound(): boolean
  /** Settles when everything queued is on disk or refused. */
  idle(): Promise<void>
}
