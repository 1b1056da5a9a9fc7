import { type FingerprintedEpisode, NotAFeed } from '../domain/feeds/document.ts'
import type { OpenFeed } from '../domain/feeds/ports.ts'
import type { FeedRequest, FeedResponse, FeedSettings, FeedSources } from './protocol.ts'

/** A document that the server reads. */
interface Reading {
  readonly feed: OpenFeed
  readonly isRead: PromiseWithResolvers<void>
  episodes: AsyncIterator<readonly FingerprintedEpisode[]> | undefined
}

/** Does in the process beside what the server orders (feed-process.ts): answers each order, in any order. */
export function createRequestHandler(
  open: (settings: FeedSettings) => FeedSources,
  reply: (reply: FeedResponse) => void,
): (order: FeedRequest) => void {
  const readings = new Map<number, Reading>()
  let sources: FeedSources | undefined

  async function ask({ number, of, feed, at }: Extract<FeedRequest, { readonly feed: unknown }>): Promise<void> {
    try {
      if (!sources) throw new Error('the settings are missing')
      const answer = await sources[of].ask(feed, at, async (opened) => {
        const { document, isInside } = opened
        const isRead = Promise.withResolvers<void>()
        readings.set(number, { feed: opened, isRead, episodes: undefined })
        reply({ number, open: { document, isInside } })
        await isRead.promise
      })
      reply({ number, answer })
    } catch (error) {
      reply({ number, broken: stackOf(error) })
    } finally {
      readings.delete(number)
    }
  }

  async function hand({ number, known, order }: Extract<FeedRequest, { readonly order: unknown }>): Promise<void> {
    const reading = readings.get(number)
    // It was given up meanwhile, and its end is told elsewhere.
    if (!reading) return
    try {
      if (known !== undefined) reading.episodes = reading.feed.episodesBut(known, order)[Symbol.asyncIterator]()
      const next = await reading.episodes?.next()
      reply({ number, episodes: next?.value ?? [] })
    } catch (error) {
      if (error instanceof NotAFeed) reply({ number, notAFeed: error.message })
      else reply({ number, broken: stackOf(error) })
    }
  }

  return (order) => {
    if ('settings' in order) sources = open(order.settings)
    else if ('feed' in order) void ask(order)
    else if ('isRead' in order) readings.get(order.number)?.isRead.resolve()
    else void hand(order)
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
