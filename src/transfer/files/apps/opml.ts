import { readFileSync, statSync } from 'node:fs'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { FeedRecord, ImportRecord, ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import { feedOf, isEpisode, type Outline, readOutlines } from '../../../formats/opml.ts'
import { decodeText } from '../../../platform/decode-text.ts'
import { actionOf, createActionBatch, createSkipped, feedRecords, firstTime, type Heard, numberOf } from './history.ts'

/** The largest export of Overcast that we have heard of has a tenth. */
const BYTES_MAX = 64 * 1024 * 1024

/** Whether a file that begins so is an OPML document. */
export function isOpml(head: Uint8Array): boolean {
  return /<opml[\s>]/i.test(decodeText(head))
}

/**
 * A list of podcasts in OPML, also Overcast's "All data", in which each podcast has its episodes. All of it is read before
 * anything of it is told. It has no cursors: reading it again takes no time.
 */
export function openOpml(path: string, name: string, now: () => number): ImportSource {
  return {
    name,
    async *records(_resumeFrom, signal) {
      const { size } = statSync(path)
      if (size > BYTES_MAX)
        throw new DomainError('validation_failed', `the list is larger than ${BYTES_MAX / 1024 / 1024} MiB`)
      yield* recordsOf(readList(decodeText(readFileSync(path)), now(), signal))
      yield { record: { kind: 'progress', done: size, total: size } }
    },
  }
}

/** What a list says. Of episodes only those are kept that somebody has heard or starred. */
interface List {
  /** With what Overcast says of them: '1' for those that are subscribed to. */
  readonly feeds: (FeedRecord & { readonly subscribed: string | undefined })[]
  readonly heard: Heard[]
  readonly favorites: ImportRecord[]
  isOvercast: boolean
}

function readList(text: string, now: number, signal: AbortSignal): List {
  const list: List = { feeds: [], heard: [], favorites: [], isOvercast: false }
  /** The podcasts in which an outline stands, outermost first. */
  const around: { readonly depth: number; readonly url: string }[] = []
  try {
    for (const outlines of readOutlines(text)) {
      signal.throwIfAborted()
      for (const outline of outlines) {
        const { depth, get } = outline
        while ((around.at(-1)?.depth ?? -1) >= depth) around.pop()
        list.isOvercast ||= get('overcastid') !== undefined
        const feed = feedOf(outline)
        if (feed) {
          around.push({ depth, url: feed.url })
          list.feeds.push({ ...feed, subscribed: get('subscribed') })
        } else if (isEpisode(get)) readEpisode(list, around.at(-1)?.url ?? '', get, now)
      }
    }
    return list
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError('validation_failed', error.message.replace(/^the body/, 'the file'))
  }
}

/** Overcast tells no lengths: what was played has no position. */
function readEpisode({ heard, favorites }: List, podcast: string, get: Outline['get'], now: number): void {
  const isPlayed = get('played') === '1'
  const position = Math.floor(numberOf(Number(get('progress') ?? 0)))
  const episode = get('enclosureurl') ?? ''
  const at = firstTime(now, timeOf(get('userupdateddate')), timeOf(get('pubdate')))
  if (isPlayed || position > 0) heard.push({ podcast, episode, isPlayed, position, total: 0, at })
  const starred = timeOf(get('userrecommendeddate'))
  if (get('userrecommendeddate') !== undefined && episode !== '')
    favorites.push({ kind: 'favorite', podcast, episode, at: starred > 0 ? starred : undefined })
}

function* recordsOf({ feeds, heard, favorites, isOvercast }: List): Generator<SourcedRecord> {
  const device = isOvercast ? 'overcast' : 'opml'
  // Lists of other programs say nothing of it.
  const isTold = isOvercast && feeds.some(({ subscribed }) => subscribed !== undefined)
  const skipped = createSkipped()
  const subscribed = feeds.filter((feed) => {
    const isSubscribed = !isTold || feed.subscribed === '1'
    if (!isSubscribed) skipped.add('subscriptions', 'not subscribed to in Overcast', feed.title ?? feed.url)
    return isSubscribed
  })
  yield { record: isOvercast ? OVERCAST : LIST }
  yield* feedRecords(
    device,
    subscribed.map(({ url, title }) => ({ url, title })),
  )
  yield* skipped.records()
  for (const record of favorites) yield { record }
  const history = createActionBatch()
  for (const episode of heard) yield* history.add(actionOf(episode, device))
  yield* history.flush()
}

const OVERCAST: ImportRecord = { kind: 'device', id: 'overcast', caption: 'Overcast', type: 'mobile' }
const LIST: ImportRecord = { kind: 'device', id: 'opml', caption: 'OPML', type: 'other' }

/** Unix seconds of an ISO 8601 or RFC 2822 date; 0 for what is none. */
function timeOf(text = ''): number {
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000)
}
