import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Lru } from '../../platform/lru.ts'
import { createSharedWork } from '../shared/concurrency.ts'
import { invalid } from '../shared/errors.ts'
import type { RateLimit } from '../shared/rate-limit.ts'

/** Result of a directory query. A failure is the state `error` without podcasts (docs/protocol.md#D78). */
export interface ExternalAnswer {
  readonly state: 'off' | 'ok' | 'error'
  readonly podcasts: readonly ExternalPodcast[]
}

export interface DirectoryTest {
  readonly state: ExternalAnswer['state']
  readonly trouble: DirectoryTrouble | 'no_matches' | undefined
  readonly cause: string
}

export interface DirectoryStatus {
  readonly isOn: boolean
  readonly lastAnswerAt: number | undefined
  readonly lastFailure: { readonly at: number; readonly trouble: DirectoryTrouble; readonly cause: string } | undefined
}

const RESULTS_MAX = 20
const QUERY_MAX = 200
const FAILURES_MAX = 3
const PAUSE_MS = 60_000

const DIRECTORY_OFF: ExternalAnswer = { state: 'off', podcasts: [] }
const ERROR: ExternalAnswer = { state: 'error', podcasts: [] }
const NO_MATCHES = 'the directory answers, but has not a single podcast to tell of'

export type ExternalDirectory = ReturnType<typeof createExternalDirectory>

export function createExternalDirectory(parts: {
  readonly directory: PodcastDirectory | undefined
  readonly searches: Lru<readonly ExternalPodcast[]>
  readonly trends: Lru<readonly ExternalPodcast[]>
  readonly requests: RateLimit
  readonly tests: RateLimit
  readonly clock: Clock
  readonly log: Log
}) {
  const { directory, searches, trends, requests, tests, clock, log } = parts
  const inFlight = createSharedWork<string, ExternalAnswer>()
  let failures = 0
  let pausedUntil = 0
  let lastAnswerAt: number | undefined
  let lastFailure: DirectoryStatus['lastFailure']

  function noteAnswer(): void {
    failures = 0
    pausedUntil = 0
    lastAnswerAt = clock.seconds()
  }

  function noteFailure(error: unknown): DirectoryFailure {
    if (!(error instanceof DirectoryFailure)) throw error
    const { trouble, message: cause } = error
    lastFailure = { at: clock.seconds(), trouble, cause }
    failures++
    if (failures >= FAILURES_MAX) pausedUntil = clock.monotonic() + PAUSE_MS
    log.warn('the external directory gives no results', { trouble, cause })
    return error
  }

  async function ask(
    key: string,
    cache: Lru<readonly ExternalPodcast[]>,
    work: () => Promise<ExternalPodcast[]>,
  ): Promise<ExternalAnswer> {
    if (clock.monotonic() < pausedUntil) return ERROR
    try {
      const podcasts = await work()
      noteAnswer()
      cache.set(key, podcasts)
      return { state: 'ok', podcasts }
    } catch (error) {
      noteFailure(error)
      return ERROR
    }
  }

  function findOrAsk(
    key: string,
    cache: Lru<readonly ExternalPodcast[]>,
    work: () => Promise<ExternalPodcast[]>,
  ): Promise<ExternalAnswer> {
    const podcasts = cache.get(key)
    if (podcasts) return Promise.resolve({ state: 'ok', podcasts })
    return inFlight.run(key, () => ask(key, cache, work))
  }

  return {
    /** Throws `validation_failed` (a blank query), `rate_limited`. */
    async search(text: string, address: string): Promise<ExternalAnswer> {
      const query = text.trim().replaceAll(/\s+/g, ' ').slice(0, QUERY_MAX).toWellFormed()
      if (query === '') throw invalid('q', 'q is required')
      if (!directory) return DIRECTORY_OFF
      requests.take(address)
      return findOrAsk(`search ${query.toLowerCase()}`, searches, () => directory.search(query, RESULTS_MAX))
    },

    /** Throws `rate_limited`. */
    async trending(language: string | undefined, max: number, address: string): Promise<ExternalAnswer> {
      if (!directory) return DIRECTORY_OFF
      requests.take(address)
      return findOrAsk(`trending ${language ?? ''} ${max}`, trends, () => directory.trending(language, max))
    },

    /** Looks up an ID of Apple's directory in the configured one. Throws `rate_limited`. */
    async byAppleId(id: string, address: string): Promise<ExternalAnswer> {
      if (!directory) return DIRECTORY_OFF
      requests.take(address)
      return findOrAsk(`apple ${id}`, searches, () => directory.byAppleId(id))
    },

    status: (): DirectoryStatus => ({ isOn: directory !== undefined, lastAnswerAt, lastFailure }),

    /** Sends a small request, bypassing the cache and the pause after failures. Throws `rate_limited`. */
    async test(administrator: string): Promise<DirectoryTest> {
      if (!directory) return { state: 'off', trouble: undefined, cause: '' }
      tests.take(administrator)
      try {
        const podcasts = await directory.trending(undefined, 1)
        noteAnswer()
        return podcasts.length === 0
          ? { state: 'ok', trouble: 'no_matches', cause: NO_MATCHES }
          : { state: 'ok', trouble: undefined, cause: '' }
      } catch (error) {
        const { trouble, message: cause } = noteFailure(error)
        return { state: 'error', trouble, cause }
      }
    },
  }
}

export interface ExternalPodcast {
  readonly title: string
  readonly url: string
  readonly description: string
  readonly author: string
  readonly logoUrl: string
  readonly language: string
  readonly source: string
}

type DirectoryTrouble = 'credentials' | 'network' | 'answer'

export class DirectoryFailure extends Error {
  readonly trouble: DirectoryTrouble

  constructor(trouble: DirectoryTrouble, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DirectoryFailure'
    this.trouble = trouble
  }
}

export interface PodcastDirectory {
  /** Rejects with `DirectoryFailure`. */
  search(query: string, max: number): Promise<ExternalPodcast[]>
  /** `language` is a language code, or undefined for all languages. Rejects with `DirectoryFailure`. */
  trending(language: string | undefined, max: number): Promise<ExternalPodcast[]>
  byAppleId(id: string): Promise<ExternalPodcast[]>
}

/** Returns a sanitized URL without scheme, leading `www.` and trailing slash (docs/protocol.md#D78). */
export function bareAddress(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
}
