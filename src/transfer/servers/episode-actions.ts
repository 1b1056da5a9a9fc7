import { DomainError } from '../../domain/shared/errors.ts'
import { parseActionTimestamp } from '../../domain/shared/time.ts'
import { actionRecords } from '../../domain/transfer/action-records.ts'
import { ITEMS_PER_RECORD, type SourcedRecord } from '../../domain/transfer/records.ts'
import { isRecord } from '../../platform/unknown.ts'
import { isTooLongForName } from '../texts.ts'
import { deviceIdHere } from './device-ids.ts'
import { addressAt, parse, textAt } from './read-items.ts'
import { createSeenTexts } from './seen-texts.ts'
import { NotServed, type ServerClient } from './server-client.ts'

/** Half a million actions take about 150 MB. */
const HISTORY_BYTES = 1024 * 1024 * 1024
const ACTIONS_MAX = 3_000_000
const REQUESTS_MAX = 20_000
const BATCH_CHARACTERS = 256 * 1024
const PODCASTS_MAX = 5000
const REQUESTS_PER_PODCAST = 100
const SAMPLES = 5

const ROUND_FROM = 100
const isRound = (count: number) => count >= ROUND_FROM && (count % 50 === 0 || count % 64 === 0)

/** Time of actions without one. It must be the same in every import, or each import would add them again. */
const UNDATED = 0

export interface HistoryPlace {
  readonly since: number
  readonly latest: number
  readonly isByTime: boolean
  readonly needsPodcasts: boolean
}

const BEGINNING: HistoryPlace = { since: 0, latest: 0, isByTime: false, needsPodcasts: false }

interface Page {
  timestamp: number | undefined
  count: number
  fresh: number
  podcast: string | undefined
  isMixed: boolean
  earliest: number
  latest: number
  last: number
  isOrdered: boolean
}

/**
 * Reads all episode actions of an account, whether the server sends them all at once or in pages whose next `since` is
 * the `timestamp` of the previous one. Servers differ in three ways: `since` compares the time of upload or of the
 * action, `timestamp` may or may not lead to the next page, and the order of actions varies. So this reads until
 * nothing new arrives, asks once more from the latest action on, and asks for each podcast separately if actions may
 * be missing between pages.
 */
export async function* readHistory(
  parts: {
    readonly client: ServerClient
    readonly path: string
    /** Attribute all actions to this device; by default, to the one the server names. */
    readonly device?: string
    /** Podcasts known so far, extended by the history; missing if the server cannot be asked for one. */
    readonly podcasts?: Set<string>
    readonly progress: (more: number) => SourcedRecord['record']
    readonly cursorAt: (place: HistoryPlace) => string
  },
  resume?: HistoryPlace,
): AsyncGenerator<SourcedRecord> {
  const { client, path, device, podcasts, progress, cursorAt } = parts
  const seenActions = createSeenTexts()
  let isSuspect = false
  let fullest = 0

  function* recordsOf(items: readonly unknown[], page: Page): Generator<SourcedRecord> {
    for (const record of actionRecords(items.map(withDeviceHere), UNDATED, device)) {
      if (record.kind === 'actions')
        for (const { at } of record.actions) {
          page.isOrdered &&= at >= page.last
          page.last = at
        }
      yield { record }
    }
    yield { record: progress(items.length) }
  }

  async function* readPage(since: number, podcastUrl?: string): AsyncGenerator<SourcedRecord, Page> {
    const page: Page = {
      timestamp: undefined,
      count: 0,
      fresh: 0,
      podcast: undefined,
      isMixed: false,
      earliest: Number.POSITIVE_INFINITY,
      latest: -1,
      last: -1,
      isOrdered: true,
    }
    const query = { since: String(since), ...(podcastUrl !== undefined && { podcast: podcastUrl }) }
    let batch: unknown[] = []
    let length = 0
    let problem: unknown
    try {
      for await (const { name, text } of client.items(path, { query, member: 'actions', maxBytes: HISTORY_BYTES })) {
        if (name === 'timestamp') page.timestamp = secondsOf(text)
        if (name !== undefined) continue
        if (seenActions.size >= ACTIONS_MAX) break
        page.count++
        const isFresh = seenActions.add(text ?? '')
        const item = parse(text ?? '')
        const at = timeOf(item)
        page.earliest = Math.min(page.earliest, at)
        page.latest = Math.max(page.latest, at)
        const podcast = addressAt(item, 'podcast')
        page.podcast ??= podcast
        page.isMixed ||= podcast !== page.podcast
        if (!isFresh) continue
        page.fresh++
        if (podcast !== undefined && podcasts && podcasts.size <= PODCASTS_MAX) podcasts.add(podcast)
        batch.push(item)
        length += text?.length ?? 0
        if (batch.length === ITEMS_PER_RECORD || length > BATCH_CHARACTERS) {
          yield* recordsOf(batch, page)
          batch = []
          length = 0
        }
      }
    } catch (error) {
      problem = error
    }
    // Actions that arrived before the error are valid.
    yield* recordsOf(batch, page)
    if (problem !== undefined) throw problem
    fullest = Math.max(fullest, page.count)
    return page
  }

  async function* readPages(from: HistoryPlace): AsyncGenerator<SourcedRecord, HistoryPlace> {
    let { since, latest, isByTime, needsPodcasts } = from
    let isChecked = false
    for (let requests = 0; requests < REQUESTS_MAX && seenActions.size < ACTIONS_MAX; requests++) {
      const page = yield* readPage(since)
      latest = Math.max(latest, page.latest)
      if (page.fresh > 0) {
        isByTime ||= isChecked
        const next = nextSince(page, since, isByTime)
        needsPodcasts ||= isLeaky(page, isByTime) || (next === undefined && since > 0)
        since = next ?? since + 1
      } else if (isOneSecond(page, since) && page.count >= fullest) {
        // A full page of a single second: the only way past it is the next second.
        needsPodcasts = true
        isByTime = true
        since = page.latest + 1
      } else if (!isChecked && latest > 0 && latest !== since) {
        isChecked = true
        since = latest
      } else {
        isSuspect = page.count > 1 && page.count >= fullest
        return { since, latest, isByTime, needsPodcasts }
      }
      yield { record: progress(0), cursor: cursorAt({ since, latest, isByTime, needsPodcasts }) }
    }
    yield skipped(`the history of ${client.host} does not end; it was read up to here`)
    return { since, latest, isByTime, needsPodcasts }
  }

  async function* readPodcast(podcast: string, isByTime: boolean): AsyncGenerator<SourcedRecord, boolean> {
    let since = 0
    for (let requests = 0; requests < REQUESTS_PER_PODCAST; requests++) {
      const page = yield* readPage(since, podcast)
      if (page.isMixed) return false
      if (page.count === 0 || (page.fresh === 0 && page.count < fullest)) return true
      const next = nextSince(page, since, isByTime)
      if (next === undefined) {
        if (page.count >= fullest)
          yield skipped('more actions of one podcast at one second than the server gives at once', podcast)
        return true
      }
      since = next
    }
    return true
  }

  async function* readPodcasts(podcasts: ReadonlySet<string>, isByTime: boolean): AsyncGenerator<SourcedRecord> {
    if (podcasts.size > PODCASTS_MAX) yield skipped('in more podcasts than are asked for one by one')
    for (const podcast of [...podcasts].slice(0, PODCASTS_MAX))
      try {
        if (yield* readPodcast(podcast, isByTime)) continue
        yield skipped(`${client.host} gives a part of its actions at once, and there is no way to the rest`)
        return
      } catch (error) {
        // Some servers answer 404 for a podcast without actions.
        if (!(error instanceof NotServed)) throw error
        if (error.status !== 404) yield skipped(error.message, podcast)
      }
  }

  async function* findMore(podcasts: ReadonlySet<string>): AsyncGenerator<SourcedRecord, boolean> {
    const before = seenActions.size
    const step = Math.ceil(podcasts.size / SAMPLES)
    for (const podcast of [...podcasts].filter((_, n) => n % step === 0)) {
      const page = yield* readPage(0, podcast)
      if (seenActions.size > before) return !page.isMixed
    }
    return false
  }

  try {
    let place = yield* readPages({ ...BEGINNING, ...resume })
    if (!podcasts) return
    if (!place.needsPodcasts && !(isSuspect && (yield* findMore(podcasts)))) return
    // The set of podcasts is complete only after all pages have been read.
    if (resume) place = yield* readPages(BEGINNING)
    yield* readPodcasts(podcasts, place.isByTime)
  } catch (error) {
    if (!(error instanceof NotServed)) throw error
    yield skipped(error.message)
  }
}

function skipped(reason: string, example?: string): SourcedRecord {
  const examples = example === undefined ? [] : [example]
  return { record: { kind: 'skipped', what: 'episode_actions', reason, examples } }
}

function isOneSecond({ count, earliest, latest }: Page, since: number): boolean {
  return count > 1 && earliest === latest && earliest >= since
}

/** `since` of the next page; `undefined` if neither `timestamp` nor the times of actions lead further. */
function nextSince({ timestamp, latest }: Page, since: number, isByTime: boolean): number | undefined {
  if (!isByTime && timestamp !== undefined && timestamp > since) return timestamp
  return latest > since ? latest : undefined
}

/** Whether actions may be missing between pages: out of time order, and paged by time or in pages that look full. */
function isLeaky({ isOrdered, timestamp, last, count }: Page, isByTime: boolean): boolean {
  return !isOrdered && (isByTime || timestamp === last || isRound(count))
}

function secondsOf(text: string | undefined): number | undefined {
  const seconds = Number(text?.replaceAll('"', '') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER) : undefined
}

function timeOf(item: unknown): number {
  try {
    return isRecord(item) ? parseActionTimestamp(item['timestamp'], -1) : -1
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return -1
  }
}

function withDeviceHere(item: unknown): unknown {
  const device = textAt(item, 'device')
  if (!isRecord(item) || device === undefined || device === '') return item
  return { ...item, device: isTooLongForName(device) ? undefined : deviceIdHere(device) }
}
