import { Elysia, t } from 'elysia'
import type { AuthGuard, AuthKind } from './auth.ts'
import { type BodyReader, type PathParams, readAnonymousJson, readJson } from './body.ts'
import type { Access, Route } from './endpoint.ts'
import type { IdleLimit } from './responses/idle-limit.ts'
import { readImportBody } from './upload/import-body.ts'

/** Makes the router of a table of routes. A change whose body has been read waits for its answer without a time limit. */
export function mountRoutes(routes: readonly Route[], authGuard: AuthGuard, idleLimit: IdleLimit) {
  const app = new Elysia().use(authPlugin(authGuard))
  // The type forbids a value, which Elysia would send as the answer.
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

/** Finds the principal before the handler runs. Users get their session whatever they ask for. */
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
    // A parameter is any text: this refuses those whose percent escapes cannot be decoded.
    ...(names.length > 0 && { params: t.Object(Object.fromEntries(names.map((name) => [name, t.String()]))) }),
    ...(spec.query && { query: spec.query }),
    ...(spec.body && { body: spec.body }),
    response: { 200: spec.response },
  }
}

/** Elysia parses before all else. */
function parserOf({ access, spec: { body, read } }: Route, authGuard: AuthGuard) {
  if (!body) return {}
  if (access !== 'anyone' && access !== 'optional') return { parse: [authFirst(authGuard, access, read ?? readJson)] }
  const readAnonymous = read ?? readAnonymousJson
  return { parse: [({ request }: { request: Request }) => readAnonymous(request, authGuard.room, {})] }
}

/**
 * Authorizes the request before its body is read, so that only users make the server read ten megabytes, and anonymous
 * clients are told to sign in whatever they send.
 */
function authFirst<T>(authGuard: AuthGuard, kind: AuthKind, read: BodyReader<T>) {
  return async ({ request, params = {} }: { request: Request; params?: PathParams }): Promise<T> => {
    await authGuard.authorize(request, kind, params)
    return read(request, authGuard.room, decoded(params))
  }
}

/** Without those whose percent escapes cannot be decoded, which Elysia gives as null here and refuses once the body is read. */
function decoded(params: PathParams): PathParams {
  // Hardly ever, so that uploads need no copy.
  for (const name in params) if (typeof params[name] !== 'string') return withoutNulls(params)
  return params
}

function withoutNulls(params: PathParams): PathParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value === 'string'))
}
