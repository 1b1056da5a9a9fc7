import { isUnavailable } from '../domain/shared/errors.ts'
import type { Service } from '../domain/shared/service.ts'
import type { ActivityLog } from '../domain/sync/activity/activity.ts'
import type { Clock, Timer } from '../platform/clock.ts'
import { type Family, labelled, single } from '../platform/metrics.ts'
import type { Secret } from '../platform/secret.ts'
import { createEventLoopMonitor } from './event-loop.ts'
import { createRequestTally } from './requests.ts'
import { createSyncTally } from './syncs.ts'

/** `GET /metrics`. Requests and syncs are counted as they come, all else is read on demand. */
export function createMetrics({
  token,
  timer,
  clock,
  ...server
}: Parameters<typeof readServer>[0] & { readonly token: Secret; readonly timer: Timer; readonly clock: Clock }) {
  const requests = createRequestTally()
  const syncs = createSyncTally()
  const eventLoop = createEventLoopMonitor(timer, clock)
  const startedAt = clock.seconds()

  return {
    token,
    noteResponse: requests.note,
    countActivity: (activity: ActivityLog): ActivityLog => syncs.counting(activity),

    async read(): Promise<{ readonly text: string; readonly contentType: string }> {
      const { default: Registry } = await import('prom-client/lib/registry.js')
      const registry = new Registry()
      const families = [...(await readServer(server, startedAt)), ...requests.read(), syncs.read(), eventLoop.read()]
      for (const family of families) registry.registerMetric({ name: family.name, get: async () => family })
      return { text: await registry.metrics(), contentType: registry.contentType }
    },

    stop: eventLoop.stop,
  }
}

/** State of the server. Metrics that need an unreadable database are left out. */
async function readServer(
  {
    version,
    ready,
    memoryBytes,
    counters,
  }: {
    readonly version: string
    readonly ready: () => Promise<void>
    readonly memoryBytes: () => number | undefined
    readonly counters: readonly NonNullable<Service['counters']>[]
  },
  startedAt: number,
): Promise<Family[]> {
  const families = await Promise.all(
    counters.map(async (read) => {
      try {
        return await read()
      } catch (error) {
        if (isUnavailable(error)) return []
        throw error
      }
    }),
  )
  // After the reads, which may just have shown that it is not. Why, `/readyz` and the log tell.
  const isReady = await ready().then(
    () => 1,
    () => 0,
  )
  const info = ['podstep_info', 'Always 1; the label says which version is running.'] as const
  return [
    labelled('gauge', info, 'version', { [version]: 1 }),
    single('gauge', 'podstep_ready', 'Whether changes can be stored, as /readyz tells: 1 or 0.', isReady),
    single('gauge', 'process_start_time_seconds', 'When the server was started, in Unix seconds.', startedAt),
    single('gauge', 'process_resident_memory_bytes', 'Memory that the server takes.', memoryBytes()),
    ...families.flat(),
  ]
}
