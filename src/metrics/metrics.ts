import type { ActivityLog } from '../domain/sync/activity/activity.ts'
import type { Clock, Timer } from '../platform/clock.ts'
import type { Secret } from '../platform/secret.ts'
import { createEventLoopMonitor } from './event-loop.ts'
import { createRequestTally } from './requests.ts'
import { readServer, type ServerSources } from './server.ts'
import { createSyncTally } from './syncs.ts'

export interface MetricsParts extends ServerSources {
  /** What Prometheus has to send. */
  readonly token: Secret
  readonly timer: Timer
  readonly clock: Clock
}

/**
 * What `GET /metrics` tells. Requests and syncs are counted as they come; all else is asked where it is known, when
 * Prometheus asks. Created only where there is a token, so that other servers pay nothing for it.
 */
export function createMetrics({ token, timer, clock, ...sources }: MetricsParts) {
  const requests = createRequestTally()
  const syncs = createSyncTally()
  const eventLoop = createEventLoopMonitor(timer, clock)
  const startedAt = clock.seconds()

  return {
    token,
    noteResponse: requests.note,
    countActivity: (activity: ActivityLog): ActivityLog => syncs.counting(activity),

    async read(): Promise<{ readonly text: string; readonly contentType: string }> {
      // Of the whole package only what writes the text is loaded, and that with the first request.
      const { default: Registry } = await import('prom-client/lib/registry.js')
      const registry = new Registry()
      const families = [...(await readServer(sources, startedAt)), ...requests.read(), syncs.read(), eventLoop.read()]
      for (const family of families) registry.registerMetric({ name: family.name, get: async () => family })
      return { text: await registry.metrics(), contentType: registry.contentType }
    },

    stop: eventLoop.stop,
  }
}
