import type { FeedDocument } from '../../src/domain/feeds/document.ts'
import type { FeedSource } from '../../src/domain/feeds/ports.ts'
import { createFeedProcess, type ProcessEvents } from '../../src/worker/client.ts'
import { parseFeed } from '../../src/worker/parse/parse-feed.ts'
import type { FeedRequest, FeedResponse, FeedSettings, FeedSources } from '../../src/worker/protocol.ts'
import { createRequestHandler } from '../../src/worker/request-handler.ts'
import { given, type ScriptedAnswer, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'
import { FakeTimer } from '../support/timer.ts'

export const SETTINGS: FeedSettings = {
  version: '1',
  feedAllowPrivate: ['harbour.lan'],
  feedTimeoutSeconds: 30,
  feedMaxBytes: 1000,
  feedMaxEpisodes: 100,
}
export const URL_A = 'https://a.example/f'
export const STOPPING = { word: 'unavailable', message: 'the server is stopping' }
export const noRead = async () => undefined

export function document(episodes: number): FeedDocument {
  const items = Array.from(
    { length: episodes },
    (_, n) => `<item><title>Fog ${n}</title><enclosure url="${n}.mp3"/></item>`,
  )
  const text = `<rss><channel><title>Harbour Talk</title>${items.join('')}</channel></rss>`
  return parseFeed(new TextEncoder().encode(text), 'text/xml', { url: URL_A, maxEpisodes: 100 })
}

const { episodes: _, ...DETAILS } = document(0)
export const OUTLINE = { ...DETAILS, episodeCount: 0 }

export const feedOf = (episodes: number): ScriptedAnswer => ({
  ...UNCHANGED,
  kind: 'feed',
  etag: '"1"',
  isInside: true,
  document: document(episodes),
})

export type Ask = FeedSource['ask']
type Process = ProcessEvents & { isThere: boolean }

export const answering =
  (answer: ScriptedAnswer): Ask =>
  (_feed, _at, read) =>
    given(answer, read)

/** One process after the other, which hold what messages can hold and have `ask` for all kinds of people, or what is told of each kind. */
export function open(ask: Ask | Partial<Record<keyof FeedSources, Ask>> = answering(UNCHANGED)) {
  const timer = new FakeTimer()
  const settings: FeedSettings[] = []
  const processes: Process[] = []
  const sourceOf = (of: keyof FeedSources): FeedSource => ({
    ask: (typeof ask === 'function' ? ask : ask[of]) ?? answering(UNREACHABLE),
    close: () => undefined,
  })
  const sources = createFeedProcess(
    (events) => {
      const process: Process = { ...events, isThere: true }
      processes.push(process)
      const clerk = createRequestHandler(
        (given) => {
          settings.push(given)
          return { loop: sourceOf('loop'), users: sourceOf('users'), anyone: sourceOf('anyone') }
        },
        (reply: FeedResponse) => {
          const copy = structuredClone(reply)
          queueMicrotask(() => process.isThere && events.onReply(copy))
        },
      )
      return {
        send(order: FeedRequest) {
          const copy = structuredClone(order)
          queueMicrotask(() => process.isThere && clerk(copy))
        },
        end() {
          process.isThere = false
        },
      }
    },
    SETTINGS,
    timer.start,
  )
  return {
    ...sources,
    timer,
    settings,
    processes,
    living: () => processes.filter(({ isThere }) => isThere).length,
    /** The last one ends by itself. */
    die() {
      const process = processes.at(-1)
      if (!process) return
      process.isThere = false
      process.onEnd('SIGSEGV: low tide')
    },
    [Symbol.dispose]: () => sources.loop.close(),
  }
}

/** Never answers; `reached` settles when it is asked. */
export function hanging() {
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const ask: Ask = () => {
    resolve()
    return new Promise<never>(() => undefined)
  }
  return { ask, reached }
}
