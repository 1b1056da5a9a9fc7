import { NotAFeed } from '../domain/feeds/document.ts'
import { type FeedAnswer, type FeedFailureReason, type FeedToFetch, hasUnreadPages } from '../domain/feeds/ports.ts'
import type { AskedTranscript, TranscriptAnswer } from '../domain/feeds/transcripts.ts'
import { allowedPlace, systemResolve } from '../outbound/address-rules.ts'
import { FetchFailure, type FetchFailureReason } from '../outbound/fetch-failure.ts'
import {
  createGuardedFetch,
  type Fetched,
  type GuardedFetch,
  isSuccess,
  userAgentOf,
} from '../outbound/guarded-fetch.ts'
import { systemClock } from '../platform/clock.ts'
import { quickHash, quickHash64 } from '../platform/crypto.ts'
import { freshSeconds, retryAfterSeconds, shortHeader } from './answer-headers.ts'
import { type PagesParts, type ReadPages, readPages } from './feed-pages.ts'
import { fetchTranscript } from './fetch-transcript.ts'
import { createDocumentParser, type EpisodeSink, type ParseDocument } from './parse/parse-feed.ts'
import type {
  FeedRequest,
  FeedResponse,
  FeedSettings,
  FeedSources,
  FetchRequest,
  TranscriptRequest,
} from './protocol.ts'

/** Limits of a lookup on demand (docs/protocol.md#D51). */
const WAIT_SECONDS = 10
const WAIT_FOR_PAGES_SECONDS = 5
const ANONYMOUS_MAX_BYTES = 10 * 1024 * 1024

interface AudienceLimits {
  readonly timeoutSeconds: number
  readonly pagesSeconds: number
  readonly maxBytes: number
  /** True for users with an account, who may have subscribed to a feed in their own network. */
  readonly mayReachPrivate: boolean
}

/** Increase when parsing changes, so that all documents are parsed again. */
const PARSER_VERSION = 6

/** Milliseconds until the first byte; the rest of the time is for slow connections. */
const ANSWER_MS = 10_000
const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json;q=0.9, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5'

const REASONS: Readonly<Record<FetchFailureReason, FeedFailureReason>> = {
  forbidden: 'forbidden',
  off: 'forbidden',
  // Feed URLs are valid, so only a redirect can lead to such an address.
  bad_url: 'server_error',
  unresolved: 'unreachable',
  unreachable: 'unreachable',
  out_of_files: 'unreachable',
  tls: 'tls',
  timeout: 'timeout',
  too_large: 'too_large',
  too_many_redirects: 'server_error',
  bad_encoding: 'server_error',
}

export function createFetchers(settings: FeedSettings, processorMs: () => number): Fetchers {
  const fetcher = createGuardedFetch({
    userAgent: userAgentOf(settings.version),
    resolve: systemResolve,
    allowed: settings.feedAllowPrivate.map(allowedPlace),
  })
  const parse = createDocumentParser({ processorMs, monotonic: systemClock().monotonic })
  return {
    fetchFeed: createFetchFeed({ fetcher, parse, settings }),
    fetchTranscript: (file, begin) => fetchTranscript(fetcher, file, begin),
  }
}

/** Uses conditional requests, and parses a feed only if its content has changed. */
export function createFetchFeed(parts: {
  readonly fetcher: GuardedFetch
  readonly parse: ParseDocument
  readonly settings: Pick<FeedSettings, 'feedTimeoutSeconds' | 'feedMaxBytes' | 'feedMaxEpisodes'>
}): FeedFetcher {
  const { fetcher, parse, settings } = parts
  const { feedTimeoutSeconds, feedMaxBytes, feedMaxEpisodes: maxEpisodes } = settings
  const limitsOf: Readonly<Record<keyof FeedSources, AudienceLimits>> = {
    scheduled: {
      timeoutSeconds: feedTimeoutSeconds,
      pagesSeconds: 3 * feedTimeoutSeconds,
      maxBytes: feedMaxBytes,
      mayReachPrivate: true,
    },
    authenticated: {
      timeoutSeconds: WAIT_SECONDS,
      pagesSeconds: WAIT_FOR_PAGES_SECONDS,
      maxBytes: feedMaxBytes,
      mayReachPrivate: true,
    },
    anonymous: {
      timeoutSeconds: WAIT_SECONDS,
      pagesSeconds: WAIT_FOR_PAGES_SECONDS,
      maxBytes: Math.min(ANONYMOUS_MAX_BYTES, feedMaxBytes),
      mayReachPrivate: false,
    },
  }
  const reading = `.${PARSER_VERSION}.${maxEpisodes}`

  /** Whether parsing the document again would give the same result, given parser, limit and future dates. */
  function isReadAlike({ bodyHash }: FeedToFetch, at: number): boolean {
    if (bodyHash === undefined) return true
    const nextDate = /-(\d+)\./.exec(bodyHash)?.[1]
    return bodyHash.endsWith(reading) && (nextDate === undefined || at < Number(nextDate))
  }

  function fetchUrl(url: string, { audience }: FetchRequest, maxBytes: number, signal: AbortSignal, conditions = {}) {
    const { timeoutSeconds, mayReachPrivate } = limitsOf[audience]
    const totalMs = timeoutSeconds * 1000
    return fetcher.fetch({
      url,
      headers: { accept: ACCEPT, ...conditions },
      limits: { totalMs, answerMs: Math.min(ANSWER_MS, totalMs), maxBytes },
      mayReachPrivate,
      signal,
    })
  }

  function maxBytesOf({ audience, maxBytes }: FetchRequest): number {
    return Math.min(limitsOf[audience].maxBytes, maxBytes ?? Number.POSITIVE_INFINITY)
  }

  async function fetchDocument(request: FetchRequest) {
    const { feed, at, audience } = request
    const signal = AbortSignal.timeout(limitsOf[audience].timeoutSeconds * 1000)
    const get = (conditions: Readonly<Record<string, string>>) =>
      fetchUrl(feed.url, request, maxBytesOf(request), signal, conditions)
    const conditions = isReadAlike(feed, at) ? conditionsFor(feed, at) : {}
    const fetched = await get(conditions)
    const isConditional = Object.keys(conditions).length > 0
    if (!isConditional || !failsOnConditions(fetched)) return { fetched, isConditional }
    return { fetched: await get({}), isConditional: false }
  }

  async function readAll(fetched: Fetched, request: FetchRequest, sink: EpisodeSink): Promise<ReadPages> {
    const { feed, audience, wanted } = request
    let bytesLeft = maxBytesOf(request) - fetched.body.byteLength
    let signal: AbortSignal | undefined
    const parsePage: PagesParts['parsePage'] = ({ url, headers, body }, options) =>
      parse({ bytes: body, contentType: headers.get('content-type') ?? '', options: { url, ...options }, wanted }, sink)
    const { url, isInside } = fetched
    const parsed = await parsePage(fetched, { maxEpisodes })
    if (wanted.limit !== undefined) return { document: parsed.outline, isInside, hasUnread: false }
    return readPages(
      { url, isInside, parsed },
      {
        feedUrl: feed.url,
        isTrial: maxBytesOf(request) < limitsOf[audience].maxBytes,
        isWhole: feed.bodyHash === undefined || hasUnreadPages(feed),
        maxEpisodes,
        async fetchPage(pageUrl) {
          signal ??= AbortSignal.timeout(limitsOf[audience].pagesSeconds * 1000)
          const page = await fetchUrl(pageUrl, request, bytesLeft, signal)
          bytesLeft -= page.body.byteLength
          return page
        },
        parsePage,
      },
    )
  }

  async function fetchAndParse(request: FetchRequest, sink: EpisodeSink): Promise<FeedAnswer> {
    const { feed, at } = request
    const { fetched, isConditional } = await fetchDocument(request)
    const { status, headers, body, isInside } = fetched
    const head = {
      etag: shortHeader(headers, 'etag') ?? (status === 304 ? feed.etag : undefined),
      lastModified: shortHeader(headers, 'last-modified') ?? (status === 304 ? feed.lastModified : undefined),
      freshFor: freshSeconds(headers, at),
      ttlSeconds: feed.ttlSeconds,
      leads: fetched.leads,
      isInside,
    }
    const movedTo = fetched.permanentUrl === feed.url ? undefined : fetched.permanentUrl
    const unchanged = { kind: 'unchanged', ...head, bodyHash: feed.bodyHash, movedTo: movedTo ?? feed.movedTo } as const
    // 304 is invalid as the response to an unconditional request.
    if (status === 304 && isConditional) return unchanged
    if (!isSuccess(status)) return failed(statusReason(status), `the feed's server answers ${status}`, headers, at)
    const hash = quickHash(body)
    if (feed.bodyHash !== undefined && feed.bodyHash.split(/[-.]/, 1)[0] === hash && isReadAlike(feed, at))
      return unchanged
    let nextDate = Number.POSITIVE_INFINITY
    const { document, ...pages } = await readAll(fetched, request, {
      ...sink,
      add(episodes) {
        for (const { released = 0 } of episodes) if (released > at) nextDate = Math.min(nextDate, released)
        sink.add(episodes)
      },
    })
    const date = Number.isFinite(nextDate) ? `-${nextDate}` : ''
    return {
      kind: 'feed',
      document,
      ...head,
      isInside: pages.isInside,
      bodyHash: hash + date + reading + (pages.hasUnread ? triesOf(feed) : ''),
      movedTo: movedTo ?? otherThan(feed.url, document.newFeedUrl) ?? securely(feed.url, document.selfUrl),
      ttlSeconds: document.ttlSeconds,
    }
  }

  /** Follows one redirect in place of a feed document. The new address is only a claim of that document. */
  async function fetchWhereItIs(request: FetchRequest, sink: EpisodeSink): Promise<FeedAnswer> {
    try {
      return await fetchAndParse(request, sink)
    } catch (error) {
      // Lookups by users offer the new address instead.
      const movedTo = error instanceof NotAFeed && request.audience === 'scheduled' ? error.movedTo : undefined
      if (movedTo === undefined) throw error
      const movedFeed = { ...request.feed, url: movedTo, etag: undefined, lastModified: undefined }
      const answer = await fetchAndParse({ ...request, feed: movedFeed }, sink)
      if (answer.kind === 'failed') return answer
      // Validators of the new address do not apply to the old one.
      const head = { etag: undefined, lastModified: undefined, leads: [], movedTo }
      if (answer.kind === 'unchanged') return { ...answer, ...head }
      return { ...answer, ...head, document: { ...answer.document, newFeedUrl: movedTo } }
    }
  }

  return async (request, sink) => {
    try {
      return await fetchWhereItIs(request, sink)
    } catch (error) {
      if (error instanceof FetchFailure) return failed(REASONS[error.reason], error.message)
      if (error instanceof NotAFeed)
        return { ...failed('not_a_feed', error.message), ...(error.links && { links: error.links }) }
      throw error
    }
  }
}

const PAGES_TRIES = 3

/** Suffix of the hash of a feed with unread pages: one `+` per attempt, and none after the last. */
function triesOf({ bodyHash = '' }: FeedToFetch): string {
  const tries = /\+*$/.exec(bodyHash)?.[0] ?? ''
  return tries.length < PAGES_TRIES ? `${tries}+` : ''
}

const WEEK = 7 * 24 * 3600

/** Validators of the last response; none for failing feeds, and none once a week for every feed. */
function conditionsFor({ url, etag, lastModified, failures, checkedAt = 0 }: FeedToFetch, at: number) {
  const weekOf = (time: number) => Math.floor((time + Number(quickHash64(url) % BigInt(WEEK))) / WEEK)
  if (failures > 0 || (checkedAt > 0 && weekOf(checkedAt) !== weekOf(at))) return {}
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
}

function failsOnConditions({ status, body }: Fetched): boolean {
  return status === 412 || status === 500 || (isSuccess(status) && body.byteLength === 0)
}

type FailedAnswer = FeedAnswer & { readonly kind: 'failed' }

function failed(reason: FeedFailureReason, message: string, headers?: Headers, now = 0): FailedAnswer {
  return { kind: 'failed', reason, message, retryAfter: headers && retryAfterSeconds(headers, now) }
}

function statusReason(status: number): FeedFailureReason {
  if (status === 410) return 'gone'
  if (status === 404) return 'not_found'
  if (status === 401) return 'denied'
  if (status === 403) return 'blocked'
  return status >= 500 ? 'server_error' : 'refused'
}

function securely(url: string, selfUrl: string): string | undefined {
  return url.startsWith('http:') && selfUrl === url.replace('http:', 'https:') ? selfUrl : undefined
}

function otherThan(url: string, other: string): string | undefined {
  return other === '' || other === url ? undefined : other
}

/** Fetches and parses a feed. Returns errors of the feed as an answer; rejects only on faults of this program. */
export type FeedFetcher = (request: FetchRequest, sink: EpisodeSink) => Promise<FeedAnswer>

export interface Fetchers {
  readonly fetchFeed: FeedFetcher
  readonly fetchTranscript: (file: AskedTranscript, begin: () => void) => Promise<TranscriptAnswer>
}

export function createRequestHandler(
  open: (settings: FeedSettings) => Fetchers,
  send: (response: FeedResponse) => void,
): (request: FeedRequest) => void {
  let fetchers: Fetchers | undefined

  async function handle(request: FetchRequest | TranscriptRequest): Promise<void> {
    const { number } = request
    try {
      if (!fetchers) throw new Error('the settings are missing')
      const begin = () => send({ number, isParsing: true })
      const answer =
        'transcript' in request
          ? await fetchers.fetchTranscript(request.transcript, begin)
          : await fetchers.fetchFeed(request, { begin, add: (episodes) => send({ number, episodes }) })
      send({ number, answer })
    } catch (error) {
      send({ number, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }

  return (request) => {
    if ('settings' in request) fetchers = open(request.settings)
    else void handle(request)
  }
}
