import type { FeedRecord, ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import type { Row, SqliteFile } from '../sqlite/sqlite-file.ts'
import { appDatabase, type Span } from './app-database.ts'
import { actionOf, createActionBatch, createSkipped, feedRecords, firstTime, numberOf, textOf } from './history.ts'

const DEVICE = 'gpodder'

/** `episode.state`: the user has removed it. */
const DELETED = 2

const PODCAST = ['id', 'url', 'title', 'auth_username'] as const
const EPISODE = [
  ...['podcast_id', 'url', 'state', 'is_new', 'total_time', 'current_position'],
  ...['current_position_updated', 'last_playback', 'published'],
] as const

/** Whether this is the file `Database` of gPodder 3 or later. */
export function isGpodder(file: SqliteFile): boolean {
  return (
    file.has('podcast', 'id', 'url') &&
    file.has('episode', 'podcast_id', 'url', 'state', 'total_time', 'current_position', 'published')
  )
}

/**
 * gPodder's file `Database`. Its times and positions are seconds. All of it is read once before anything of it is told,
 * so that a damaged one changes nothing. Cursors are the row IDs of `episode`.
 */
export function openGpodder(path: string, name: string, now: () => number): ImportSource {
  return appDatabase({
    ...{ path, name, now, read },
    app: 'gPodder',
    isOwn: isGpodder,
    tables: [
      ['podcast', PODCAST],
      ['episode', EPISODE],
    ],
  })
}

function* read(file: SqliteFile, { after, total, now }: Span, signal: AbortSignal): Generator<SourcedRecord> {
  const isFirstRun = after === Number.NEGATIVE_INFINITY
  const podcasts = new Map<number, string>()
  const skipped = createSkipped()
  const feeds: FeedRecord[] = []
  for (const podcast of file.rows('podcast', PODCAST)) {
    const [url, title] = [textOf(podcast.url), textOf(podcast.title)]
    podcasts.set(podcast.rowid, url)
    feeds.push({ url, title })
    if (isFirstRun && textOf(podcast.auth_username) !== '')
      skipped.add('settings', 'the password of a podcast stays in gPodder', title)
  }
  if (isFirstRun) {
    yield { record: { kind: 'device', id: DEVICE, caption: 'gPodder', type: 'desktop' } }
    yield* feedRecords(DEVICE, feeds)
  }

  const batch = createActionBatch()
  let done = 0
  for (const episode of file.rows('episode', EPISODE)) {
    signal.throwIfAborted()
    if (++done % 10_000 === 0) yield { record: { kind: 'progress', done, total } }
    if (episode.rowid <= after) continue
    const podcast = podcasts.get(numberOf(episode.podcast_id))
    const action = podcast === undefined ? undefined : readAction(podcast, episode, now)
    if (action) yield* batch.add(action, String(episode.rowid))
    else if (podcast === undefined)
      skipped.add('episode_actions', 'of no podcast that the database has', textOf(episode.url))
  }
  yield* batch.flush()
  yield* skipped.records()
  yield { record: { kind: 'progress', done: total, total } }
}

/**
 * That an episode is not new says little, since gPodder adds old ones so: it has been heard if it was ever played, to
 * its end by gPodder's own rule: the last ten seconds, or the last hundredth, do not count. Its guids are not those of
 * the feed: it makes addresses of them, and apps would look for those in vain.
 */
function readAction(podcast: string, row: Row<(typeof EPISODE)[number]>, now: number) {
  const episode = textOf(row.url)
  const position = Math.floor(numberOf(row.current_position))
  const total = Math.floor(numberOf(row.total_time))
  const lastPlayback = numberOf(row.last_playback)
  const hasBegun = position > 0
  const isAtEnd = hasBegun && total > 0 && (position + 10 >= total || position >= total * 0.99)
  // Played in a program that does not tell gPodder where it was.
  const isPlayed = isAtEnd || (!hasBegun && lastPlayback > 0 && numberOf(row.is_new) === 0)
  const at = firstTime(now, numberOf(row.current_position_updated), lastPlayback, numberOf(row.published))
  const heard = actionOf({ podcast, episode, isPlayed, position, total, at }, DEVICE)
  if (heard || row.state !== DELETED) return heard
  return { podcast, episode, device: DEVICE, action: 'delete', timestamp: at }
}
