import type { FingerprintedEpisode } from '../domain/feeds/document.ts'
import type { FeedAnswer, FeedSource } from '../domain/feeds/ports.ts'
import type { TranscriptAnswer, TranscriptSource } from '../domain/feeds/transcripts.ts'
import { createHostQueue } from '../domain/shared/concurrency.ts'
import { DomainError, serverStopping } from '../domain/shared/errors.ts'
import { systemTimer, type Timer } from '../platform/clock.ts'
import { isOutOfFiles } from '../platform/open-files.ts'
import { type ChildProcess, READ_FEEDS, type StartChild, startChild } from '../processes/start-process.ts'
import type {
  FeedRequest,
  FeedResponse,
  FeedSettings,
  FeedSources,
  FetchRequest,
  Heartbeat,
  TranscriptRequest,
  WorkerCounts,
} from './protocol.ts'

export type StartWorker = StartChild<FeedRequest, FeedResponse | Heartbeat>

export const startWorker: StartWorker = startChild(READ_FEEDS)

/** Starts the process, waits for its first heartbeat and ends it. Rejects with the reason if it cannot start. */
export async function tryWorker(start: StartWorker, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const worker = start({ onResponse: () => resolve(), onEnd: (cause) => reject(new Error(cause)) })
  signal.addEventListener('abort', () => reject(new Error('it does not answer')))
  return promise.finally(() => worker.kill())
}

/** Idle time until the process is ended: its memory is worth more than the time to start another. */
const IDLE_MS = 20_000
/** Idle time after a large document, which leaves a heap that does not shrink. */
const IDLE_AFTER_LARGE_MS = 1000
const SILENCE_MS = 30_000
export const HEARTBEAT_MS = 5000
/** Processor time without a heartbeat after which the process is stuck; with less, the machine is merely busy. */
const STUCK_PROCESSOR_MS = 15_000
const SILENCE_MAX_MS = 300_000

type Answer = FeedAnswer | TranscriptAnswer

interface InFlight {
  readonly request: FetchRequest | TranscriptRequest
  readonly answer: PromiseWithResolvers<Answer>
  pages: FingerprintedEpisode[][]
  isRetry: boolean
}

/** Fetches and parses feeds in a process that runs on demand. After a crash, all other requests are retried. */
export function createFeedWorkerClient(
  startWorker: StartWorker,
  settings: FeedSettings,
  timer: Timer = systemTimer,
): FeedSources & { readonly transcripts: TranscriptSource; readonly counts: () => WorkerCounts } {
  const inFlight = new Map<number, InFlight>()
  const limitLarge = createLargeFeedLimit()
  let worker: ChildProcess<FeedRequest> | undefined
  let parsing: number | undefined
  let silentMs = 0
  let computedMs = 0
  let stopIdling: (() => void) | undefined
  let stopListening: (() => void) | undefined
  let count = 0
  let isSwollen = false
  let isClosed = false
  let starts = 0
  let failures = 0

  function kill(): void {
    stopIdling?.()
    stopListening?.()
    worker?.kill()
    worker = undefined
    parsing = undefined
    isSwollen = false
  }

  function start(): ChildProcess<FeedRequest> {
    const started = startWorker({
      // A killed process may still send responses.
      onResponse(response) {
        if (worker === started) receive(response)
      },
      onEnd(cause) {
        if (worker === started) recover(new Error(`the feed worker ended: ${withoutSecrets(cause)}`))
      },
    })
    starts++
    silentMs = 0
    stopListening = timer(HEARTBEAT_MS, listen)
    started.send({ settings })
    return started
  }

  function listen(): void {
    if (inFlight.size === 0) silentMs = 0
    if (silentMs === 0) computedMs = worker?.processorMs() ?? 0
    silentMs += HEARTBEAT_MS
    if (isStuck()) recover('stuck')
    else stopListening = timer(HEARTBEAT_MS, listen)
  }

  function isStuck(): boolean {
    if (silentMs < SILENCE_MS) return false
    const total = worker?.processorMs()
    return total === undefined || total - computedMs >= STUCK_PROCESSOR_MS || silentMs >= SILENCE_MAX_MS
  }

  function recover(cause: Error | 'stuck'): void {
    const culprit = parsing
    failures++
    kill()
    for (const [number, each] of inFlight) {
      if (number === culprit && cause === 'stuck')
        each.answer.resolve('transcript' in each.request ? UNREADABLE : TOO_LONG)
      else if (number === culprit || each.isRetry)
        each.answer.reject(cause === 'stuck' ? new Error('the feed worker was silent, and was ended') : cause)
      else {
        each.isRetry = true
        each.pages = []
        send(each)
      }
    }
  }

  function send({ request, answer }: InFlight): void {
    try {
      worker ??= start()
      worker.send(request)
    } catch (error) {
      // Not a fault of the feed, so try again later.
      const reason = new DomainError('unavailable', 'the feed worker cannot be started', {
        cause: error,
        retryAfter: 30,
      })
      answer.reject(isOutOfFiles(error) ? reason : error)
    }
  }

  function receive(response: FeedResponse | Heartbeat): void {
    silentMs = 0
    if ('isAlive' in response) return
    const { number } = response
    const request = inFlight.get(number)
    if (!request) return
    if ('isParsing' in response) {
      parsing = number
      request.pages.unshift([])
    } else if ('episodes' in response) request.pages[0]?.push(...response.episodes)
    else {
      if (parsing === number) parsing = undefined
      if ('answer' in response) request.answer.resolve(response.answer)
      else request.answer.reject(new Error(withoutSecrets(response.fault)))
    }
  }

  /** Sends a request for a feed or a transcript; `A` is the type of its answer. */
  async function request<A extends Answer>(
    unnumbered: Omit<FetchRequest, 'number'> | Omit<TranscriptRequest, 'number'>,
  ) {
    if (isClosed) throw serverStopping()
    const number = count++
    const request: InFlight = {
      request: { ...unnumbered, number },
      answer: Promise.withResolvers(),
      pages: [],
      isRetry: false,
    }
    inFlight.set(number, request)
    stopIdling?.()
    send(request)
    try {
      const answer = (await request.answer.promise) as A
      return { answer, episodes: request.pages.flat() }
    } finally {
      inFlight.delete(number)
      if (inFlight.size === 0 && worker) stopIdling = timer(isSwollen ? IDLE_AFTER_LARGE_MS : IDLE_MS, kill)
    }
  }

  function close(): void {
    isClosed = true
    kill()
    for (const { answer } of inFlight.values()) answer.reject(serverStopping())
  }

  const sourceOf = (audience: keyof FeedSources): FeedSource => ({
    async ask(feed, at, wanted, store) {
      const isLimited = audience === 'scheduled' && settings.feedMaxBytes > SMALL_BYTES
      async function askOnce(maxBytes?: number): Promise<FeedAnswer> {
        if (isLimited && maxBytes === undefined) isSwollen = true
        const { answer, episodes } = await request<FeedAnswer>({ audience, feed, at, wanted, maxBytes })
        if (answer.kind === 'feed') {
          const { document, isInside, leads } = answer
          await store({ document, isInside, leads, episodes })
        }
        return answer
      }
      return isLimited ? limitLarge(feed.url, askOnce) : askOnce()
    },
    close,
  })

  return {
    scheduled: sourceOf('scheduled'),
    authenticated: sourceOf('authenticated'),
    anonymous: sourceOf('anonymous'),
    transcripts: async (transcript) => (await request<TranscriptAnswer>({ transcript })).answer,
    counts: () => ({ starts, failures }),
  }
}

const SMALL_BYTES = 2 * 1024 * 1024
/** Two, so that one slow server does not delay all other large feeds. */
const LARGE_AT_ONCE = 2
/** Number of URLs to remember as large, which saves fetching them with the small limit first. */
const LARGE_REMEMBERED_MAX = 5000

/** Limits large documents in memory. The size shows only during the fetch, so the first attempt has a small limit. */
function createLargeFeedLimit() {
  const queue = createHostQueue({ atOnce: LARGE_AT_ONCE, perHost: LARGE_AT_ONCE })
  const large = new Set<string>()
  return async (url: string, ask: (maxBytes?: number) => Promise<FeedAnswer>): Promise<FeedAnswer> => {
    if (!large.has(url)) {
      const answer = await ask(SMALL_BYTES)
      if (answer.kind !== 'failed' || answer.reason !== 'too_large') return answer
      if (large.size >= LARGE_REMEMBERED_MAX) large.clear()
      large.add(url)
    }
    return queue.run('', () => ask())
  }
}

const TOO_LONG: FeedAnswer = {
  ...{ kind: 'failed', reason: 'not_a_feed', message: 'parsing the document takes too long' },
  retryAfter: undefined,
}
const UNREADABLE: TranscriptAnswer = { kind: 'failed', reason: 'unreadable' }

/** Redacts feed URLs for the log, since they may be secrets (docs/protocol.md#D56). */
function withoutSecrets(text: string): string {
  return text.replace(/(https?:\/\/)(?:[^\s/@]*@)?([^\s/?#]+)\S*/g, '$1$2/…')
}
