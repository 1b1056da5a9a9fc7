import { type IntegerOptions, Type } from '@sinclair/typebox'
import { type TSchema, t } from 'elysia'

/**
 * An object in a request or response. Undeclared keys are ignored, as clients of this protocol expect. Elysia's
 * `normalize` drops them too, but rebuilds the value before validation, which turns a string into a list of characters
 * if a list is expected.
 */
export function objectSchema<const T extends Record<string, TSchema>>(properties: T) {
  return t.Object(properties, { additionalProperties: true })
}

export function describedObject<const T extends Record<string, TSchema>>(description: string, properties: T) {
  return t.Object(properties, { description, additionalProperties: true })
}

export function describedList<const T extends Record<string, TSchema>>(description: string, properties: T) {
  return t.Array(objectSchema(properties), { description })
}

/**
 * An integer in a body. Elysia's `t.Integer` is meant for queries: it also accepts numeric strings, and compiles a
 * check for each use at startup.
 */
export function integer(options?: IntegerOptions) {
  return Type.Integer(options)
}

/** A query parameter with an example. Always optional in the schema; handlers report missing parameters. */
export function parameter(description: string, example: string) {
  return t.Optional(t.String({ description, examples: [example] }))
}

export function describedAs<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description }
}

export const ErrorModel = describedObject('Every error response has this form.', {
  code: integer({ description: 'The HTTP status.' }),
  error: t.String({ description: 'Stable error code. New ones may be added.' }),
  message: t.String({ description: 'English text for people.' }),
  field: t.Optional(t.String({ description: 'The invalid field, if it is a single one.' })),
})

export const Ok = describedObject('The request has been carried out.', { status: t.Literal('ok') })

export const OK = { status: 'ok' as const }

/** Spec of endpoints that return nothing but success. */
export const done = { response: Ok, example: OK }

/** Added to the description of lists with an `ETag`. */
export const REVALIDATED =
  'Has an `ETag`: a client that sends it as `If-None-Match` gets 304 while the list is unchanged. Lists of more than 2,000 podcasts have none.'

export const Empty = t.String({
  maxLength: 0,
  description: 'Success. The body is empty, because clients take any text for an error.',
})

/** An optional key. Also accepts null, which many programs write for missing values. */
export function optional<const T extends TSchema>(schema: T, options: { description?: string } = {}) {
  return t.Optional(t.Union([schema, t.Null()], options))
}

/** An optional list. `itemsOf` drops its nulls. */
export function optionalList<const T extends TSchema>(item: T, description: string) {
  return optional(t.Array(t.Union([item, t.Null()])), { description: `${description} Nulls are dropped.` })
}

export const optionalText = (description: string) => optional(t.String(), { description })

export const Username = t.String({
  description: 'Up to 64 ASCII letters, digits, `_`, `.` or `-`, beginning with a letter, a digit or `_`.',
})

export const Password = t.String({ description: '4 to 256 characters.' })

export const UpdateUrls = t.Array(t.Tuple([t.String(), t.String()]), {
  description: 'URLs that the server rewrote, as `[uploaded, stored]`; `stored` is `""` for a rejected URL.',
})

export const Timestamp = integer({ description: 'Value for `since` in the next request.' })

export const SinceQuery = objectSchema({
  since: parameter('The last `timestamp` received. Missing or 0 means everything.', '1740909601'),
})

const PAGE_PROPERTIES = {
  page: integer(),
  per_page: integer(),
  total: integer(),
  total_pages: integer(),
} as const

/** Envelope of a page (docs/protocol.md#D80). `properties` holds the list. */
export function pageOf<const T extends Record<string, TSchema>>(description: string, properties: T) {
  return describedObject(description, { ...PAGE_PROPERTIES, ...properties })
}

const PAGE_PARAMETERS = {
  page: parameter('Page number, from 0; by default 0.', '0'),
  per_page: parameter('Items per page: 1 to 100, by default 20.', '20'),
} as const

const PRIVATE_LIST_PARAMETERS = {
  scale_logo: parameter('1 to 256. Validated, but pictures are not scaled.', '64'),
} as const

export const LIST_PARAMETERS = {
  jsonp: parameter(
    'Name of the JavaScript function around the list; required with `jsonp`, otherwise ignored.',
    'show',
  ),
  ...PRIVATE_LIST_PARAMETERS,
} as const

export const ListQuery = objectSchema(LIST_PARAMETERS)
export const PrivateListQuery = objectSchema(PRIVATE_LIST_PARAMETERS)

export const PageQuery = objectSchema(PAGE_PARAMETERS)

/** Paging parameters in addition to those of a list. */
export function pageQueryWith<const T extends Record<string, TSchema>>(parameters: T) {
  return objectSchema({ ...parameters, ...PAGE_PARAMETERS })
}
