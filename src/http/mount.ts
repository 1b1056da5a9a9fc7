import { Elysia, t } from 'elysia'
import { type AuthGuard, authFirst, authPlugin, optionalAuthPlugin } from './auth.ts'
import { readAnonymousJson, readJson } from './body.ts'
import type { Access, Route } from './endpoint.ts'

/** Makes the router of a table of routes. */
export function mountRoutes(routes: readonly Route[], authGuard: AuthGuard) {
  const app = new Elysia().use(authPlugin(authGuard)).use(optionalAuthPlugin(authGuard))
  for (const route of routes)
    app.route(route.method, routerPath(route.path), route.handle, {
      ...authHooks(route.access),
      ...schemasOf(route),
      ...parserOf(route, authGuard),
    })
  return app
}

/** The suffix of the last segment belongs to its parameter: a parameter ends at a slash only. */
export function routerPath(path: string): string {
  return path.replace(/(\/:\w+)\.[\w:]+$/, '$1')
}

function authHooks(access: Access) {
  if (access === 'anyone') return {}
  return access === 'optional' ? { isForAll: true as const } : { auth: access }
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

/** Credentials are looked at before the body is read. */
function parserOf({ access, spec: { body, read } }: Route, authGuard: AuthGuard) {
  if (!body) return {}
  if (access !== 'anyone' && access !== 'optional') return { parse: [authFirst(authGuard, access, read ?? readJson)] }
  return { parse: [({ request }: { request: Request }) => readAnonymousJson(request)] }
}
