import type { Schema } from './document-types.ts'

type Json = Record<string, unknown>

/**
 * A schema as OpenAPI 3.1 wants it: without the symbols TypeBox keeps its own notes in, and in the words of JSON Schema 2020-12 where
 * TypeBox speaks an older dialect.
 */
export function toSchema(schema: unknown): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => (isRecord(value) ? modern(value) : value))
}

export function isSchema(value: unknown): value is Json {
  return isRecord(value) && ('type' in value || 'anyOf' in value)
}

function modern(schema: Json): Json {
  const { additionalProperties, additionalItems, items, anyOf, ...rest } = schema
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: false }
  const words = literals(anyOf)
  if (words) return { type: 'string', enum: words, ...rest }
  const number = numberOf(anyOf)
  if (number) return { ...number, ...rest }
  return {
    ...rest,
    ...(items !== undefined && { items }),
    ...(anyOf !== undefined && { anyOf }),
    // True is the default, and says to readers that they may meet more keys than these.
    ...(additionalProperties !== undefined && additionalProperties !== true && { additionalProperties }),
    ...(additionalItems !== undefined && additionalItems !== false && { additionalItems }),
  }
}

/** The texts of a choice between nothing but texts. */
function literals(anyOf: unknown): string[] | undefined {
  if (!Array.isArray(anyOf)) return undefined
  const words = anyOf.flatMap((each: unknown) =>
    isRecord(each) && typeof each['const'] === 'string' ? [each['const']] : [],
  )
  return words.length === anyOf.length ? words : undefined
}

/** Elysia's numbers may also be digits in a text, which is for its own query parameters and nothing that bodies promise. */
function numberOf(anyOf: unknown): Json | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined
  const [text, number]: unknown[] = anyOf
  return isRecord(text) && isRecord(number) && text['format'] === number['type'] ? number : undefined
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
