import { type Context, Elysia } from 'elysia'
import type { Principal } from '../domain/accounts/authentication.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { type Clock, systemTimer } from '../platform/clock.ts'
import type { Random } from '../platform/crypto.ts'
import type { Log } from '../platform/log.ts'
import type { Services } from '../services.ts'
import { createAccessLog, type NoteResponse } from './access-log.ts'
import { noteFailure } from './activity.ts'
import { createAuthGuard } from './auth.ts'
import { createBodyRoom } from './body-room.ts'
import { errorBody, statusOf, toDomainError } from './errors.ts'
import type { HintHub } from './live/hub.ts'
import { mountRoutes } from './mount.ts'
import { createOrigins, createProxyWarning, type OriginOptions } from './origin.ts'
import { allowedMethods, normalizeUrl } from './request-url.ts'
import type { IdleLimit } from './responses/idle-limit.ts'
import { addStandardHeaders, createSender, STANDARD_HEADERS } from './responses/send.ts'
import { ssoRoutes } from './routes/accounts/sso.ts'
import { apiRoutes } from './routes/index.ts'
import { docsRoutes } from './routes/server/docs.ts'
import { type Metrics, metricsRoutes } from './routes/server/metrics.ts'
import { type Health, healthRoutes } from './routes/server/server.ts'
import { createWebClient } from './routes/server/web.ts'
import type { WebFiles } from './web-files.ts'

export interface HttpParts extends OriginOptions {
  readonly services: Services
  readonly hub: HintHub
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly version: string
  /** `base_url`. Its path, such as `/podcasts`, prefixes every route except health checks and metrics. */
  readonly baseUrl: { readonly href: string; readonly origin: string; readonly path: string } | undefined
  readonly hasAccessLog: boolean
  readonly health: Health
  readonly idleLimit: IdleLimit
  readonly metrics: (Metrics & { readonly noteResponse: NoteResponse }) | undefined
  readonly web: WebFiles | undefined
}

interface FailedContext {
  readonly error: unknown
  readonly code: unknown
  readonly request: Request
  readonly path: string
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly set: Context['set']
  readonly principal?: Principal | undefined
}

interface SentContext {
  readonly request: Request
  readonly route: string
  readonly set: Context['set']
  readonly responseValue: unknown
  readonly principal?: Principal | undefined
}

export type FetchHandler = (request: Request) => Response | Promise<Response>

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'

/** Paths that pages of other origins may use, without credentials (docs/protocol.md#D1). */
const CORS_PATHS = /^\/(?:(?:api\/2|subscriptions|suggestions|toplist)(?:[/.]|$)|search\.|clientconfig\.json$)/

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type',
}

/** Bytes of large request bodies in progress: three of the largest, which need five times that memory in total. */
const BODIES_MAX = 32 * 1024 * 1024

/** Bytes. Responses to HEAD have a Content-Length up to this size; longer bodies are not generated just for that. */
const MEASURED_MAX = 1024 * 1024

export function createFetch(parts: HttpParts): FetchHandler {
  const { services, hub, clock, log } = parts
  const basePath = parts.baseUrl?.path ?? ''
  const originals = new WeakMap<Request, Request>()
  const origins = createOrigins({ ...parts, peerOf: (request) => parts.peerOf(originals.get(request) ?? request) })
  const accessLog = createAccessLog({
    log,
    clock,
    isOn: parts.hasAccessLog,
    onResponse: parts.metrics?.noteResponse,
    idPrefix: Buffer.from(parts.random.bytes(3)).toString('hex'),
  })
  const idleLimit: IdleLimit = {
    lift: (request) => parts.idleLimit.lift(originals.get(request) ?? request),
    restore: (request) => parts.idleLimit.restore(originals.get(request) ?? request),
  }
  const room = createBodyRoom({ maxBytes: BODIES_MAX, timer: systemTimer })
  const authGuard = createAuthGuard({
    authentication: services.authentication,
    room,
    origins,
    cookiePath: basePath || '/',
    sessionSeconds: services.sessions.lifetimeSeconds,
    onAuthenticated: accessLog.noteUser,
  })
  const proxyWarning = createProxyWarning(origins, log, clock)
  const web = parts.web && createWebClient(parts.web, basePath, origins.isHttps)
  const isCors = (path: string) => path.startsWith(basePath) && CORS_PATHS.test(path.slice(basePath.length))
  const send = createSender(({ url }) => isCors(pathOf(url)))

  const rootTable = healthRoutes(parts.health)
  const apiTable = apiRoutes({ services, authGuard, origins, clock, hub, lastUnbelieved: proxyWarning.last })
  let routes: readonly { readonly method: string; readonly path: string }[] = []

  // No schema transforms values, so Elysia need not walk each response again to encode it.
  const app = new Elysia({ handler: { standardHostname: false }, encodeSchema: false, normalize: false })
    .onRequest(({ request }) => {
      if (request.method === 'POST') authGuard.refuseForeignForm(request)
    })
    .onError(({ error, code, request, path, route, params, set, principal }: FailedContext) => {
      accessLog.noteRoute(request, route)
      const failure = errorOf(error, code, request, path)
      if (code === 'NOT_FOUND') warnOfCutPrefix(path)
      const failed = { request, route, params }
      noteFailure(services.activity, failed, failure, principal ?? authGuard.principalOf(request))
      if (failure.code === 'not_found' && !path.startsWith(`${basePath}/api/`)) {
        const page = web?.notFound(request)
        if (page) {
          addStandardHeaders(set, isCors(path))
          return page
        }
      }
      const status = statusOf(failure)
      if (status === 401 && !request.headers.has('x-requested-with')) set.headers['www-authenticate'] = CHALLENGE
      if (status === 405) set.headers['allow'] = allowedMethods(routes, path).join(', ')
      if (failure.retryAfter !== undefined) set.headers['retry-after'] = String(failure.retryAfter)
      // Only successful responses send a session (docs/protocol.md#D24).
      delete set.headers['set-cookie']
      set.status = status
      addStandardHeaders(set, isCors(path))
      // Must be a `Response`: Elysia replaces any other value with the result of `mapResponse`.
      return Response.json(errorBody(failure), { status })
    })
    // Destructured because Elysia sets up only the context fields that it finds used in the source.
    .mapResponse(({ request, route, set, responseValue, principal }: SentContext) => {
      accessLog.noteRoute(request, route)
      return send(request, set, responseValue, principal?.user.id)
    })
    .use(mountRoutes(rootTable, authGuard, idleLimit))
    .use(parts.metrics ? metricsRoutes(parts.metrics) : new Elysia())
    .use(
      new Elysia({ prefix: basePath })
        .use(mountRoutes(apiTable, authGuard, idleLimit))
        .use(ssoRoutes({ ...services, authGuard, origins, basePath, log }))
        .use(web?.routes ?? new Elysia())
        .use(docsRoutes([...rootTable, ...apiTable], basePath, parts.version, origins.isHttps)),
    )
  routes = app.routes

  async function dispatch(request: Request): Promise<Response> {
    try {
      return await app.fetch(request)
    } finally {
      room.release(request)
      idleLimit.restore(request)
    }
  }

  function errorOf(error: unknown, code: unknown, request: Request, path: string): DomainError {
    const failure = toDomainError(error, code)
    if (code === 'NOT_FOUND' && allowedMethods(routes, path).length > 0)
      return new DomainError('method_not_allowed', `this path does not support ${request.method}`)
    if (failure.code !== 'internal') return failure
    const id = accessLog.idOf(request)
    log.error('request failed', { request_id: id, method: request.method, path: kindOf(path), error })
    return new DomainError('internal', `internal error, noted in the server's log as ${id}`)
  }

  let isCutPrefixKnown = basePath === ''

  /** Warns once if a reverse proxy strips the path of `base_url`, which leaves browsers with a blank page. */
  function warnOfCutPrefix(path: string): void {
    if (isCutPrefixKnown || allowedMethods(routes, basePath + path).length === 0) return
    isCutPrefixKnown = true
    log.warn('requests arrive without the path of base_url: the reverse proxy must pass it on unchanged', {
      base_path: basePath,
    })
  }

  /** Returns the start of a path, without names of users and devices, which do not belong in a log. */
  function kindOf(path: string): string {
    const own = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
    return own.split('/', own.startsWith('/api/') ? 4 : 2).join('/')
  }

  async function special(request: Request, url: string): Promise<Response> {
    if (request.method === 'OPTIONS' && isCors(pathOf(url)))
      return new Response(null, { status: 204, headers: PREFLIGHT })
    // The Host header may not be valid in a URL, for example with a six-digit port.
    if (!URL.canParse(url)) return malformedAddress()
    const isHead = request.method === 'HEAD'
    const normalized = new Request(url, isHead ? { headers: request.headers } : request)
    originals.set(normalized, request)
    accessLog.rewrite(normalized, request)
    const response = await dispatch(normalized)
    return isHead ? withoutBody(response) : response
  }

  function respond(request: Request): Response | Promise<Response> {
    proxyWarning.look(request)
    const { url: requestUrl, method, headers } = request
    const host = headers.get('host')
    // Repeated Host headers arrive joined by a comma. HTTP/1.0, still used by some load balancers, requires none.
    const url = host?.includes(',')
      ? undefined
      : normalizeUrl(
          host === null && requestUrl.startsWith('/') ? `http://localhost${requestUrl}` : withoutTls(requestUrl),
        )
    if (url === undefined) return malformedAddress()
    if (url !== requestUrl || method === 'HEAD' || method === 'OPTIONS') return special(request, url)
    // GET requests, by far the most frequent, have nothing to release.
    return method === 'GET' ? app.fetch(request) : dispatch(request)
  }

  return (request) => accessLog.follow(request, respond)
}

function pathOf(url: string): string {
  const start = url.indexOf('/', 8)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

/** Elysia's router finds the path of `http:` URLs only. */
function withoutTls(url: string): string {
  return url.startsWith('https:') ? url.replace('https:', 'http:') : url
}

async function withoutBody(response: Response): Promise<Response> {
  // On a 304, Content-Length would have to be that of the cached body.
  if (response.status === 304) return response
  const headers = new Headers(response.headers)
  let length = 0
  if (headers.get('content-type') === 'text/event-stream') {
    // This stream never ends.
    await response.body?.cancel()
    return new Response(null, { status: response.status, headers })
  }
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > MEASURED_MAX) break
  }
  if (length <= MEASURED_MAX) headers.set('content-length', String(length))
  return new Response(null, { status: response.status, headers })
}

function malformedAddress(): Response {
  const error = new DomainError('validation_failed', 'the Host header or the address is malformed', { field: 'Host' })
  return Response.json(errorBody(error), { status: statusOf(error), headers: STANDARD_HEADERS })
}
