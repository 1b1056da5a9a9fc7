import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'

/** Route of requests that match no route: unknown paths, preflights, malformed URLs. */
const NO_ROUTE = 'none'

/** Load balancers and monitoring send these constantly. They are logged only with `log_level = "debug"`. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/health', '/metrics'])

/** Logged data of a request. Excludes its URL, which names users, devices and feeds, some of them secret. */
interface Entry {
  readonly method: string
  readonly startedAt: number
  route: string
  userId: number | undefined
  id: string | undefined
}

/** `ms` is the time until the response began. */
export type NoteResponse = (method: string, route: string, status: number, ms: number) => void

/** Writes one line for each request when its response begins. Runs for every request, so it does little. */
export function createAccessLog(parts: {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  readonly isOn: boolean
  readonly onResponse?: NoteResponse | undefined
  /** Random, so that request IDs of two runs of the server differ. */
  readonly idPrefix: string
}) {
  const { log, clock, isOn, onResponse, idPrefix } = parts
  const entries = new WeakMap<Request, Entry>()
  let lastId = 0

  function newId(): string {
    lastId += 1
    return idPrefix + lastId.toString(16).padStart(6, '0')
  }

  function end(entry: Entry, response: Response): void {
    const { status } = response
    if (isOn && status >= 400) {
      entry.id ??= newId()
      response.headers.set('x-request-id', entry.id)
    }
    const ms = clock.monotonic() - entry.startedAt
    onResponse?.(entry.method, entry.route, status, ms)
    if (isOn) write(entry, status, Math.round(ms * 100) / 100)
  }

  function write({ method, route, userId, id = newId() }: Entry, status: number, ms: number): void {
    const fields = { method, route, status, ms, user_id: userId, request_id: id }
    if (HEALTH_CHECKS.has(route)) log.debug('request', fields)
    else log.infoOften('request', fields)
  }

  return {
    follow(
      request: Request,
      respond: (request: Request) => Response | Promise<Response>,
    ): Response | Promise<Response> {
      if (!isOn && !onResponse) return respond(request)
      const entry: Entry = {
        method: request.method,
        startedAt: clock.monotonic(),
        route: NO_ROUTE,
        userId: undefined,
        id: undefined,
      }
      entries.set(request, entry)
      const response = respond(request)
      if (response instanceof Response) {
        end(entry, response)
        return response
      }
      return response.then((answer) => {
        end(entry, answer)
        return answer
      })
    },
    rewrite(rewritten: Request, original: Request): void {
      const entry = entries.get(original)
      if (entry) entries.set(rewritten, entry)
    },
    /** Records the pattern of the matching route; undefined if there is none. */
    noteRoute(request: Request, route: string | undefined): void {
      const entry = entries.get(request)
      if (entry) entry.route = route ?? NO_ROUTE
    },
    noteUser(request: Request, userId: number): void {
      const entry = entries.get(request)
      if (entry) entry.userId = userId
    },
    idOf(request: Request): string {
      const entry = entries.get(request)
      if (!entry) return newId()
      entry.id ??= newId()
      return entry.id
    },
  }
}
