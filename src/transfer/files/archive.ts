import { statSync } from 'node:fs'
import { DomainError } from '../../domain/shared/errors.ts'
import { parseExactly } from '../../domain/shared/exact-json.ts'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { LISTED_FEEDS_PER_USER } from '../../domain/shared/limits.ts'
import { parseActionTimestamp } from '../../domain/shared/time.ts'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from '../../domain/sync/export.ts'
import { heardStretch } from '../../domain/sync/history/heard.ts'
import type { DeviceType } from '../../domain/sync/ports/devices.ts'
import type { HeardEpisode } from '../../domain/sync/ports/history.ts'
import type { SettingsScope } from '../../domain/sync/ports/settings.ts'
import { actionRecords } from '../../domain/transfer/action-records.ts'
import {
  type CountedKind,
  type FeedRecord,
  type FeedsRecord,
  type ImportRecord,
  type ImportSource,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { type JsonLeaf, type JsonPath, readJsonLeaves } from './json-stream.ts'
import { readPieces } from './pieces.ts'

/** Parts of an archive whose items come one by one. */
const ENTERED: ReadonlySet<string> = new Set([
  '',
  'devices',
  'devices/*',
  'devices/*/subscriptions',
  'devices/*/unsubscribed',
  'devices/*/replaced_addresses',
  'sync_groups',
  'settings',
  'favorites',
  'podcast_lists',
  'chapters',
  'titles',
  'episode_actions',
  'heard',
])

/** Those that are lists. */
const LISTS: ReadonlySet<string> = new Set([...ENTERED].filter((path) => path !== '' && path !== 'devices/*'))

/** What the items of a list are, in the words of the report. */
const COUNTED: Readonly<Record<string, CountedKind>> = {
  'devices/*': 'devices',
  'devices/*/subscriptions/*': 'subscriptions',
  'devices/*/unsubscribed/*': 'removed_subscriptions',
  'devices/*/replaced_addresses/*': 'replaced_addresses',
  'sync_groups/*': 'sync_groups',
  'settings/*': 'settings',
  'favorites/*': 'favorites',
  'podcast_lists/*': 'podcast_lists',
  'chapters/*': 'chapters',
  'titles/*': 'titles',
  'episode_actions/*': 'episode_actions',
  'heard/*': 'heard',
}

const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])
const SCOPES: ReadonlySet<string> = new Set<SettingsScope>(['account', 'device', 'podcast', 'episode'])

/** Bytes between two words about how far it is. */
const PROGRESS_BYTES = 4 * 1024 * 1024

/**
 * Characters of one item, and of items that are told together: both are passed to the thread that serves everybody. A list
 * of podcasts may be longer, since it is known by then how many it has.
 */
const ITEM_MAX = 1024 * 1024

const HEAD = /^\ufeff?\s*\{\s*"format"\s*:\s*"podstep account"\s*(?:,\s*"version"\s*:\s*(\d{1,9}))?/

/** Whether this is the beginning of an archive. Throws `validation_failed` for one of a later version. */
export function isArchive(head: string): boolean {
  const match = HEAD.exec(head)
  if (match?.[1] !== undefined) checkVersion(Number(match[1]))
  return match !== null
}

function checkVersion(version: unknown): void {
  if (typeof version === 'number' && Number.isInteger(version) && version >= 1 && version <= ARCHIVE_VERSION) return
  const isLater = typeof version === 'number' && version > ARCHIVE_VERSION
  throw new DomainError(
    'validation_failed',
    isLater
      ? `this archive has version ${version}, of a later podstep; this server reads archives up to version ${ARCHIVE_VERSION}: update it first`
      : 'this archive does not say which version it has',
  )
}

/**
 * An archive of ours (docs/moving.md#the-archive). It is read twice, so that a damaged one is refused before anything of
 * it has been imported. Cursors are the bytes that have been read.
 */
export function openArchive(path: string, name: string): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      const skipUntil = Number(resumeFrom ?? 0)
      if (skipUntil === 0) await check(path, signal)
      yield* read(path, skipUntil, signal)
    },
  }
}

const isEntered = (path: JsonPath) => ENTERED.has(path.join('/'))

/** Throws `validation_failed` or `invalid_json` for what cannot be read to its end. */
async function check(path: string, signal: AbortSignal): Promise<void> {
  let parts = 0
  let hasVersion = false
  for await (const leaf of readJsonLeaves(readPieces(path), { isEntered })) {
    signal.throwIfAborted()
    const value = leaf.text === '' || leaf.text === undefined ? undefined : parse(leaf, leaf.text)
    const [first = ''] = leaf.path
    if (parts === 0 && (first !== 'format' || value !== ARCHIVE_FORMAT))
      throw new DomainError('validation_failed', 'this is no archive of a podstep account')
    if (parts === 1) {
      checkVersion(first === 'version' ? value : undefined)
      hasVersion = true
    }
    const list = leaf.path.at(-1) === '*' ? '' : listAt(leaf.path)
    if (list !== '') throw new DomainError('validation_failed', `this archive is damaged: ${list} is no list`)
    parts++
  }
  if (!hasVersion) checkVersion(undefined)
}

/** Of a list of archives that this is, or should be an item of; '' for what is neither. */
function listAt(path: JsonPath): string {
  return [path, path.slice(0, -1)].map((each) => each.join('/')).find((each) => LISTS.has(each)) ?? ''
}

function parse({ end }: JsonLeaf, text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    throw new DomainError('invalid_json', `the file is damaged: what ends at byte ${end} is no JSON`)
  }
}

async function* read(path: string, skipUntil: number, signal: AbortSignal): AsyncGenerator<SourcedRecord> {
  const total = statSync(path).size
  const isNeeded = (at: JsonPath) => at[0] === 'devices' && at.length === 3
  const device = createDeviceReader()
  let batch: Batch | undefined
  let told = 0
  for await (const leaf of readJsonLeaves(readPieces(path), { isEntered, skipUntil, isNeeded })) {
    signal.throwIfAborted()
    const where = leaf.path.join('/')
    if (batch && (batch.where !== where || batch.items.length === ITEMS_PER_RECORD || batch.length > ITEM_MAX)) {
      yield* recordsOf(batch)
      batch = undefined
    }
    if (leaf.end - told > PROGRESS_BYTES) {
      told = leaf.end
      yield { record: { kind: 'progress', done: told, total } }
    }
    const kind = COUNTED[where]
    const isNew = leaf.end > skipUntil
    if (where === 'devices/*') {
      const record = device.begin()
      if (record && isNew) yield { record }
    } else if (isNeeded(leaf.path)) device.read(leaf)
    else if (kind && !isNew) device.noteTold()
    else if (kind && (leaf.text === undefined || isTooLong(where, leaf.text)))
      yield { record: { kind: 'skipped', what: kind, reason: 'too long' } }
    else if (kind && leaf.text !== undefined) {
      const record = device.take()
      if (record) yield { record }
      batch ??= { where, device: device.id(), items: [], length: 0, end: 0 }
      batch.items.push(parse(leaf, leaf.text))
      batch.length += leaf.text.length
      batch.end = leaf.end
    }
  }
  if (batch) yield* recordsOf(batch)
  const last = device.take()
  if (last) yield { record: last }
  yield { record: { kind: 'progress', done: total, total } }
}

function isTooLong(where: string, text: string): boolean {
  return text.length > ITEM_MAX && where !== 'podcast_lists/*'
}

/** What an archive says of one device after the other. */
function createDeviceReader() {
  let members: Record<string, unknown> | undefined
  let isTold = true

  function take(): ImportRecord | undefined {
    if (isTold || !members) return undefined
    isTold = true
    const { id, caption, type, last_contact: lastSeen } = members
    if (typeof id !== 'string') return { kind: 'skipped', what: 'devices', reason: DAMAGED }
    return {
      kind: 'device',
      id,
      caption: textOf(caption),
      type: isType(type) ? type : undefined,
      lastSeenAt: timeOf(lastSeen),
    }
  }

  return {
    /** The device that has been read; undefined if it has been told. */
    take,
    /** Another device; tells the one before it. */
    begin(): ImportRecord | undefined {
      const before = take()
      members = {}
      isTold = false
      return before
    },
    read(leaf: JsonLeaf): void {
      const name = leaf.path[2] ?? ''
      if (members && leaf.text !== undefined && leaf.text.length <= ITEM_MAX) members[name] = parse(leaf, leaf.text)
    },
    /** An earlier run has got further than this device. */
    noteTold(): void {
      isTold = true
    },
    id: () => textOf(members?.['id']),
  }
}

const LONG_LIST: ImportRecord = {
  kind: 'skipped',
  what: 'podcast_lists',
  reason: 'more podcasts than the lists of an account may have',
}

/** Items of one list, in their order. */
interface Batch {
  readonly where: string
  readonly device: string | undefined
  readonly items: unknown[]
  /** Characters of all of them. */
  length: number
  /** Of the byte after the last one. */
  end: number
}

const DAMAGED = 'the archive is damaged here'

function* recordsOf({ where, device, items, end }: Batch): Generator<SourcedRecord> {
  const records = [...readBatch(where, device, items)]
  const last = records.pop()
  for (const record of records) yield { record }
  if (last) yield { record: last, cursor: String(end) }
}

function readBatch(where: string, device: string | undefined, items: readonly unknown[]): Iterable<ImportRecord> {
  switch (where) {
    case 'devices/*/subscriptions/*':
      return feedRecords('feeds', 'subscriptions', device, items)
    case 'devices/*/unsubscribed/*':
      return feedRecords('unsubscribed', 'removed_subscriptions', device, items)
    case 'devices/*/replaced_addresses/*':
      return feedRecords('replaced', 'replaced_addresses', device, items)
    case 'episode_actions/*':
      return actionRecords(items, 0)
    case 'heard/*':
      return heardRecords(items)
    case 'chapters/*':
      return chapterRecords(items)
    default:
      return singleRecords(where, items)
  }
}

function* singleRecords(where: string, items: readonly unknown[]): Generator<ImportRecord> {
  let lost = 0
  for (const item of items) {
    const record = READERS[where]?.(item)
    if (record) yield record
    else lost++
  }
  if (lost > 0) yield damaged(where, lost)
}

function damaged(where: string, count: number): ImportRecord {
  return { kind: 'skipped', what: COUNTED[where] ?? 'settings', reason: DAMAGED, count }
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

/** A text is a feed without a time, as in the list of replaced addresses. */
function feedOf(item: unknown): FeedRecord | undefined {
  if (typeof item === 'string') return { url: item }
  if (!isRecord(item)) return undefined
  const url = textOf(item['url'])
  return url === undefined ? undefined : { url, at: timeOf(item['added'] ?? item['removed']) }
}

/** Unix seconds; 0 for an empty text, which is how archives say that nobody knows; undefined where there is none. */
function timeOf(value: unknown): number | undefined {
  if (value === '') return 0
  const at = momentOf(value)
  return at === undefined ? undefined : Math.max(0, at)
}

/** Unix seconds; undefined for what is no time. */
function momentOf(value: unknown): number | undefined {
  try {
    return value === undefined ? undefined : parseActionTimestamp(value, 0)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

const READERS: Readonly<Record<string, (item: unknown) => ImportRecord | undefined>> = {
  'sync_groups/*': (item) =>
    Array.isArray(item) ? { kind: 'sync_group', devices: item.filter((id) => typeof id === 'string') } : undefined,
  'settings/*': (item) => {
    if (!isRecord(item) || !isRecord(item['settings']) || !isScope(item['scope'])) return undefined
    const [device, podcast, episode] = [textOf(item['device']), textOf(item['podcast']), textOf(item['episode'])]
    return { kind: 'settings', scope: item['scope'], device, podcast, episode, values: item['settings'] }
  },
  'favorites/*': (item) => {
    const of = episodeOf(item)
    return of && { kind: 'favorite', ...of, at: timeOf(isRecord(item) ? item['added'] : undefined) }
  },
  'podcast_lists/*': (item) => {
    if (!isRecord(item) || !Array.isArray(item['podcasts'])) return undefined
    if (item['podcasts'].length > LISTED_FEEDS_PER_USER) return LONG_LIST
    const urls = item['podcasts'].filter((url) => typeof url === 'string')
    return { kind: 'podcast_list', title: textOf(item['title']) ?? '', urls }
  },
  'titles/*': (item) => {
    const [podcast, title] = isRecord(item) ? [textOf(item['podcast']), textOf(item['title'])] : []
    return podcast === undefined || title === undefined ? undefined : { kind: 'title', podcast, title }
  },
}

function* heardRecords(items: readonly unknown[]): Generator<ImportRecord> {
  const heard = items.flatMap((item) => heardOf(item) ?? [])
  if (heard.length > 0) yield { kind: 'heard', heard }
  if (heard.length < items.length)
    yield { kind: 'skipped', what: 'heard', reason: DAMAGED, count: items.length - heard.length }
}

/** Undefined also for what nobody can have heard. */
function heardOf(item: unknown): HeardEpisode | undefined {
  const of = episodeOf(item)
  if (!of || !isRecord(item)) return undefined
  const [at, podcast, episode] = [momentOf(item['timestamp']), sanitizeUrl(of.podcast), sanitizeUrl(of.episode)]
  const { from, to } = item
  if (at === undefined || podcast === undefined || episode === undefined) return undefined
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined
  const stretch = heardStretch(Number(from), Number(to), undefined)
  return stretch && { podcast, episode, at, ...stretch }
}

/** Those of one episode stand together. */
function* chapterRecords(items: readonly unknown[]): Generator<ImportRecord> {
  let current: Extract<ImportRecord, { kind: 'chapters' }> | undefined
  let lost = 0
  for (const item of items) {
    const [of, chapter] = [episodeOf(item), chapterOf(item)]
    if (!of || !chapter) lost++
    else if (current && current.podcast === of.podcast && current.episode === of.episode)
      current = { ...current, chapters: [...current.chapters, chapter] }
    else {
      if (current) yield current
      current = { kind: 'chapters', ...of, chapters: [chapter] }
    }
  }
  if (current) yield current
  if (lost > 0) yield damaged('chapters/*', lost)
}

function chapterOf(item: unknown) {
  if (!isRecord(item)) return undefined
  const { start, end, label, advertisement } = item
  if (typeof start !== 'number' || typeof end !== 'number' || typeof label !== 'string') return undefined
  return { start, end, label, isAdvertisement: advertisement === true }
}

function episodeOf(item: unknown): { readonly podcast: string; readonly episode: string } | undefined {
  const [podcast, episode] = isRecord(item) ? [textOf(item['podcast']), textOf(item['episode'])] : []
  return podcast === undefined || episode === undefined ? undefined : { podcast, episode }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isType(value: unknown): value is DeviceType {
  return typeof value === 'string' && TYPES.has(value)
}

function isScope(value: unknown): value is SettingsScope {
  return typeof value === 'string' && SCOPES.has(value)
}
