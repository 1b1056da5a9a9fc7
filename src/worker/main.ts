// First: threads that the runtime starts later inherit the priority.
import '../processes/lower-priority.ts'
import { systemTimer } from '../platform/clock.ts'
import { processorMs, type Respond, serveParent } from '../processes/serve-parent.ts'
import { HEARTBEAT_MS } from './client.ts'
import { createFetchers, createRequestHandler } from './fetch-feed.ts'
import type { FeedRequest, FeedResponse, Heartbeat } from './protocol.ts'

/* The feed worker process, which handles untrusted feeds so that they cannot block or crash the server. */

serveParent<FeedRequest, FeedResponse | Heartbeat>('when there are feeds to fetch', (respond) => {
  sendHeartbeat(respond)
  return createRequestHandler((settings) => createFetchers(settings, processorMs), respond)
})

/** The parser pauses often enough for this timer to fire, unless it is stuck. */
function sendHeartbeat(respond: Respond<Heartbeat>): void {
  respond({ isAlive: true })
  systemTimer(HEARTBEAT_MS, () => sendHeartbeat(respond))
}
