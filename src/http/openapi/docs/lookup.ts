import type { ApiDocument, ApiResponse, Ref, Schema } from '../document-types.ts'

/** A schema, with the name it goes by if the document names it. */
export interface Found {
  readonly schema: Schema
  readonly name?: string
}

/** Finds what references point at. */
export interface Lookup {
  schema(given: Schema | Ref): Found
  /** Of an answer that is not described: nothing to say about it. */
  response(given: ApiResponse | Ref | undefined): ApiResponse
}

export function createLookup({ components }: ApiDocument): Lookup {
  return {
    schema(given) {
      if (!isRef(given)) return { schema: given }
      const name = nameIn(given)
      return { name, schema: find(components.schemas, name) }
    },
    response(given = { description: '' }) {
      return isRef(given) ? find(components.responses, nameIn(given)) : given
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
