import { createHistogram, type Family, type HistogramCounter, histogramSamples } from '../platform/metrics.ts'

/** Seconds: from what is in memory to what makes an app give up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])

/** Files of the web client: each has a route of its own, with another name in each version. */
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
      seconds: createHistogram(SECONDS),
      statuses: new Map(),
    }
    rows.set(key, row)
    return row
  }

  function add(route: string, method: string): Row {
    const row = rowOf(route, method)
    // A method that clients made up is not remembered: there is no end of them.
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
          help: 'Requests by method, pattern of the route and status; route "none" is of those that no route answers.',
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
