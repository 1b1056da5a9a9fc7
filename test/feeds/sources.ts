import type { FeedAnswer, FeedSource, KnownFeed } from '../../src/domain/feeds/ports.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { createFeedSource } from '../../src/worker/fetch-feed.ts'
import { parseFeed } from '../../src/worker/parse/parse-feed.ts'
import { known, subscribed } from '../store/contract/feeds.ts'
import { openFeed } from '../support/feed-source.ts'
import { startWebServer } from '../support/web-server.ts'

/** 2025-03-02T10:00:00Z. */
const NOW = 1_740_909_600

export type Route = Parameters<typeof startWebServer>[0][string]

export interface SourceScene extends AsyncDisposable {
  readonly source: FeedSource
  /** Of the web server, without a slash at the end. */
  readonly base: string
  /** Headers of the requests so far. */
  readonly asked: () => readonly Headers[]
  /** URLs of the episodes that have been read. */
  readonly episodes: () => readonly string[]
  /** How many documents have been parsed. */
  readonly parsed: () => number
  /** Whether the parser has been closed. */
  readonly isClosed: () => boolean
  /** Asks for the feed at a path of the server, or at any address. */
  ask(path: string, left?: Partial<KnownFeed>): Promise<FeedAnswer>
}

interface SourceOptions {
  /** The place of the private network that may be reached. */
  readonly allowed?: string
  /** Of a server over TLS. */
  readonly certificate?: string
  readonly parse?: typeof parseFeed
}

/** The real source with the real authFirst fetch, a web server of ours, and a parser without a thread. */
export function openSource(
  routes: Record<string, Route>,
  { allowed = '127.0.0.1', certificate, parse = parseFeed }: SourceOptions = {},
): SourceScene {
  const server = startWebServer(routes, certificate)
  const base = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`
  const episodes: string[] = []
  let parsed = 0
  let isClosed = false
  const source = createFeedSource({
    fetcher: createGuardedFetch({
      userAgent: 'podstep/test',
      resolve: async () => ['127.0.0.1'],
      allowed: [allowedPlace(allowed)],
    }),
    parser: {
      async parse(bytes, contentType, options, read) {
        parsed++
        const feed = openFeed(parse(bytes, contentType, options))
        await read(feed)
        return feed.document
      },
      close() {
        isClosed = true
      },
    },
    timeoutSeconds: 5,
    maxBytes: 100_000,
    mayReachPrivate: true,
    maxEpisodes: 3,
  })
  return {
    source,
    base,
    asked: () => server.asked.map(({ headers }) => headers),
    episodes: () => episodes,
    parsed: () => parsed,
    isClosed: () => isClosed,
    async ask(path, left = {}) {
      const url = path.startsWith('/') ? base + path : path
      const { store } = await subscribed(createSqliteStore(openMemoryDatabase()), { phone: [url] })
      return source.ask({ ...(await known(store, url)), ...left }, NOW, async ({ episodesBut }) => {
        for await (const some of episodesBut('[]')) episodes.push(...some.map((each) => each.url))
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
