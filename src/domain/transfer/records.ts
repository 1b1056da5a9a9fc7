import type { Chapter } from '../sync/ports/chapters.ts'
import type { DeviceType } from '../sync/ports/devices.ts'
import type { EpisodeAction } from '../sync/ports/episode-actions.ts'
import type { SettingsScope } from '../sync/ports/settings.ts'

/* Records of all import sources. The importer applies them one by one, by the rules of uploads. */

export const ITEMS_PER_RECORD = 500

/** Device for the podcasts of a list, which names none. An import may replace it. */
export const LIST_DEVICE = 'opml'

export interface TargetDevice {
  readonly id: string
  /** Name for a new device. */
  readonly caption?: string | undefined
}

export function retarget(record: ImportRecord, device: TargetDevice | undefined): ImportRecord {
  if (!device) return record
  if (record.kind === 'device' && record.id === LIST_DEVICE) return { ...record, ...device }
  return record.kind === 'feeds' && record.device === LIST_DEVICE ? { ...record, device: device.id } : record
}

export interface FeedRecord {
  /** Any text. The importer normalizes it, and reports text that is not a feed URL. */
  readonly url: string
  readonly title?: string | undefined
  /** Unix seconds when it was added or removed, 0 if unknown. Kept only if the account has never been used. */
  readonly at?: number | undefined
}

export interface FeedsRecord {
  readonly kind: 'feeds' | 'unsubscribed' | 'replaced'
  readonly device: string
  readonly feeds: readonly FeedRecord[]
}

interface DeviceRecord {
  readonly kind: 'device'
  readonly id: string
  readonly caption?: string | undefined
  readonly type?: DeviceType | undefined
  readonly lastSeenAt?: number | undefined
}

interface SyncGroupRecord {
  readonly kind: 'sync_group'
  readonly devices: readonly string[]
}

interface SettingsRecord {
  readonly kind: 'settings'
  readonly scope: SettingsScope
  readonly device?: string | undefined
  readonly podcast?: string | undefined
  readonly episode?: string | undefined
  readonly values: Readonly<Record<string, unknown>>
}

interface FavoriteRecord {
  readonly kind: 'favorite'
  readonly podcast: string
  readonly episode: string
  readonly at?: number | undefined
}

interface FolderRecord {
  readonly kind: 'folder'
  readonly name: string
  /** Feed URLs, any text. Podcasts that the account never had are left out. */
  readonly podcasts: readonly string[]
}

/** At most `ITEMS_PER_RECORD` episodes, in order. */
interface QueueRecord {
  readonly kind: 'queue'
  readonly episodes: readonly { readonly podcast: string; readonly episode: string }[]
}

interface PodcastListRecord {
  readonly kind: 'podcast_list'
  readonly title: string
  readonly urls: readonly string[]
}

interface ChaptersRecord {
  readonly kind: 'chapters'
  readonly podcast: string
  readonly episode: string
  readonly chapters: readonly Chapter[]
}

interface TitleRecord {
  readonly kind: 'title'
  readonly podcast: string
  readonly title: string
}

/** At most `ITEMS_PER_RECORD` actions from `createActionPlanner`. They create no devices. */
interface ActionsRecord {
  readonly kind: 'actions'
  readonly actions: readonly EpisodeAction[]
}

interface SkippedRecord {
  readonly kind: 'skipped'
  readonly what: CountedKind
  /** A sentence without a full stop, shared by all items that are skipped for this reason. */
  readonly reason: string
  readonly count?: number | undefined
  /** Must not contain secrets, since every reader of the report sees them. */
  readonly examples?: readonly string[] | undefined
}

/** Actual kind of the source, if its first bytes did not show it. */
interface SourceRecord {
  readonly kind: 'source'
  readonly source: string
}

interface ProgressRecord {
  readonly kind: 'progress'
  readonly done: number
  readonly total?: number | undefined
}

export type ImportRecord =
  | DeviceRecord
  | FeedsRecord
  | SyncGroupRecord
  | SettingsRecord
  | FavoriteRecord
  | FolderRecord
  | QueueRecord
  | PodcastListRecord
  | ChaptersRecord
  | TitleRecord
  | ActionsRecord
  | SkippedRecord
  | SourceRecord
  | ProgressRecord

export const COUNTED_KINDS = [
  'devices',
  'subscriptions',
  'removed_subscriptions',
  'replaced_addresses',
  'sync_groups',
  'settings',
  'favorites',
  'folders',
  'queue',
  'podcast_lists',
  'chapters',
  'titles',
  'episode_actions',
] as const

export type CountedKind = (typeof COUNTED_KINDS)[number]

export interface SourcedRecord {
  readonly record: ImportRecord
  /** Position from which a later run may resume once this record has been applied. */
  readonly cursor?: string | undefined
}

export interface ImportSource {
  readonly name: string
  /** Reads lazily from `resumeFrom`, the last cursor. Throws a `DomainError` about the source, or `signal`'s reason. */
  records(resumeFrom: string | undefined, signal: AbortSignal): AsyncIterable<SourcedRecord>
}
