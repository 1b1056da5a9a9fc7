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

/** Starts the process, waits for its first sign of life and ends it. Rejects with the reason why it cannot start. */
export async function tryWorker(start: StartWorker, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const worker = start({ onResponse: () => resolve(), onEnd: (cause) => reject(new Error(cause)) })
  signal.addEventListener('abort', () => reject(new Error('it does not answer')))
  return promise.finally(() => worker.kill())
}

/** A process that nobody needs is ended: its memory is worth more than the time it takes to start another. */
const IDLE_MS = 20_000
/** The same after a large document, which leaves a heap that does not shrink again. */
const IDLE_AFTER_LARGE_MS = 1000
const SILENCE_MS = 30_000
export const HEARTBEAT_MS = 5000
/** A silent process is stuck if it has computed for so long meanwhile; otherwise others leave it no processor. */
const STUCK_PROCESSOR_MS = 15_000
const SILENCE_MAX_MS = 300_000

type Answer = FeedAnswer | TranscriptAnswer

interface InFlight {
  readonly request: FetchRequest | TranscriptRequest
  readonly answer: PromiseWithResolvers<Answer>
  pages: FingerprintedEpisode[][]
  isRetry: boolean
}

/** Fetches and parses feeds in a process that exists while it is needed. After a crash the others are retried. */
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
      // A process that was killed may still have something to say.
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
      // Nothing is wrong with the feed, nor with the worker: it is asked for again later.
      const reason = new DomainError('unavailable', 'no process can be started for feeds', {
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

  /** The worker answers as it is asked: for a feed, or for a transcript. */
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
/** Two, so that one whose server is slow does not keep all others waiting. */
const LARGE_AT_ONCE = 2
/** URLs of large documents that are remembered, so that they are not begun in vain again. */
const LARGE_REMEMBERED_MAX = 5000

/** Limits large documents in memory. Size shows during the fetch, so each first gets a small limit. */
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

/** The addresses of feeds may be secrets (docs/protocol.md#D56), and this goes to the log. */
function withoutSecrets(text: string): string {
  return text.replace(/(https?:\/\/)(?:[^\s/@]*@)?([^\s/?#]+)\S*/g, '$1$2/…')
}
