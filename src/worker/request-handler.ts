import type { FeedAnswer } from '../domain/feeds/ports.ts'
import type { EpisodeSink } from './parse-document.ts'
import type { FeedRequest, FeedResponse, FeedSettings, FetchRequest } from './protocol.ts'

/** Fetches and parses the feed of a request. What goes wrong with the feed is an answer; rejects by a fault of ours. */
export type FeedFetcher = (request: FetchRequest, sink: EpisodeSink) => Promise<FeedAnswer>

/** Handles in the feed worker process what the server requests: several feeds at once, each until its answer. */
export function createRequestHandler(
  open: (settings: FeedSettings) => FeedFetcher,
  send: (response: FeedResponse) => void,
): (request: FeedRequest) => void {
  let fetchFeed: FeedFetcher | undefined

  async function handle(request: FetchRequest): Promise<void> {
    const { number } = request
    try {
      if (!fetchFeed) throw new Error('the settings are missing')
      const answer = await fetchFeed(request, {
        begin: () => send({ number, isParsing: true }),
        add: (episodes) => send({ number, episodes }),
      })
      send({ number, answer })
    } catch (error) {
      send({ number, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }

  return (request) => {
    if ('settings' in request) fetchFeed = open(request.settings)
    else void handle(request)
  }
}
