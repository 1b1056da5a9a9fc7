import type { SourcedRecord } from '../../../domain/transfer/records.ts'
import type { AppDatabase, DatabaseApp, Row, Span } from './app-database.ts'
import { actionOf, createActionBatch, createFeedBatch, createSkipped, firstTime, numberOf, textOf } from './history.ts'

const DEVICE = 'gpodder'

const DELETED = 2

/** The file `Database` of gPodder 3 or later. Its times and positions are seconds. */
export const GPODDER: DatabaseApp = {
  source: 'gpodder',
  tables: {
    podcast: ['id', 'url'],
    episode: ['podcast_id', 'url', 'state', 'total_time', 'current_position', 'published'],
  },
  optional: [],
  history: 'episode',
  read,
}

function* read(database: AppDatabase, { after, total, now }: Span, signal: AbortSignal): Generator<SourcedRecord> {
  const skipped = createSkipped()
  if (after === undefined) {
    yield { record: { kind: 'device', id: DEVICE, caption: 'gPodder', type: 'desktop' } }
    const feeds = createFeedBatch(DEVICE)
    for (const row of podcastsOf(database)) {
      const title = textOf(row['title'])
      yield* feeds.add({ url: textOf(row['url']), title })
      if (textOf(row['username']) !== '') skipped.add('settings', 'the password of a podcast stays in gPodder', title)
    }
    yield* feeds.flush()
  }

  const batch = createActionBatch()
  let done = 0
  for (const row of historyOf(database)) {
    signal.throwIfAborted()
    if (++done % 10_000 === 0) yield { record: { kind: 'progress', done, total } }
    const id = numberOf(row['id'])
    if (after !== undefined && id <= after) continue
    if (row['podcast_id'] === null) {
      skipped.add('episode_actions', 'of no podcast that the database has', textOf(row['url']))
      continue
    }
    const action = readAction(row, now)
    if (action) yield* batch.add(action, String(id))
  }
  yield* batch.flush()
  yield* skipped.records()
  yield { record: { kind: 'progress', done: total, total } }
}

function podcastsOf(database: AppDatabase): Iterable<Row> {
  const { text } = database.columns('podcast', 'p')
  return database.rows(`
    SELECT ${text('url')} AS url, ${text('title')} AS title, ${text('auth_username')} AS username
    FROM podcast AS p NOT INDEXED ORDER BY p.rowid`)
}

function historyOf(database: AppDatabase): Iterable<Row> {
  const { text, number } = database.columns('episode', 'e')
  return database.rows(`
    SELECT e.rowid AS id, p.rowid AS podcast_id, ${database.columns('podcast', 'p').text('url')} AS podcast,
      ${text('url')} AS url, ${number('state')} AS state, ${number('is_new')} AS is_new, ${number('total_time')} AS total,
      ${number('current_position')} AS position, ${number('current_position_updated')} AS updated,
      ${number('last_playback')} AS playback, ${number('published')} AS published
    FROM episode AS e NOT INDEXED LEFT JOIN podcast AS p NOT INDEXED ON p.rowid = e.podcast_id
    ORDER BY e.rowid`)
}

/** gPodder's own rule for finished: the last ten seconds or hundredth do not count. Its guids are not the feed's. */
function readAction(row: Row, now: number) {
  const [podcast, episode] = [textOf(row['podcast']), textOf(row['url'])]
  const position = Math.floor(numberOf(row['position']))
  const total = Math.floor(numberOf(row['total']))
  const lastPlayback = numberOf(row['playback'])
  const hasBegun = position > 0
  const isAtEnd = hasBegun && total > 0 && (position + 10 >= total || position >= total * 0.99)
  // Played in a program that does not report its position to gPodder.
  const isPlayed = isAtEnd || (!hasBegun && lastPlayback > 0 && numberOf(row['is_new']) === 0)
  const at = firstTime(now, numberOf(row['updated']), lastPlayback, numberOf(row['published']))
  const action = actionOf({ podcast, episode, isPlayed, position, total, at }, DEVICE)
  if (action || row['state'] !== DELETED) return action
  return { podcast, episode, device: DEVICE, action: 'delete', timestamp: at }
}
