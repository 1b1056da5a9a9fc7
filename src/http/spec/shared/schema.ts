import { type TSchema, t } from 'elysia'

/**
 * An object of a request or an answer. Keys that are not declared are ignored, as clients of this protocol expect. Elysia's own way
 * to drop them (`normalize`) rebuilds the value before it is checked, and makes a list of letters of a text where a list should be.
 */
export function objectSchema<const T extends Record<string, TSchema>>(
  properties: T,
  options: { readonly description?: string } = {},
) {
  return t.Object(properties, { ...options, additionalProperties: true })
}

/** The same objectSchema, with words of its own for one answer. */
export function describedAs<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description }
}
