import { ErrorModel } from './models.ts'
import { isOperation, type Operation } from './operation.ts'

interface RouteHooks {
  readonly detail?: unknown
  readonly auth?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly response?: unknown
}

/** A route as Elysia lists it, as far as the description needs it. */
export interface DescribedRoute {
  readonly method: string
  readonly path: string
  readonly hooks?: RouteHooks
}

type Json = Record<string, unknown>

const ERROR_REF = { $ref: '#/components/schemas/Error' }
const PATH_PARAMETERS: Record<string, string> = {
  username: 'Must be the caller.',
  deviceid: 'Chosen by the client: 1 to 64 letters, digits, `_`, `.`, `-`.',
  format: 'json, jsonp, txt, opml or xml',
}

/** The OpenAPI 3.1 document of all routes that carry an `operation`. `server` is the sub-path they live under. */
export function openApiDocument(routes: readonly DescribedRoute[], server: string, version: string): Json {
  const paths: Record<string, Json> = {}
  for (const { method, hooks = {} } of routes) {
    const { detail } = hooks
    if (!isOperation(detail)) continue
    const path = detail['x-path']
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(method, detail, hooks) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'podstep',
      version,
      description:
        'Keeps podcast subscriptions and listening positions in step, compatible with the gpodder.net API v2.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server || '/' }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Error: plain(ErrorModel) },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        session: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
      },
    },
  }
}

function describe(method: string, operation: Operation, hooks: RouteHooks): Json {
  const { summary, description, tags, 'x-path': path, 'x-media': media } = operation
  return {
    operationId: operationId(method, path),
    tags,
    summary,
    ...(description !== undefined && { description }),
    ...(hooks.auth !== undefined && { security: [{ basic: [] }, { session: [] }] }),
    parameters: [...pathParameters(path), ...queryParameters(hooks.query)],
    ...(isSchema(hooks.body) && { requestBody: { content: content(hooks.body, media?.request) } }),
    responses: responses(hooks.response, media?.response),
  }
}

function operationId(method: string, path: string): string {
  const words = path
    .replaceAll(/[{}]/g, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words].join('_')
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name] ?? '',
    schema: { type: 'string' },
  }))
}

function queryParameters(query: unknown): Json[] {
  if (!isSchema(query) || typeof query['properties'] !== 'object') return []
  return Object.entries(query['properties'] ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: plain(schema),
  }))
}

function responses(declared: unknown, media: string | undefined): Json {
  const entries = Object.entries(isRecord(declared) ? declared : {}).map(([status, schema]) => [
    status,
    {
      description: status === '200' ? 'Success' : 'Error',
      ...(isSchema(schema) && { content: content(schema, status === '200' ? media : undefined) }),
    },
  ])
  return Object.fromEntries(entries)
}

function content(schema: Json, media = 'application/json'): Json {
  const body = { schema: schema === ErrorModel ? ERROR_REF : plain(schema) }
  return Object.fromEntries(media.split(', ').map((type) => [type, type === 'application/json' ? body : {}]))
}

/** A schema without the symbols TypeBox keeps its own notes in. */
function plain(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema))
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function isSchema(value: unknown): value is Json {
  return isRecord(value) && ('type' in value || 'anyOf' in value)
}
