import { type FeedSource, unfetchedFeed } from '../../src/domain/feeds/ports.ts'
import type { ChildEvents } from '../../src/processes/start-process.ts'
import { createFeedWorkerClient } from '../../src/worker/client.ts'
import { createRequestHandler, type FeedFetcher, type Fetchers } from '../../src/worker/fetch-feed.ts'
import type { FeedRequest, FeedResponse, FeedSettings, Heartbeat } from '../../src/worker/protocol.ts'
import { FakeTimer } from '../support/clock.ts'
import { parseFeed } from '../support/feed-document.ts'
import { type ScriptedAnswer, toFeedAnswer, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'

export const SETTINGS: FeedSettings = {
  ...{ version: '1', feedAllowPrivate: ['harbour.lan'], feedTimeoutSeconds: 30, feedMaxEpisodes: 100 },
  feedMaxBytes: 16 * 1024 * 1024,
}
export const URL_A = 'https://a.example/f'
export const ALL = { fingerprints: '{}', order: 'oldest first' } as const
export const STOPPING = { code: 'unavailable', message: 'the server is stopping' }
export const store = async () => undefined

export function feedOf(episodes: number): ScriptedAnswer {
  const item = (_: unknown, n: number) => `<item><title>Fog ${n}</title><enclosure url="${n}.mp3"/></item>`
  const items = Array.from({ length: episodes }, item).join('')
  const bytes = new TextEncoder().encode(`<rss><channel><title>Harbour Talk</title>${items}</channel></rss>`)
  const document = parseFeed(bytes, 'text/xml', { url: URL_A, maxEpisodes: 100 })
  return { ...UNCHANGED, kind: 'feed', etag: '"1"', isInside: true, document }
}

/** Sends the episodes, three per message, and then the answer. */
export const answering =
  (answer: ScriptedAnswer): FeedFetcher =>
  ({ wanted }, sink) =>
    toFeedAnswer(answer, wanted, async ({ episodes }) => {
      sink.begin()
      for (let from = 0; from < episodes.length; from += 3) sink.add(episodes.slice(from, from + 3))
    })

/** Uses each fetcher once, in order; further feeds are unreachable. */
export const inTurn =
  (...fetchers: FeedFetcher[]): FeedFetcher =>
  (...request) =>
    (fetchers.shift() ?? answering(UNREACHABLE))(...request)

/** Waits for the feed's server forever, or parses forever; `reached` resolves when that begins. */
export function hanging({ isParsing = false } = {}) {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const fetchFeed: FeedFetcher = (_request, sink) => {
    if (isParsing) sink.begin()
    resolve()
    return new Promise<never>(() => undefined)
  }
  return { fetchFeed, reached }
}

type Process = ChildEvents<FeedResponse | Heartbeat> & { isThere: boolean; processorMs: number | undefined }

/** A client whose worker processes run here, exchange cloned messages, and fetch feeds with `fetchFeed`. */
export function open(
  fetchFeed: FeedFetcher = answering(UNCHANGED),
  settings = SETTINGS,
  fetchTranscript: Fetchers['fetchTranscript'] = async () => ({ kind: 'failed', reason: 'unavailable' }),
) {
  const timer = new FakeTimer()
  const receivedSettings: FeedSettings[] = []
  const processes: Process[] = []
  const sources = createFeedWorkerClient(
    (events) => {
      const process: Process = { ...events, isThere: true, processorMs: 0 }
      processes.push(process)
      const handle = createRequestHandler(
        (given) => {
          receivedSettings.push(given)
          return { fetchFeed, fetchTranscript }
        },
        (response: FeedResponse) => {
          const copy = structuredClone(response)
          queueMicrotask(() => process.isThere && events.onResponse(copy))
        },
      )
      return {
        send(request: FeedRequest) {
          const copy = structuredClone(request)
          queueMicrotask(() => process.isThere && handle(copy))
        },
        processorMs: () => process.processorMs,
        kill() {
          process.isThere = false
        },
      }
    },
    settings,
    timer.start,
  )
  return {
    ...sources,
    timer,
    receivedSettings,
    processes,
    living: () => processes.filter(({ isThere }) => isThere).length,
    /** The last process crashes. */
    die() {
      const process = processes.at(-1)
      if (!process) return
      process.isThere = false
      process.onEnd('SIGSEGV: low tide')
    },
    [Symbol.dispose]: () => sources.scheduled.close(),
  }
}

/** Requests an unknown feed, and stores nothing. */
export const ask = (source: FeedSource, url = URL_A, wanted: Parameters<FeedSource['ask']>[2] = ALL) =>
  source.ask(unfetchedFeed(url), 5, wanted, store)
