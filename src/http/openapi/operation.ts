import type { ErrorCode } from '../../domain/shared/errors.ts'

/** The chapters of the description, in reading order. */
export const TAGS = {
  Accounts: 'Sign in and out, create an account, look after the own one.',
  Devices: 'The places where somebody listens, and which of them share one list of subscriptions.',
  Subscriptions:
    'What a device is subscribed to: as changes since last time, or as a whole list in one of several formats.',
  'Episode actions': 'What happened to episodes: downloaded, played up to a position, deleted. One log per account.',
  Settings: 'What somebody wants all of the own apps to know. Which keys there are is up to the apps.',
  Directory: 'Podcasts that others listen to.',
  'Single sign-on': 'Signing in with an account at an OpenID Connect provider, where the server is set up for one.',
  Administration: 'Looking after the accounts and the server. For administrators only.',
  Health:
    'For load balancers and monitoring. Always at the root of the server, without credentials and without limits.',
} as const

export type Tag = keyof typeof TAGS

/** A body in one format: its objectSchema, where it is not what the route declares, and one invented instance. */
export interface BodyExample {
  readonly schema?: unknown
  readonly example?: unknown
}

/** A refusal in the words of one operation. */
export interface ErrorExample {
  readonly description: string
  readonly error: ErrorCode
  readonly message: string
  readonly field?: string
}

/** By content type. */
export type Bodies = Readonly<Record<string, BodyExample>>

/** What may be said about a route beyond the necessary. */
export interface RouteDocs {
  readonly description?: string
  /** Default: credentials are needed. */
  readonly 'x-credentials'?: 'optional' | 'none'
  readonly 'x-request'?: Bodies
  readonly 'x-body-optional'?: boolean
  readonly 'x-response'?: Bodies
  /** What the suffix of the path may be, where it is `{format}`. */
  readonly 'x-formats'?: readonly string[]
  /** Instead of the usual ones; by status. */
  readonly 'x-refusals'?: Readonly<Record<number, ErrorExample>>
  /** What success does to the session cookie. */
  readonly 'x-cookie'?: string
  /** Lives at the root of the server, even if the rest is under a sub-path. */
  readonly 'x-root'?: boolean
}

/** What the API description says about a route beyond its schemas. */
export interface Operation extends RouteDocs {
  readonly operationId: string
  readonly summary: string
  readonly tags: [Tag]
  /** Path as people write it: a suffix is part of Elysia's last parameter, which cannot show it. */
  readonly 'x-path': string
}

export function operation(
  tag: Tag,
  path: string,
  operationId: string,
  summary: string,
  remarks: RouteDocs = {},
): Operation {
  return { operationId, summary, tags: [tag], 'x-path': path, ...remarks }
}

/** What administrators alone may do says so in the same words everywhere. */
export const adminErrors = {
  403: {
    description: 'The account is not an administrator, or a page of another site made the request.',
    error: 'admin_required',
    message: 'only administrators may do this',
  },
} as const satisfies RouteDocs['x-refusals']

/** The usual body, shown by example. */
export function json(example: unknown): Bodies {
  return { 'application/json': { example } }
}

export function isOperation(detail: unknown): detail is Operation {
  return typeof detail === 'object' && detail !== null && 'x-path' in detail
}
