// First: whatever thread the runtime begins later inherits the priority.
import './feeds/give-way.ts'
import process from 'node:process'
import { openFeedSources } from './feed-sources.ts'
import { createFeedClerk } from './feeds/feed-clerk.ts'
import type { FeedOrder, FeedReply, SignOfLife } from './feeds/feed-messages.ts'
import { SIGN_OF_LIFE_MS } from './feeds/feed-process.ts'
import { systemTimer } from './platform/timer.ts'

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
  const clerk = createFeedClerk(
    (settings) => openFeedSources(settings, processorMs),
    (reply: FeedReply) => void process.send?.(reply),
  )
  process.on('message', (order: FeedOrder) => clerk(order))
  systemTimer(SIGN_OF_LIFE_MS, tellOfLife)
  process.on('disconnect', () => process.exit(0))
  // These may be meant for all processes of the service; the server knows when this one is to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}

function tellOfLife(): void {
  process.send?.({ isAlive: true } satisfies SignOfLife)
  systemTimer(SIGN_OF_LIFE_MS, tellOfLife)
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

main()
