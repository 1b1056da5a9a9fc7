import { type Html, html, inline, prose } from '../../../formats/html.ts'
import type { ApiDocument, ApiResponse, Ref, Schema } from '../document-types.ts'

export interface Lookup {
  schema(schemaOrRef: Schema | Ref): { schema: Schema; name?: string }
  response(responseOrRef: ApiResponse | Ref | undefined): ApiResponse
}

export function createLookup({ components }: ApiDocument): Lookup {
  return {
    schema(schemaOrRef) {
      if (!isRef(schemaOrRef)) return { schema: schemaOrRef }
      const name = nameIn(schemaOrRef)
      return { name, schema: find(components.schemas, name) }
    },
    response(responseOrRef = { description: '' }) {
      return isRef(responseOrRef) ? find(components.responses, nameIn(responseOrRef)) : responseOrRef
    },
  }
}

function nameIn({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function isRef(value: object): value is Ref {
  return '$ref' in value
}

function find<T>(components: Readonly<Record<string, T>>, name: string): T {
  const found = components[name]
  if (!found) throw new Error(`the API description has no ${name}`)
  return found
}

/** Describes a schema in words, followed by a nested list of its fields. Omits a description equal to `shownText`. */
export function schemaView(schemaOrRef: Schema | Ref, lookup: Lookup, shownText?: string): Html {
  const { schema } = lookup.schema(schemaOrRef)
  const { description } = schema
  const words = description === undefined || description === shownText ? undefined : prose(description)
  // The list of fields makes clear that this is an object.
  const type = schema.properties ? undefined : html`<p class="type">${sentence(typeName(schemaOrRef, lookup))}</p>`
  return html`${type}${words}${fieldsOf(schemaOrRef, lookup)}`
}

/** `array of strings`, `string or null`, `Podcast` */
export function typeName(schemaOrRef: Schema | Ref, lookup: Lookup): string {
  const { schema, name } = lookup.schema(schemaOrRef)
  if (name !== undefined) return name
  const { type, anyOf, enum: values, const: constant, items, prefixItems: tuple } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map((option) => typeName(option, lookup)))].join(' or ')
  if (tuple) return `[${tuple.map((item) => typeName(item, lookup)).join(', ')}]`
  if (type === 'array') return items ? `array of ${plural(items, lookup)}` : 'array'
  return type ?? 'anything'
}

function plural(schemaOrRef: Schema | Ref, lookup: Lookup): string {
  const { name, schema } = lookup.schema(schemaOrRef)
  const { type, anyOf } = schema
  if (name !== undefined) return `${name} objects`
  if (anyOf) return `(${typeName(schemaOrRef, lookup)})`
  if (schema.prefixItems) return typeName(schemaOrRef, lookup)
  if (type === 'array') return typeName(schemaOrRef, lookup).replace('array', 'arrays')
  return type === undefined ? 'values' : type === 'null' ? 'null' : `${type}s`
}

function fieldsOf(schemaOrRef: Schema | Ref, lookup: Lookup): Html | undefined {
  const { schema } = lookup.schema(schemaOrRef)
  const { properties, required = [], items, anyOf } = schema
  if (properties) {
    const fields = Object.entries(properties).map(([name, part]) => field(name, part, required.includes(name), lookup))
    return html`<ul class="fields">${fields}</ul>`
  }
  if (anyOf) return fieldsOfOptions(anyOf, lookup)
  return items ? fieldsOf(items, lookup) : undefined
}

function fieldsOfOptions(options: readonly (Schema | Ref)[], lookup: Lookup): Html | undefined {
  const described = options.flatMap((option) => {
    const fields = fieldsOf(option, lookup)
    return fields ? [{ option, fields }] : []
  })
  if (described.length < 2) return described[0]?.fields
  return html`${described.map(
    ({ option, fields }, index) =>
      html`<p class="type">${index === 0 ? 'As' : 'Or as'} ${typeName(option, lookup)}:</p>${fields}`,
  )}`
}

function field(name: string, schemaOrRef: Schema | Ref, isRequired: boolean, lookup: Lookup): Html {
  const { description } = lookup.schema(schemaOrRef).schema
  return html`<li><p><code class="name">${name}</code> <span class="type">${typeName(schemaOrRef, lookup)}</span>${
    isRequired ? undefined : html` <span class="optional">optional</span>`
  }</p>${description === undefined ? undefined : html`<p>${inline(description)}</p>`}${fieldsOf(schemaOrRef, lookup)}</li>`
}

function sentence(text: string): string {
  return /^[a-z]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
