import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'

/** The route of requests that no route answers: unknown paths, preflights, malformed addresses. */
const NO_ROUTE = 'none'

/** Load balancers and monitoring send these all day long; only `log_level = "debug"` shows them. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/health', '/metrics'])

/** What the log tells about a request. Its URL is left out: it names users, devices and feeds, some of them secret. */
interface Entry {
  readonly method: string
  readonly startedAt: number
  route: string
  userId: number | undefined
  id: string | undefined
}

/** Method, pattern of the route, status of the response, and milliseconds until it began. */
export type NoteResponse = (method: string, route: string, status: number, ms: number) => void

/** Writes one line for each request when its response begins. Every request pays for it, so it does little. */
export function createAccessLog(parts: {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  readonly isOn: boolean
  readonly onResponse?: NoteResponse | undefined
  /** A few random bytes, so that the IDs of two runs of the server differ. */
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
    /** Notes the pattern of the route that answers the request; undefined if none does. */
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
