import { QUEUE_MAX } from '../../../domain/shared/limits.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { ITEMS_PER_RECORD, type SourcedRecord } from '../../../domain/transfer/records.ts'
import type { AppDatabase, DatabaseApp, Row, Span } from './app-database.ts'
import {
  actionOf,
  createActionBatch,
  createFeedBatch,
  createFolderBatch,
  createSkipped,
  firstTime,
  numberOf,
  textOf,
} from './history.ts'

const DEVICE = 'antennapod'

const SUBSCRIBED = 0
const ARCHIVED = 2
const PLAYED = 1
const LOCAL = /^antennapod_local:/
const TAG_SEPARATOR = '\u001e'
const ROOT_TAG = '#root'
const TAGS_MAX = 100
const FAVORITES_MAX = 100_000

/** AntennaPod's database export (version 2 and later). Times and positions are in milliseconds. */
export const ANTENNAPOD: DatabaseApp = {
  source: 'antennapod',
  tables: {
    Feeds: ['id', 'download_url'],
    FeedItems: ['id', 'feed', 'read'],
    FeedMedia: ['feeditem', 'download_url', 'position', 'duration'],
  },
  optional: ['Favorites', 'Queue'],
  history: 'FeedMedia',
  read,
}

function* read(database: AppDatabase, { after, total, now }: Span, signal: AbortSignal): Generator<SourcedRecord> {
  if (after === undefined) yield* readFeeds(database)

  const favorites = listed(database, 'Favorites', FAVORITES_MAX)
  const queued = listed(database, 'Queue', QUEUE_MAX)
  const addresses = new Map<number, { readonly podcast: string; readonly episode: string }>()
  const batch = createActionBatch()
  const skipped = createSkipped()
  let done = 0
  for (const row of historyOf(database)) {
    signal.throwIfAborted()
    if (++done % 10_000 === 0) yield { record: { kind: 'progress', done, total } }
    const id = numberOf(row['id'])
    const itemId = numberOf(row['item'])
    const isFavorite = favorites.has(itemId)
    const [podcast, episode] = [textOf(row['podcast']), textOf(row['episode'])]
    if (row['feed'] === null) {
      if (numberOf(row['position']) > 0 || isFavorite || queued.has(itemId))
        skipped.add('episode_actions', 'of no podcast that the database has', episode)
      continue
    }
    if (LOCAL.test(podcast)) continue
    if (queued.has(itemId)) addresses.set(itemId, { podcast, episode })
    if (after !== undefined && id <= after) continue
    if (isFavorite) yield { record: { kind: 'favorite', podcast, episode } }
    const action = actionOf({ podcast, episode, ...playbackOf(row, now) }, DEVICE)
    if (action) yield* batch.add(action, String(id))
  }
  yield* batch.flush()
  yield* skipped.records()
  const queue = [...queued].flatMap((id) => addresses.get(id) ?? [])
  for (const episodes of slices(queue, ITEMS_PER_RECORD)) yield { record: { kind: 'queue', episodes } }
  yield { record: { kind: 'progress', done: total, total } }
}

function historyOf(database: AppDatabase): Iterable<Row> {
  const media = database.columns('FeedMedia', 'm')
  const item = database.columns('FeedItems', 'i')
  return database.rows(`
    SELECT m.rowid AS id, ${media.number('feeditem')} AS item, f.rowid AS feed, ${media.text('download_url')} AS episode,
      ${database.columns('Feeds', 'f').text('download_url')} AS podcast, ${item.text('item_identifier')} AS guid,
      ${item.number('read')} AS read, ${item.number('pubDate')} AS published, ${media.number('position')} AS position,
      ${media.number('duration')} AS duration, ${media.number('last_played_time')} AS played,
      ${media.number('playback_completion_date')} AS completed
    FROM FeedMedia AS m NOT INDEXED
      LEFT JOIN FeedItems AS i NOT INDEXED ON i.rowid = m.feeditem
      LEFT JOIN Feeds AS f NOT INDEXED ON f.rowid = i.feed
    ORDER BY m.rowid`)
}

function playbackOf(row: Row, now: number) {
  const seconds = (milliseconds: Row[string] | undefined) => Math.floor(numberOf(milliseconds) / 1000)
  const lastPlayed = seconds(row['played'])
  const completed = seconds(row['completed'])
  const published = seconds(row['published'])
  const isPlayed = row['read'] === PLAYED
  return {
    guid: textOf(row['guid']),
    isPlayed,
    position: seconds(row['position']),
    total: seconds(row['duration']),
    at: isPlayed
      ? firstTime(now, Math.max(lastPlayed, completed), lastPlayed, completed, published)
      : firstTime(now, lastPlayed, published),
  }
}

function* readFeeds(database: AppDatabase): Generator<SourcedRecord> {
  yield { record: { kind: 'device', id: DEVICE, caption: 'AntennaPod', type: 'mobile' } }
  const feeds = createFeedBatch(DEVICE)
  const skipped = createSkipped()
  for (const row of podcastsOf(database)) {
    const title = textOf(row['custom']) || textOf(row['title'])
    const reason = whyNot(row)
    if (reason !== undefined) skipped.add('subscriptions', reason, title)
    else {
      yield* feeds.add({ url: textOf(row['url']), title })
      if (textOf(row['username']) !== '')
        skipped.add('settings', 'the password of a podcast stays in AntennaPod', title)
    }
  }
  yield* feeds.flush()
  const folders = createFolderBatch()
  for (const row of podcastsOf(database))
    if (whyNot(row) === undefined) for (const tag of tagsOf(row)) folders.add(tag, textOf(row['url']))
  yield* folders.records()
  yield* skipped.records()
}

function podcastsOf(database: AppDatabase): Iterable<Row> {
  const { text, number } = database.columns('Feeds', 'f')
  return database.rows(`
    SELECT ${text('download_url')} AS url, ${text('title')} AS title, ${text('custom_title')} AS custom,
      ${text('tags')} AS tags, ${text('username')} AS username, ${number('state')} AS state
    FROM Feeds AS f NOT INDEXED ORDER BY f.rowid`)
}

/** Reason why a podcast is not a subscription; `undefined` if it is one. */
function whyNot(row: Row): string | undefined {
  const [url, state] = [textOf(row['url']), numberOf(row['state'])]
  if (url === '') return 'without a valid URL'
  if (LOCAL.test(url)) return 'a folder on the phone'
  if (state === ARCHIVED) return 'archived in AntennaPod; its history was imported'
  return state === SUBSCRIBED ? undefined : 'not subscribed to in AntennaPod'
}

function tagsOf(row: Row): string[] {
  return textOf(row['tags'])
    .split(TAG_SEPARATOR, TAGS_MAX)
    .filter((tag) => tag !== '' && tag !== ROOT_TAG)
}

function listed(database: AppDatabase, table: string, max: number): ReadonlySet<number> {
  if (!database.has(table, ['feeditem'])) return new Set()
  const { number } = database.columns(table, 'l')
  const rows = database.rows(`
    SELECT ${number('feeditem')} AS id FROM ${table} AS l NOT INDEXED WHERE ${number('feeditem')} > 0
    ORDER BY l.rowid LIMIT ${max}`)
  return new Set(Iterator.from(rows).map(({ id }) => numberOf(id)))
}
