import { listErrorCodes } from '../../domain/shared/errors.ts'
import { ErrorModel } from '../spec/shared/models.ts'
import type {
  ApiDocument,
  ApiOperation,
  ApiResponse,
  Content,
  Method,
  Parameter,
  PathItem,
  Schema,
} from './document-types.ts'
import { commonErrors, errorResponse } from './error-responses.ts'
import { type Bodies, isOperation, type Operation, TAGS } from './operation.ts'
import { isSchema, toSchema } from './schema.ts'

interface RouteHooks {
  readonly detail?: unknown
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

const DESCRIPTION = `podstep keeps podcast subscriptions and listening positions in step between all the apps and devices of a person. \
It speaks the gpodder.net API v2, which many podcast apps know.

Every refusal is the one error object. Unknown keys in bodies are ignored, and answers may gain keys.`

/** The OpenAPI 3.1 document of all routes that carry an `operation`. `server` is the sub-path they live under. */
export function openApiDocument(routes: readonly DescribedRoute[], server: string, version: string): ApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'podstep', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server || '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(routes),
    components: {
      schemas: { Error: errorSchema() },
      responses: commonErrors(),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'User name and password with each request.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sessionid',
          description: 'The cookie that every success with a password sets. It lives on while it is in use.',
        },
      },
    },
  }
}

/** In the order of the tags, and within a tag in the order of the routes. */
function paths(routes: readonly DescribedRoute[]): ApiDocument['paths'] {
  const tags = Object.keys(TAGS)
  const place = ({ tags: [tag] }: Operation) => tags.indexOf(tag)
  const described = routes.flatMap(({ method, hooks = {} }) =>
    isOperation(hooks.detail) ? [{ method, hooks, operation: hooks.detail }] : [],
  )
  const result: Record<string, PathItem> = {}
  for (const { method, hooks, operation } of described.sort((a, b) => place(a.operation) - place(b.operation))) {
    const path = operation['x-path']
    result[path] = {
      ...result[path],
      ...(operation['x-root'] && { servers: [{ url: '/', description: 'At the root whatever the sub-path.' }] }),
      [methodOf(method)]: describe(operation, hooks),
    }
  }
  return result
}

function methodOf(method: string): Method {
  const word = method.toLowerCase()
  if (word === 'get' || word === 'put' || word === 'post' || word === 'delete') return word
  throw new Error(`the description knows no method ${method}`)
}

function describe(operation: Operation, { query, body, response }: RouteHooks): ApiOperation {
  const { operationId, tags, summary, description, 'x-request': request = {} } = operation
  const security = securityOf(operation)
  const hasBody = isSchema(body)
  return {
    operationId,
    tags,
    summary,
    ...(description !== undefined && { description }),
    ...(security && { security }),
    parameters: [...pathParameters(operation), ...queryParameters(query)],
    ...(hasBody && {
      requestBody: { required: !operation['x-body-optional'], content: content(body, request) },
    }),
    responses: answers(operation, response, hasBody),
  }
}

function securityOf({ 'x-credentials': credentials }: Operation): ApiOperation['security'] {
  if (credentials === 'none') return undefined
  return credentials === 'optional' ? [{ session: [] }, {}] : [{ basic: [] }, { session: [] }]
}

function pathParameters({ 'x-path': path, 'x-formats': formats, tags: [tag] }: Operation): Parameter[] {
  const known: Record<string, Omit<Parameter, 'name' | 'in' | 'required'>> = {
    username: {
      description: `${tag === 'Administration' ? 'The' : 'The own'} user name, in upper or lower case.`,
      schema: { type: 'string' },
      example: tag === 'Administration' ? 'ole' : 'ida',
    },
    id: { description: 'As the list of these things names it.', schema: { type: 'integer' }, example: '1' },
    deviceid: {
      description: 'Chosen by the client and kept: 1 to 64 letters, digits, `_`, `.` or `-`. Case matters.',
      schema: { type: 'string' },
      example: 'ida-pixel',
    },
    count: {
      description: 'How many at most, up to 100.',
      schema: { type: 'integer' },
      example: '25',
    },
    tag: { description: 'As the list of tags names it.', schema: { type: 'string' }, example: 'sea-coast' },
    size: {
      description: 'Pixels a side: 64, 128, 300 or 600.',
      schema: { type: 'integer', enum: [64, 128, 300, 600] },
      example: '128',
    },
    scope: {
      description: 'What the settings are of.',
      schema: { type: 'string', enum: ['account', 'device', 'podcast', 'episode'] },
      example: 'podcast',
    },
    format: {
      description: 'How the list is written. Without a suffix it is JSON.',
      schema: { type: 'string', ...(formats && { enum: formats }) },
      example: 'json',
    },
  }
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const parameter = known[name]
    if (!parameter) throw new Error(`nothing is known about the path parameter ${name}`)
    return { name, in: 'path', required: true, ...parameter }
  })
}

function queryParameters(query: unknown): Parameter[] {
  if (!isSchema(query)) return []
  const { properties = {}, required = [] } = toSchema(query)
  return Object.entries(properties).map(([name, property]) => {
    const { description = '', examples = [], ...schema } = '$ref' in property ? {} : property
    const [example] = examples
    const isRequired = required.includes(name)
    return {
      name,
      in: 'query',
      required: isRequired,
      description,
      schema,
      ...(typeof example === 'string' && { example }),
    }
  })
}

function answers(operation: Operation, declared: unknown, hasBody: boolean): ApiOperation['responses'] {
  const { 'x-refusals': own = {} } = operation
  const schemas = { ...(typeof declared === 'object' && declared), ...(hasBody && { 415: ErrorModel }) }
  return Object.fromEntries(
    Object.entries(schemas).map(([status, schema]) => [
      status,
      status.startsWith('2') ? success(schema, operation) : errorResponse(status, own[Number(status)]),
    ]),
  )
}

/** What a route says about the objectSchema of success is what there is to say about success. */
function success(declared: unknown, { 'x-response': examples = {}, 'x-cookie': cookie }: Operation): ApiResponse {
  const { description = '', ...schema } = toSchema(declared)
  const isEmpty = schema.maxLength === 0
  return {
    description,
    ...(cookie !== undefined && { headers: { 'Set-Cookie': { description: cookie, schema: { type: 'string' } } } }),
    ...(!isEmpty && { content: content(schema, examples) }),
  }
}

/** The declared schema is about JSON; what else is offered is text, told by its example. */
function content(declared: unknown, bodies: Bodies): Content {
  const offered = Object.keys(bodies).length > 0 ? bodies : { 'application/json': {} }
  return Object.fromEntries(
    Object.entries(offered).map(([type, { schema, example }]) => [
      type,
      {
        schema: type === 'application/json' ? toSchema(schema ?? declared) : { type: 'string' },
        ...(example !== undefined && { example }),
      },
    ]),
  )
}

function errorSchema(): Schema {
  const { properties, ...schema } = toSchema(ErrorModel)
  const examples = listErrorCodes().map(({ code }) => code)
  return { ...schema, properties: { ...properties, error: { ...properties?.['error'], examples } } }
}
