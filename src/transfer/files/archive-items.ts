import { DomainError } from '../../domain/shared/errors.ts'
import { LISTED_FEEDS_PER_USER } from '../../domain/shared/limits.ts'
import { parseActionTimestamp } from '../../domain/shared/time.ts'
import type { Chapter } from '../../domain/sync/ports/chapters.ts'
import type { DeviceType } from '../../domain/sync/ports/devices.ts'
import type { SettingsScope } from '../../domain/sync/ports/settings.ts'
import { actionRecords } from '../../domain/transfer/action-records.ts'
import type { CountedKind, FeedRecord, FeedsRecord, ImportRecord } from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { settingsRecord } from '../settings-record.ts'

export const COUNTED: ReadonlyMap<string, CountedKind> = new Map([
  ['devices/*', 'devices'],
  ['devices/*/subscriptions/*', 'subscriptions'],
  ['devices/*/unsubscribed/*', 'removed_subscriptions'],
  ['devices/*/replaced_addresses/*', 'replaced_addresses'],
  ['sync_groups/*', 'sync_groups'],
  ['settings/*', 'settings'],
  ['favorites/*', 'favorites'],
  ['folders/*', 'folders'],
  ['queue/*', 'queue'],
  ['podcast_lists/*', 'podcast_lists'],
  ['chapters/*', 'chapters'],
  ['titles/*', 'titles'],
  ['episode_actions/*', 'episode_actions'],
])

const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])
const SCOPES: ReadonlySet<string> = new Set<SettingsScope>(['account', 'device', 'podcast', 'episode'])

export const DAMAGED = 'the archive is damaged here'

const LONG_LIST: ImportRecord = {
  kind: 'skipped',
  what: 'podcast_lists',
  reason: 'more podcasts than the lists of an account may have',
}

export function readBatch(
  where: string,
  device: string | undefined,
  items: readonly unknown[],
): Iterable<ImportRecord> {
  switch (where) {
    case 'devices/*/subscriptions/*':
      return feedRecords('feeds', 'subscriptions', device, items)
    case 'devices/*/unsubscribed/*':
      return feedRecords('unsubscribed', 'removed_subscriptions', device, items)
    case 'devices/*/replaced_addresses/*':
      return feedRecords('replaced', 'replaced_addresses', device, items)
    case 'episode_actions/*':
      return actionRecords(items, 0)
    case 'chapters/*':
      return chapterRecords(items)
    case 'queue/*':
      return queueRecords(items)
    default:
      return singleRecords(where, items)
  }
}

function* singleRecords(where: string, items: readonly unknown[]): Generator<ImportRecord> {
  let unreadable = 0
  for (const item of items) {
    const record = READERS.get(where)?.(item)
    if (record) yield record
    else unreadable++
  }
  if (unreadable > 0) yield damaged(where, unreadable)
}

function damaged(where: string, count: number): ImportRecord {
  return { kind: 'skipped', what: COUNTED.get(where) ?? 'settings', reason: DAMAGED, count }
}

function* feedRecords(
  kind: FeedsRecord['kind'],
  what: CountedKind,
  device: string | undefined,
  items: readonly unknown[],
): Generator<ImportRecord> {
  const feeds = device === undefined ? [] : items.flatMap((item) => feedOf(item) ?? [])
  if (device !== undefined && feeds.length > 0) yield { kind, device, feeds }
  if (feeds.length < items.length) yield { kind: 'skipped', what, reason: DAMAGED, count: items.length - feeds.length }
}

/** Reads a feed. A string is a feed without a time, as in the list of replaced addresses. */
function feedOf(item: unknown): FeedRecord | undefined {
  if (typeof item === 'string') return { url: item }
  if (!isRecord(item)) return undefined
  const url = textOf(item['url'])
  return url === undefined ? undefined : { url, at: timeOf(item['added'] ?? item['removed']) }
}

/** Unix seconds; 0 for an empty string, which means unknown in archives; `undefined` if missing. */
export function timeOf(value: unknown): number | undefined {
  if (value === '') return 0
  const at = momentOf(value)
  return at === undefined ? undefined : Math.max(0, at)
}

/** Unix seconds; `undefined` for an invalid time. */
function momentOf(value: unknown): number | undefined {
  try {
    return value === undefined ? undefined : parseActionTimestamp(value, 0)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

const READERS: ReadonlyMap<string, (item: unknown) => ImportRecord | undefined> = new Map([
  ['sync_groups/*', readGroup],
  ['settings/*', readSettings],
  ['favorites/*', readFavorite],
  ['folders/*', readFolder],
  ['podcast_lists/*', readList],
  ['titles/*', readTitle],
])

function readGroup(item: unknown): ImportRecord | undefined {
  if (!Array.isArray(item)) return undefined
  return { kind: 'sync_group', devices: item.filter((id) => typeof id === 'string') }
}

function readSettings(item: unknown): ImportRecord | undefined {
  if (!isRecord(item) || !isRecord(item['settings']) || !isScope(item['scope'])) return undefined
  const [device, podcast, episode] = [textOf(item['device']), textOf(item['podcast']), textOf(item['episode'])]
  return settingsRecord({ scope: item['scope'], device, podcast, episode }, item['settings'])
}

function readFavorite(item: unknown): ImportRecord | undefined {
  const episode = episodeOf(item)
  return episode && { kind: 'favorite', ...episode, at: timeOf(isRecord(item) ? item['added'] : undefined) }
}

function readList(item: unknown): ImportRecord | undefined {
  if (!isRecord(item) || !Array.isArray(item['podcasts'])) return undefined
  if (item['podcasts'].length > LISTED_FEEDS_PER_USER) return LONG_LIST
  const urls = item['podcasts'].filter((url) => typeof url === 'string')
  return { kind: 'podcast_list', title: textOf(item['title']) ?? '', urls }
}

function readFolder(item: unknown): ImportRecord | undefined {
  if (!isRecord(item) || typeof item['name'] !== 'string' || !Array.isArray(item['podcasts'])) return undefined
  const podcasts = item['podcasts'].filter((url) => typeof url === 'string')
  return { kind: 'folder', name: item['name'], podcasts: podcasts.slice(0, LISTED_FEEDS_PER_USER) }
}

function readTitle(item: unknown): ImportRecord | undefined {
  const [podcast, title] = isRecord(item) ? [textOf(item['podcast']), textOf(item['title'])] : []
  return podcast === undefined || title === undefined ? undefined : { kind: 'title', podcast, title }
}

function* queueRecords(items: readonly unknown[]): Generator<ImportRecord> {
  const episodes = items.flatMap((item) => episodeOf(item) ?? [])
  if (episodes.length > 0) yield { kind: 'queue', episodes }
  if (episodes.length < items.length) yield damaged('queue/*', items.length - episodes.length)
}

function* chapterRecords(items: readonly unknown[]): Generator<ImportRecord> {
  let current: { kind: 'chapters'; podcast: string; episode: string; chapters: Chapter[] } | undefined
  let unreadable = 0
  for (const item of items) {
    const [episode, chapter] = [episodeOf(item), chapterOf(item)]
    if (!episode || !chapter) unreadable++
    else if (current && current.podcast === episode.podcast && current.episode === episode.episode)
      current.chapters.push(chapter)
    else {
      if (current) yield current
      current = { kind: 'chapters', ...episode, chapters: [chapter] }
    }
  }
  if (current) yield current
  if (unreadable > 0) yield damaged('chapters/*', unreadable)
}

function chapterOf(item: unknown): Chapter | undefined {
  if (!isRecord(item)) return undefined
  const { start, end, label, advertisement } = item
  if (typeof start !== 'number' || typeof end !== 'number' || typeof label !== 'string') return undefined
  return { start, end, label, isAdvertisement: advertisement === true }
}

function episodeOf(item: unknown): { readonly podcast: string; readonly episode: string } | undefined {
  const [podcast, episode] = isRecord(item) ? [textOf(item['podcast']), textOf(item['episode'])] : []
  return podcast === undefined || episode === undefined ? undefined : { podcast, episode }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function isType(value: unknown): value is DeviceType {
  return typeof value === 'string' && TYPES.has(value)
}

function isScope(value: unknown): value is SettingsScope {
  return typeof value === 'string' && SCOPES.has(value)
}
