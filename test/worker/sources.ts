import type { FeedAnswer, KnownFeed } from '../../src/domain/feeds/ports.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { createFetchFeed } from '../../src/worker/fetch-feed.ts'
import { parseFeed } from '../../src/worker/parse/parse-feed.ts'
import { known, subscribed } from '../store/contract/feeds/feeds.ts'
import { contentsOf } from '../support/feed-source.ts'
import { startWebServer } from '../support/web-server.ts'

/** 2025-03-02T10:00:00Z. */
export const NOW = 1_740_909_600

export type Route = Parameters<typeof startWebServer>[0][string]

interface SourceOptions {
  /** The place of the private network that may be reached. */
  readonly allowed?: string
  /** Of a server over TLS. */
  readonly certificate?: string
  readonly parse?: typeof parseFeed
}

/** The real source with the real guarded fetch and a web server of ours. */
export function openSource(
  routes: Record<string, Route>,
  { allowed = '127.0.0.1', certificate, parse = parseFeed }: SourceOptions = {},
) {
  const server = startWebServer(routes, certificate)
  const base = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`
  const episodes: string[] = []
  let parsed = 0
  const fetchFeed = createFetchFeed({
    fetcher: createGuardedFetch({
      userAgent: 'podstep/test',
      resolve: async () => ['127.0.0.1'],
      allowed: [allowedPlace(allowed)],
    }),
    async parse({ bytes, contentType, options, wanted }, sink) {
      parsed++
      const contents = contentsOf(parse(bytes, contentType, options), wanted)
      sink.add(contents.episodes)
      return contents.document
    },
    settings: { feedTimeoutSeconds: 5, feedMaxBytes: 100_000, feedMaxEpisodes: 3 },
  })
  return {
    /** Of the web server, without a slash at the end. */
    base,
    /** Headers of the requests so far. */
    asked: () => server.asked.map(({ headers }) => headers),
    /** URLs of the episodes that have been read. */
    episodes: () => episodes,
    /** How many documents have been parsed. */
    parsed: () => parsed,
    /** Asks for the feed at a path of the server, or at any address. */
    async ask(path: string, left: Partial<KnownFeed> = {}): Promise<FeedAnswer> {
      const url = path.startsWith('/') ? base + path : path
      const { store } = await subscribed(createSqliteStore(openMemoryDatabase()), { phone: [url] })
      const feed = { ...(await known(store, url)), ...left }
      const wanted = { known: '{}', order: 'newest first' } as const
      const request = { number: 1, audience: 'scheduled', feed, at: NOW, wanted, maxBytes: undefined } as const
      return fetchFeed(request, {
        begin: () => undefined,
        add: (some) => void episodes.push(...some.map((each) => each.url)),
      })
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A channel with one episode, and whatever else is wanted in it. */
export function rss(title: string, more = ''): string {
  const item = '<item><title>Fog</title><enclosure url="/1.mp3" type="audio/mpeg" length="4096"/></item>'
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${title}</title>${item}${more}</channel></rss>`
}

/** What the headers of an answer leave for the next time. */
export function headOf(answer: FeedAnswer): Pick<KnownFeed, 'etag' | 'lastModified' | 'bodyHash' | 'movedTo'> {
  if (answer.kind === 'failed') throw new Error(`failed: ${answer.message}`)
  const { etag, lastModified, bodyHash, movedTo } = answer
  return { etag, lastModified, bodyHash, movedTo }
}
