// First: whatever thread the runtime begins later inherits the priority.
import './lower-priority.ts'
import process from 'node:process'
import { systemTimer } from '../platform/clock.ts'
import { HEARTBEAT_MS } from './client.ts'
import { createFeedFetcher, createRequestHandler } from './fetch-feed.ts'
import type { FeedRequest, FeedResponse, Heartbeat } from './protocol.ts'

/** The feed worker process: what others publish is handled here, where it cannot hold up or crash the server. */
function main(): void {
  if (!process.send) {
    process.stderr.write('podstep starts this process by itself when there are feeds to fetch; see podstep help\n')
    process.exit(2)
  }
  const handle = createRequestHandler(
    (settings) => createFeedFetcher(settings, processorMs),
    (response: FeedResponse) => void process.send?.(response),
  )
  process.on('message', (request: FeedRequest) => handle(request))
  sendHeartbeat()
  process.on('disconnect', () => process.exit(0))
  // These may be meant for all processes of the service; the server knows when this one is to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}

/** The parser pauses often enough for this timer to fire, unless it is stuck. */
function sendHeartbeat(): void {
  process.send?.({ isAlive: true } satisfies Heartbeat)
  systemTimer(HEARTBEAT_MS, sendHeartbeat)
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

main()
