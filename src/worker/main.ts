// First: whatever thread the runtime begins later inherits the priority.
import './lower-priority.ts'
import process from 'node:process'
import { systemTimer } from '../platform/timer.ts'
import { HEARTBEAT_MS } from './client.ts'
import { openFeedSources } from './feed-sources.ts'
import type { FeedRequest, FeedResponse, Heartbeat } from './protocol.ts'
import { createRequestHandler } from './request-handler.ts'

/**
 * The whole of the process beside the server: what others write is fetched and taken apart where it can neither hold up nor take along
 * anybody who syncs.
 */
function main(): void {
  if (!process.send) {
    process.stderr.write(
      'this is for podstep itself, which starts it when there are feeds to be read; see podstep help\n',
    )
    process.exit(2)
  }
  const clerk = createRequestHandler(
    (settings) => openFeedSources(settings, processorMs),
    (reply: FeedResponse) => void process.send?.(reply),
  )
  process.on('message', (order: FeedRequest) => clerk(order))
  systemTimer(HEARTBEAT_MS, tellOfLife)
  process.on('disconnect', () => process.exit(0))
  // These may be meant for all processes of the service; the server knows when this one is to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}

function tellOfLife(): void {
  process.send?.({ isAlive: true } satisfies Heartbeat)
  systemTimer(HEARTBEAT_MS, tellOfLife)
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

main()
