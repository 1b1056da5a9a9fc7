import { allowedPlace, systemResolve } from '../outbound/address-rules.ts'
import { createGuardedFetch, userAgentOf } from '../outbound/guarded-fetch.ts'
import { createFeedSource } from './fetch-feed.ts'
import { createLargeFeedLimit } from './large-feed-limit.ts'
import { createParserThread, type ProcessorMs } from './parser-thread.ts'
import type { FeedSettings, FeedSources } from './protocol.ts'

/** What somebody waits for (docs/protocol.md#D51). */
const WAITED_FOR = { timeoutSeconds: 10, maxBytes: 10 * 1024 * 1024 }

/** Feeds from the internet, for whoever wants them. */
export function openFeedSources(settings: FeedSettings, processorMs: ProcessorMs): FeedSources {
  const { version, feedAllowPrivate, feedTimeoutSeconds, feedMaxBytes, feedMaxEpisodes } = settings
  const fetcher = createGuardedFetch({
    userAgent: userAgentOf(version),
    resolve: systemResolve,
    allowed: feedAllowPrivate.map(allowedPlace),
  })
  // From here the address is the same in the executable.
  const parser = createParserThread(
    () => new Worker(new URL('./parse-worker.ts', import.meta.url).href, { smol: true }),
    processorMs,
  )
  const common = { fetcher, parser, maxEpisodes: feedMaxEpisodes }
  return {
    loop: createFeedSource({
      ...common,
      timeoutSeconds: feedTimeoutSeconds,
      maxBytes: feedMaxBytes,
      mayReachPrivate: true,
      lane: createLargeFeedLimit(),
    }),
    users: createFeedSource({ ...common, ...WAITED_FOR, mayReachPrivate: true }),
    anyone: createFeedSource({ ...common, ...WAITED_FOR, mayReachPrivate: false }),
  }
}
