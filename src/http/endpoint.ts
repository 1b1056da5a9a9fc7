import type { TSchema } from 'elysia'
import type { Principal } from '../domain/accounts/authentication.ts'
import { ERROR_CODES } from '../domain/shared/errors.ts'
import type { AuthKind } from './auth.ts'
import type { BodyReader } from './body.ts'
import type { Tag } from './spec/shared/api.ts'
import { type ErrorResponse, type UsualErrorCode, usualError } from './spec/shared/errors.ts'

/**
 * Who may use a route. `admin`, `self` (the user named in the path) and `user` need credentials; `owner` rejects app
 * passwords; `browser` needs a session without any password. With `optional`, users get more than anonymous clients;
 * `anyone` ignores credentials.
 */
export type Access = AuthKind | 'optional' | 'anyone'

export interface BodyFormat {
  readonly schema?: unknown
  readonly example: unknown
}

export type BodyFormats = Readonly<Record<string, BodyFormat>>

export interface EndpointSpec extends EndpointDetails {
  readonly tag: Tag
  readonly id: string
  readonly summary: string
}

export interface EndpointDetails {
  readonly description?: string
  readonly query?: TSchema
  readonly body?: TSchema
  readonly read?: BodyReader<unknown>
  readonly isBodyOptional?: boolean
  readonly bodyExample?: unknown
  readonly bodyFormats?: BodyFormats
  readonly response: TSchema
  readonly example?: unknown
  readonly formats?: BodyFormats
  readonly success?: { readonly status: 201 | 202 | 204; readonly description: string }
  readonly noContent?: string
  readonly errors?: readonly (UsualErrorCode | ErrorResponse)[]
  readonly suffixes?: readonly string[]
  readonly cookie?: string
  readonly describedAccess?: Access
  readonly isAtRoot?: boolean
}

/** Describes an endpoint. Its errors follow from the route and `details.errors`: see `errorsOf`. */
export function endpoint<const D extends EndpointDetails>(
  tag: Tag,
  id: string,
  summary: string,
  details: D,
): D & EndpointSpec {
  return { ...details, tag, id, summary }
}

export const adminEndpoint = <const D extends EndpointDetails>(id: string, summary: string, details: D) =>
  endpoint('Administration', id, summary, details)

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Route {
  readonly method: Method
  /** Path as clients write it, with `:name` for parameters. For handlers, the last parameter includes the suffix. */
  readonly path: string
  readonly access: Access
  readonly spec: EndpointSpec
  handle(context: unknown): unknown
}

type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name extends `${infer Start}.${string}`
      ? Start
      : Name
    : never

type PrincipalFor<A extends Access> = A extends AuthKind
  ? Principal
  : A extends 'optional'
    ? Principal | undefined
    : undefined

type StaticOf<T> = T extends TSchema ? T['static'] : undefined

export interface Context<Path extends string, A extends Access, S extends EndpointSpec> {
  readonly request: Request
  readonly set: { headers: Record<string, string | number> }
  readonly params: Readonly<Record<ParamName<Path>, string>>
  readonly principal: PrincipalFor<A>
  readonly query: StaticOf<S['query']>
  readonly body: StaticOf<S['body']>
}

type Answer<S extends EndpointSpec> = S['response']['static'] | Response

type Handler<Path extends string, A extends Access, S extends EndpointSpec> = (
  context: Context<Path, A, S>,
) => Answer<S> | Promise<Answer<S>>

const routeOf =
  (method: Method) =>
  <Path extends string, A extends Access, S extends EndpointSpec>(
    path: Path,
    access: A,
    spec: S,
    handle: Handler<Path, A, S>,
  ): Route => ({ method, path, access, spec, handle })

export const get = routeOf('GET')
export const post = routeOf('POST')
export const put = routeOf('PUT')
export const del = routeOf('DELETE')

const NEEDING_CREDENTIALS = ['validation_failed', 'unauthorized', 'rate_limited', 'unavailable'] as const

const ACCESS_ERRORS: Readonly<Record<Access, readonly UsualErrorCode[]>> = {
  admin: [...NEEDING_CREDENTIALS, 'admin_required'],
  self: [...NEEDING_CREDENTIALS, 'forbidden'],
  user: [...NEEDING_CREDENTIALS, 'forbidden'],
  owner: [...NEEDING_CREDENTIALS, 'forbidden'],
  browser: [...NEEDING_CREDENTIALS, 'forbidden'],
  optional: [],
  anyone: [],
}

const BODY_ERRORS = ['validation_failed', 'payload_too_large', 'unsupported_encoding', 'unavailable'] as const

export function errorsOf({ access, spec }: Route): ReadonlyMap<number, ErrorResponse> {
  const { describedAccess = access, body, errors = [] } = spec
  const usual = [...ACCESS_ERRORS[describedAccess], ...(body ? BODY_ERRORS : [])]
  const responses = [...usual, ...errors].map((error) => (typeof error === 'string' ? usualError(error) : error))
  return new Map(responses.map((response) => [ERROR_CODES[response.error].status, response]))
}
