import { clientLabel } from '../domain/accounts/sessions.ts'
import { isUnavailable } from '../domain/shared/errors.ts'
import type { Service } from '../domain/shared/service.ts'
import type { ActiveApp, ActivityLog, NotedActivity } from '../domain/sync/activity/activity.ts'
import type { Clock, Timer } from '../platform/clock.ts'
import {
  createHistogram,
  type Family,
  type HistogramCounter,
  histogramSamples,
  labelled,
  single,
} from '../platform/metrics.ts'
import type { Secret } from '../platform/secret.ts'

/** `GET /metrics`. Counts requests and syncs as they happen; everything else is read on demand. */
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
    /** Rejects with `unavailable`, like `/readyz`. */
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
  // Check after the reads, which may have found a failure. `/readyz` and the log name the cause.
  const isReady = await ready().then(
    () => 1,
    () => 0,
  )
  const info = ['podstep_info', 'Always 1; the label says which version is running.'] as const
  return [
    labelled('gauge', info, 'version', { [version]: 1 }),
    single('gauge', 'podstep_ready', 'Whether changes can be stored, as in /readyz: 1 or 0.', isReady),
    single('gauge', 'process_start_time_seconds', 'When the server was started, in Unix seconds.', startedAt),
    single('gauge', 'process_resident_memory_bytes', 'Memory that the server uses.', memoryBytes()),
    ...families.flat(),
  ]
}

/** Milliseconds between samples; most stalls of half that length are noticed. */
const SAMPLE_MS = 200

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Measures how late a timer fires, which is how long all other work has waited. */
function createEventLoopMonitor(timer: Timer, clock: Pick<Clock, 'monotonic'>) {
  const delays = createHistogram(SECONDS)
  let cancelTimer = scheduleSample()

  function scheduleSample(): () => void {
    const dueAt = clock.monotonic() + SAMPLE_MS
    return timer(SAMPLE_MS, () => {
      delays.observe(Math.max(0, clock.monotonic() - dueAt) / 1000)
      cancelTimer = scheduleSample()
    })
  }

  return {
    read(): Family {
      const name = 'podstep_event_loop_delay_seconds'
      return {
        name,
        help: 'Delay of work on the event loop in seconds, measured five times a second.',
        type: 'histogram',
        values: histogramSamples(name, delays.read()),
      }
    },
    stop: (): void => cancelTimer(),
  }
}

/** Apps known to synchronize (docs/apps.md), by the first word of their name in lower case. */
const APPS: ReadonlyMap<string, string> = new Map(
  [
    ...['Amarok', 'AntennaPod', 'Cardo', 'Clementine', 'FocusPodcast', 'gPodder', 'Kasts', 'Kodi', 'mygpoclient'],
    ...['PinePods', 'Podcini', 'podstep', 'Strawberry', 'YourPods'],
  ].map((name) => [name.toLowerCase(), name]),
)

/** Size of the cache of User-Agents; a household has a dozen. */
const KNOWN_MAX = 500

/** Returns a word of a closed list, so that clients cannot add labels by inventing names. */
function appOf({ userAgent, isBrowser }: ActiveApp): string {
  const label = clientLabel(userAgent)?.toLowerCase() ?? ''
  return isBrowser || userAgent.startsWith('Mozilla/')
    ? 'browser'
    : (APPS.get(/^[a-z]*/.exec(label)?.[0] ?? '') ?? 'other')
}

function createSyncTally() {
  const counts = new Map<string, Map<string, number>>()
  const appNames = new Map<string, string>()

  function knownAppOf(app: ActiveApp): string {
    // Don't cache long User-Agents: they are made up.
    if (app.isBrowser || app.userAgent.length > 200) return appOf(app)
    const name = appNames.get(app.userAgent) ?? appOf(app)
    if (appNames.size >= KNOWN_MAX) appNames.clear()
    appNames.set(app.userAgent, name)
    return name
  }

  function note(app: ActiveApp, { kind }: NotedActivity): void {
    const name = knownAppOf(app)
    const kinds = counts.get(name) ?? new Map<string, number>()
    counts.set(name, kinds)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }

  return {
    counting: (activity: ActivityLog): ActivityLog => ({
      ...activity,
      note(app, noted) {
        note(app, noted)
        activity.note(app, noted)
      },
    }),

    read: (): Family => ({
      name: 'podstep_syncs_total',
      help: 'What apps have sent and fetched, by app ("other" if it is not a known one) and kind of activity.',
      type: 'counter',
      values: [...counts].flatMap(([app, kinds]) =>
        [...kinds].map(([kind, value]) => ({ value, labels: { app, kind } })),
      ),
    }),
  }
}

/** Seconds: from a response out of memory to the timeout of apps. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/** Files of the web client: each has its own route, whose name changes with the version. */
const FILE_OF_CLIENT = /^(.*\/a\/)[^/]+\.[^/]+$/

interface Row {
  readonly route: string
  readonly method: string
  readonly seconds: HistogramCounter
  readonly statuses: Map<number, number>
}

/** Counts requests by route pattern. Two look-ups find the counters, without building a key. */
export function createRequestTally() {
  const byRoute = new Map<string, Map<string, Row>>()
  const rows = new Map<string, Row>()

  function rowOf(route: string, method: string): Row {
    const shownRoute = route.replace(FILE_OF_CLIENT, '$1*')
    const shownMethod = METHODS.has(method) ? method : 'other'
    const key = `${shownMethod} ${shownRoute}`
    const row = rows.get(key) ?? {
      route: shownRoute,
      method: shownMethod,
      seconds: createHistogram(REQUEST_SECONDS),
      statuses: new Map(),
    }
    rows.set(key, row)
    return row
  }

  function add(route: string, method: string): Row {
    const row = rowOf(route, method)
    // Don't remember methods that clients made up: their number has no limit.
    if (row.method === method) byRoute.set(route, (byRoute.get(route) ?? new Map()).set(method, row))
    return row
  }

  return {
    note(method: string, route: string, status: number, ms: number): void {
      const { seconds, statuses } = byRoute.get(route)?.get(method) ?? add(route, method)
      seconds.observe(ms / 1000)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },

    read(): Family[] {
      const name = 'podstep_http_request_duration_seconds'
      const all = [...rows.values()]
      return [
        {
          name: 'podstep_http_requests_total',
          help: 'Requests by method, pattern of the route and status; route "none" stands for requests that match no route.',
          type: 'counter',
          values: all.flatMap(({ route, method, statuses }) =>
            [...statuses].map(([status, value]) => ({ value, labels: { method, route, status } })),
          ),
        },
        {
          name,
          help: 'Seconds until the response began, by method and pattern of the route.',
          type: 'histogram',
          values: all.flatMap(({ route, method, seconds }) =>
            histogramSamples(name, seconds.read(), { method, route }),
          ),
        },
      ]
    },
  }
}
