import type { FeedRecord, ImportRecord, ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import type { Row, SqliteFile } from '../sqlite/sqlite-file.ts'
import { appDatabase, type Span } from './app-database.ts'
import { actionOf, createActionBatch, createSkipped, feedRecords, firstTime, numberOf, textOf } from './history.ts'

const DEVICE = 'antennapod'

/** `Feeds.state`; in databases that do not have it yet, all are subscribed to. */
const SUBSCRIBED = 0
const ARCHIVED = 2
/** `FeedItems.read`. */
const PLAYED = 1
/** A podcast that is a folder on the phone. */
const LOCAL = /^antennapod_local:/
/** Between the tags of a podcast; the first says that it is in the list outside of all folders. */
const TAG_SEPARATOR = '\u001e'
const ROOT_TAG = '#root'
/** Of a queue that is kept, so that it fits into the account's settings. */
const QUEUE_MAX = 200

const FEED = ['id', 'title', 'custom_title', 'download_url', 'state', 'tags', 'username'] as const
const ITEM = ['feed', 'read', 'pubDate', 'item_identifier'] as const
const MEDIA = [
  ...['feeditem', 'download_url', 'position', 'duration', 'last_played_time', 'playback_completion_date'],
] as const
const LISTED = ['feeditem'] as const

/** Whether this is the database of AntennaPod (version 2 and later, as far as they have been published). */
export function isAntennaPod(file: SqliteFile): boolean {
  return (
    file.has('Feeds', 'id', 'download_url') &&
    file.has('FeedItems', 'id', 'feed', 'read') &&
    file.has('FeedMedia', 'feeditem', 'download_url', 'position', 'duration')
  )
}

/**
 * The file that AntennaPod writes at Settings, Import/Export, Database export. Its times and positions are milliseconds.
 * All of it is read once before anything of it is told, so that a damaged one changes nothing. Cursors are the row IDs of
 * `FeedMedia`.
 */
export function openAntennaPod(path: string, name: string, now: () => number): ImportSource {
  return appDatabase({
    ...{ path, name, now, read },
    app: 'AntennaPod',
    isOwn: isAntennaPod,
    tables: [
      ['Feeds', FEED],
      ['FeedItems', ITEM],
      ['FeedMedia', MEDIA],
    ],
  })
}

function* read(file: SqliteFile, { after, total, now }: Span, signal: AbortSignal): Generator<SourcedRecord> {
  const isFirstRun = after === Number.NEGATIVE_INFINITY
  const podcasts = new Map<number, string>()
  const begin = [...readFeeds(file, podcasts)]
  if (isFirstRun) yield* begin

  const favorites = listed(file, 'Favorites')
  const queued = new Set([...listed(file, 'Queue')].slice(0, QUEUE_MAX))
  const addresses = new Map<number, readonly [podcast: string, episode: string]>()
  const batch = createActionBatch()
  const skipped = createSkipped()
  let done = 0
  for (const media of file.rows('FeedMedia', MEDIA)) {
    signal.throwIfAborted()
    if (++done % 10_000 === 0) yield { record: { kind: 'progress', done, total } }
    const itemId = numberOf(media.feeditem)
    const isMarked = favorites.has(itemId) || queued.has(itemId)
    const item = file.find('FeedItems', itemId, ITEM)
    const podcast = podcasts.get(numberOf(item?.feed))
    if (!item || podcast === undefined) {
      if (numberOf(media.position) > 0 || isMarked)
        skipped.add('episode_actions', 'of no podcast that the database has', textOf(media.download_url))
      continue
    }
    if (LOCAL.test(podcast)) continue
    const episode = textOf(media.download_url)
    if (queued.has(itemId)) addresses.set(itemId, [podcast, episode])
    if (media.rowid <= after) continue
    if (favorites.has(itemId)) yield { record: { kind: 'favorite', podcast, episode } }
    const action = actionOf({ podcast, episode, ...heardOf(item, media, now) }, DEVICE)
    if (action) yield* batch.add(action, String(media.rowid))
  }
  yield* batch.flush()
  yield* skipped.records()
  const queue = [...queued].flatMap((id) => addresses.get(id)?.join(' ') ?? [])
  if (queue.length > 0) yield { record: { kind: 'settings', scope: 'account', values: { antennapod_queue: queue } } }
  yield { record: { kind: 'progress', done: total, total } }
}

type Item = Row<(typeof ITEM)[number]>
type Media = Row<(typeof MEDIA)[number]>

function heardOf(item: Item, media: Media, now: number) {
  const seconds = (milliseconds: unknown) => Math.floor((typeof milliseconds === 'number' ? milliseconds : 0) / 1000)
  const lastPlayed = seconds(media.last_played_time)
  const completed = seconds(media.playback_completion_date)
  const isPlayed = item.read === PLAYED
  return {
    guid: textOf(item.item_identifier),
    isPlayed,
    position: seconds(media.position),
    total: seconds(media.duration),
    at: isPlayed
      ? firstTime(now, Math.max(lastPlayed, completed), lastPlayed, completed, seconds(item.pubDate))
      : firstTime(now, lastPlayed, seconds(item.pubDate)),
  }
}

/** What is known of the podcasts; puts all their addresses into `podcasts`. */
function* readFeeds(file: SqliteFile, podcasts: Map<number, string>): Generator<SourcedRecord> {
  const subscribed: FeedRecord[] = []
  const tags: ImportRecord[] = []
  const skipped = createSkipped()
  for (const feed of file.rows('Feeds', FEED)) {
    const url = textOf(feed.download_url)
    podcasts.set(feed.rowid, url)
    const title = textOf(feed.custom_title) || textOf(feed.title)
    if (url === '') {
      skipped.add('subscriptions', 'without an address that can be read', title)
      continue
    }
    if (LOCAL.test(url)) {
      skipped.add('subscriptions', 'a folder on the phone', title)
      continue
    }
    if (numberOf(feed.state) !== SUBSCRIBED) {
      const isArchived = numberOf(feed.state) === ARCHIVED
      skipped.add(
        'subscriptions',
        isArchived ? 'archived in AntennaPod; its history was imported' : 'not subscribed to in AntennaPod',
        title,
      )
      continue
    }
    subscribed.push({ url, title })
    const words = textOf(feed.tags)
      .split(TAG_SEPARATOR)
      .filter((tag) => tag !== '' && tag !== ROOT_TAG)
    if (words.length > 0)
      tags.push({ kind: 'settings', scope: 'podcast', podcast: url, values: { antennapod_tags: words } })
    if (textOf(feed.username) !== '') skipped.add('settings', 'the password of a podcast stays in AntennaPod', title)
  }
  yield { record: { kind: 'device', id: DEVICE, caption: 'AntennaPod', type: 'mobile' } }
  yield* feedRecords(DEVICE, subscribed)
  for (const record of tags) yield { record }
  yield* skipped.records()
}

/** The episodes in a list, in its order. Early databases do not have all of them. */
function listed(file: SqliteFile, table: string): ReadonlySet<number> {
  if (!file.has(table, ...LISTED)) return new Set()
  const ids = [...file.rows(table, LISTED)].map(({ feeditem }) => numberOf(feeditem))
  return new Set(ids.filter((id) => id > 0))
}
