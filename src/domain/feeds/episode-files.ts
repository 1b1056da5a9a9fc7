import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { createSharedTurns, type HostQueue } from '../shared/concurrency.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'

export interface EpisodeFile {
  readonly url: string
  /** MIME type that the feed names, or ''. */
  readonly type: string
}

/** `off`: disabled by the setting `outbound`. `unavailable`: its server does not have it or does not answer. */
export type FileFailure = 'off' | 'unavailable' | 'too_large' | 'unreadable'

export type FileAnswer<File> =
  | {
      readonly kind: 'file'
      readonly file: File
      /** Bytes in memory. */
      readonly size: number
    }
  | { readonly kind: 'failed'; readonly reason: FileFailure }

interface Remembered<File> {
  readonly answer: FileAnswer<File>
  readonly failures: number
  readonly retryAt: number
}

/** Milliseconds before another attempt: after the first failure, and at most. */
const RETRY_FIRST = 60_000
const RETRY_MAX = 32 * RETRY_FIRST

/** Milliseconds for which an answer is kept. Longer than `RETRY_MAX`, so that failures are not forgotten. */
const ANSWER_TTL_MS = 3_600_000
/** Bytes that a failure takes in memory, with its URL. */
const FAILURE_SIZE = 500

/** Fetches files that feeds link to, on demand. Concurrent requests share one fetch, and failures back off. */
export function createEpisodeFiles<File>(parts: {
  readonly ask: (file: EpisodeFile) => Promise<FileAnswer<File>>
  /** Size of the cache in bytes. */
  readonly maxBytes: number
  readonly queue: HostQueue
  readonly fetches: RateLimit
  readonly clock: Clock
}) {
  const { ask, maxBytes, queue, fetches, clock } = parts
  const cache = createLru<Remembered<File>>(maxBytes, clock, ANSWER_TTL_MS, ({ answer }) =>
    answer.kind === 'file' ? answer.size + 1 : FAILURE_SIZE,
  )
  const inFlight = createSharedTurns<string, FileAnswer<File>>()

  async function load(key: string, file: EpisodeFile): Promise<FileAnswer<File>> {
    const answer = await ask(file)
    const before = cache.get(key)?.failures ?? 0
    const failures = answer.kind === 'failed' ? before + 1 : 0
    const pause = Math.min(RETRY_MAX, RETRY_FIRST * 2 ** before)
    cache.set(key, { answer, failures, retryAt: clock.monotonic() + pause })
    return answer
  }

  return {
    /** Throws `rate_limited`. */
    async get(userId: UserId, file: EpisodeFile): Promise<FileAnswer<File>> {
      const key = `${file.type} ${file.url}`
      const remembered = cache.get(key)
      if (remembered && (remembered.failures === 0 || clock.monotonic() < remembered.retryAt)) return remembered.answer
      if (!inFlight.find(key)) fetches.take(String(userId))
      // Users take turns, so that one who opens many episodes does not delay the others.
      const turn = { queue, host: hostOf(file.url), flow: String(userId) }
      return inFlight.run(key, turn, () => load(key, file))
    },
  }
}

export type EpisodeFiles<File> = ReturnType<typeof createEpisodeFiles<File>>
