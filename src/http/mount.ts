import { Elysia, t } from 'elysia'
import type { AuthGuard, AuthKind } from './auth.ts'
import { type BodyReader, type PathParams, readAnonymousJson, readJson } from './body.ts'
import type { Access, Route } from './endpoint.ts'
import type { IdleLimit } from './responses/idle-limit.ts'
import { readImportBody } from './upload/import-body.ts'

/** Builds the router of a route table. Requests that change data have no idle limit once their body has been read. */
export function mountRoutes(routes: readonly Route[], authGuard: AuthGuard, idleLimit: IdleLimit) {
  const app = new Elysia().use(authPlugin(authGuard))
  // Must return undefined: Elysia would send any other value as the response.
  function liftIdleLimit({ request }: { request: Request }): undefined {
    idleLimit.lift(request)
  }
  for (const route of routes)
    app.route(route.method, routerPath(route.path), route.handle, {
      ...authHooks(route.access),
      ...schemasOf(route),
      ...parserOf(route, authGuard),
      ...(isRead(route) && { beforeHandle: liftIdleLimit }),
    })
  return app
}

function isRead({ method, spec }: Route): boolean {
  return method !== 'GET' && spec.read !== readImportBody
}

export function routerPath(path: string): string {
  return path.replace(/(\/:\w+)\.[\w:]+$/, '$1')
}

/** Finds the principal before the handler runs, and sends the session cookie on every route. */
function authPlugin(authGuard: AuthGuard) {
  return new Elysia({ name: 'auth' }).macro({
    auth: (kind: AuthKind) => ({
      async resolve({ request, set, params }) {
        const principal = await authGuard.authorize(request, kind, params)
        authGuard.sendSession(request, set, principal)
        return { principal }
      },
    }),
    optionalAuth: {
      async resolve({ request, set }) {
        const principal = await authGuard.authenticateOptional(request)
        if (principal) authGuard.sendSession(request, set, principal)
        return { principal }
      },
    },
  })
}

function authHooks(access: Access) {
  if (access === 'anyone') return {}
  return access === 'optional' ? { optionalAuth: true as const } : { auth: access }
}

function schemasOf({ path, spec }: Route) {
  const names = [...routerPath(path).matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return {
    // Parameters are arbitrary text. This rejects those with invalid percent escapes.
    ...(names.length > 0 && { params: t.Object(Object.fromEntries(names.map((name) => [name, t.String()]))) }),
    ...(spec.query && { query: spec.query }),
    ...(spec.body && { body: spec.body }),
    response: { 200: spec.response },
  }
}

/** Authorizes in the parser, since Elysia parses the body before it runs any other hook. */
function parserOf({ access, spec: { body, read } }: Route, authGuard: AuthGuard) {
  if (!body) return {}
  if (access !== 'anyone' && access !== 'optional') return { parse: [authFirst(authGuard, access, read ?? readJson)] }
  const readAnonymous = read ?? readAnonymousJson
  return { parse: [({ request }: { request: Request }) => readAnonymous(request, authGuard.room, {})] }
}

/**
 * Authorizes the request before its body is read, so that only users can make the server read ten megabytes, and
 * anonymous clients get a 401 even if their body is invalid.
 */
function authFirst<T>(authGuard: AuthGuard, kind: AuthKind, read: BodyReader<T>) {
  return async ({ request, params = {} }: { request: Request; params?: PathParams }): Promise<T> => {
    await authGuard.authorize(request, kind, params)
    return read(request, authGuard.room, decoded(params))
  }
}

/** Drops parameters with invalid percent escapes, which Elysia passes as null and rejects after reading the body. */
function decoded(params: PathParams): PathParams {
  // Rare, so uploads normally need no copy.
  for (const name in params) if (typeof params[name] !== 'string') return withoutNulls(params)
  return params
}

function withoutNulls(params: PathParams): PathParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value === 'string'))
}
