import type { FeedSettings, FeedSources } from './feeds/feed-messages.ts'
import { createFeedSource } from './feeds/feed-source.ts'
import { createLargeLane } from './feeds/large-lane.ts'
import { createParserThread, type ProcessorMs } from './feeds/parser-thread.ts'
import { allowedPlace } from './outbound/address-rules.ts'
import { createGuardedFetch } from './outbound/guarded-fetch.ts'
import { systemResolve } from './outbound/resolve.ts'
import { userAgentOf } from './outbound/user-agent.ts'

/** What somebody waits for (protocol.md D51). */
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
    () => new Worker(new URL('./feeds/parse-worker.ts', import.meta.url).href, { smol: true }),
    processorMs,
  )
  const common = { fetcher, parser, maxEpisodes: feedMaxEpisodes }
  return {
    loop: createFeedSource({
      ...common,
      timeoutSeconds: feedTimeoutSeconds,
      maxBytes: feedMaxBytes,
      mayReachPrivate: true,
      lane: createLargeLane(),
    }),
    users: createFeedSource({ ...common, ...WAITED_FOR, mayReachPrivate: true }),
    anyone: createFeedSource({ ...common, ...WAITED_FOR, mayReachPrivate: false }),
  }
}
