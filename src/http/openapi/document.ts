import type { TSchema } from 'elysia'
import { ERROR_CODES, listErrorCodes } from '../../domain/shared/errors.ts'
import { isRecord } from '../../platform/unknown.ts'
import { type BodyFormats, errorsOf, type Route } from '../endpoint.ts'
import { ADMINISTERED_USER, DESCRIPTION, PATH_PARAMETERS, SECURITY_SCHEMES, TAGS } from '../spec/shared/api.ts'
import { type ErrorResponse, listUsualErrors } from '../spec/shared/errors.ts'
import { ErrorModel } from '../spec/shared/models.ts'
import type {
  ApiDocument,
  ApiOperation,
  ApiResponse,
  Content,
  Method,
  Parameter,
  PathItem,
  Ref,
  Schema,
} from './document-types.ts'

/** The OpenAPI 3.1 document of the routes. `server` is their sub-path. */
export function openApiDocument(routes: readonly Route[], server: string, version: string): ApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'podstep', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server || '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: {
      schemas: { Error: errorSchema() },
      responses: Object.fromEntries(
        listUsualErrors().flatMap((usual) =>
          usual.name === undefined ? [] : [[usual.name, responseOf(statusOf(usual), usual)]],
        ),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** Sorted by tag, and within a tag in the order of the routes. */
function pathsOf(routes: readonly Route[]): ApiDocument['paths'] {
  const tags = Object.keys(TAGS)
  const place = ({ spec: { tag } }: Route) => tags.indexOf(tag)
  const result: Record<string, PathItem> = {}
  for (const route of routes.toSorted((a, b) => place(a) - place(b))) {
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => `{${PATH_PARAMETERS[name]?.name ?? name}}`)
    result[path] = {
      ...result[path],
      ...(route.spec.isAtRoot === true && {
        servers: [{ url: '/', description: 'At the root, regardless of the sub-path.' }],
      }),
      [route.method.toLowerCase() as Method]: operationOf(route),
    }
  }
  return result
}

function operationOf(route: Route): ApiOperation {
  const { id, tag, summary, description, body, bodyExample, bodyFormats, isBodyOptional = false } = route.spec
  const security = securityOf(route)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(security && { security }),
    parameters: [...pathParameters(route), ...queryParameters(route.spec.query)],
    ...(body && {
      requestBody: { required: !isBodyOptional, content: contentOf(toSchema(body), bodyExample, bodyFormats) },
    }),
    responses: responsesOf(route),
  }
}

function securityOf({ access, spec: { describedAccess = access } }: Route): ApiOperation['security'] {
  if (describedAccess === 'anyone') return undefined
  if (describedAccess === 'browser') return [{ session: [] }]
  if (describedAccess === 'optional') return [{ session: [] }, {}]
  const ownPassword = [{ basic: [] }, { session: [] }]
  return describedAccess === 'admin' || describedAccess === 'owner' ? ownPassword : [...ownPassword, { bearer: [] }]
}

function pathParameters({ path, access, spec: { suffixes } }: Route): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const parameter = name === 'username' && access === 'admin' ? ADMINISTERED_USER : PATH_PARAMETERS[name]
    if (!parameter) throw new Error(`nothing is known about the path parameter ${name}`)
    const schema = name === 'format' && suffixes ? { ...parameter.schema, enum: suffixes } : parameter.schema
    return { name, in: 'path', required: true, ...parameter, schema }
  })
}

function queryParameters(query: TSchema | undefined): Parameter[] {
  if (!query) return []
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

function responsesOf(route: Route): ApiOperation['responses'] {
  const { noContent, success } = route.spec
  const errors = [...errorsOf(route)].map(([status, error]): [number, ApiResponse | Ref] => [
    status,
    error.name === undefined ? responseOf(status, error) : { $ref: `#/components/responses/${error.name}` },
  ])
  return Object.fromEntries([
    [
      success?.status ?? 200,
      success && success.status !== 202 ? { description: success.description } : successOf(route),
    ],
    ...(noContent === undefined ? [] : [[204, { description: noContent }]]),
    ...errors,
  ])
}

function successOf({ spec: { response, example, formats, cookie } }: Route): ApiResponse {
  const { description = '', ...schema } = toSchema(response)
  const isEmpty = schema.maxLength === 0
  return {
    description,
    ...(cookie !== undefined && { headers: { 'Set-Cookie': { description: cookie, schema: { type: 'string' } } } }),
    ...(!isEmpty && { content: contentOf(schema, example, formats) }),
  }
}

function contentOf(declared: Schema, example: unknown, formats: BodyFormats | undefined): Content {
  const bodies: BodyFormats = formats ?? { 'application/json': { example } }
  return Object.fromEntries(
    Object.entries(bodies).map(([type, body]) => {
      const json = body.schema === undefined ? declared : toSchema(body.schema)
      return [type, { schema: type === 'application/json' ? json : { type: 'string' }, example: body.example }]
    }),
  )
}

const RETRY_AFTER: ApiResponse['headers'] = {
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
}

const ERROR_HEADERS: Readonly<Record<number, ApiResponse['headers']>> = {
  401: {
    'WWW-Authenticate': {
      description: 'The challenge; omitted for requests with an `X-Requested-With` header.',
      schema: { type: 'string' },
    },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

function statusOf({ error }: ErrorResponse): number {
  return ERROR_CODES[error].status
}

function responseOf(status: number, { description, error, message, field }: ErrorResponse): ApiResponse {
  const headers = ERROR_HEADERS[status]
  return {
    description,
    ...(headers && { headers }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { code: status, error, message, ...(field !== undefined && { field }) },
      },
    },
  }
}

function errorSchema(): Schema {
  const { properties, ...schema } = toSchema(ErrorModel)
  const examples = listErrorCodes().map(({ code }) => code)
  return { ...schema, properties: { ...properties, error: { ...properties?.['error'], examples } } }
}

type Json = Readonly<Record<string, unknown>>

/** Converts a schema for OpenAPI 3.1: removes TypeBox's symbols, and uses JSON Schema 2020-12. */
function toSchema(schema: unknown): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => (isRecord(value) ? modern(value) : value))
}

function modern(schema: Json): Json {
  const { additionalProperties, additionalItems, items, anyOf, ...rest } = schema
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: false }
  const values = literals(anyOf)
  if (values) return { type: 'string', enum: values, ...rest }
  return {
    ...rest,
    ...(items !== undefined && { items }),
    ...(anyOf !== undefined && { anyOf }),
    // Omitted if true, which is the default and means that there may be other keys.
    ...(additionalProperties !== undefined && additionalProperties !== true && { additionalProperties }),
    ...(additionalItems !== undefined && additionalItems !== false && { additionalItems }),
  }
}

function literals(anyOf: unknown): string[] | undefined {
  if (!Array.isArray(anyOf)) return undefined
  const values = anyOf.flatMap((each: unknown) =>
    isRecord(each) && typeof each['const'] === 'string' ? [each['const']] : [],
  )
  return values.length === anyOf.length ? values : undefined
}
