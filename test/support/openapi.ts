type Json = Record<string, unknown>

export interface DescribedOperation {
  /** `get /api/2/me` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Json
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under `keys`; throws when there is none. */
export function recordAt(value: unknown, ...keys: readonly string[]): Json {
  let at = value
  for (const key of keys) at = isRecord(at) ? at[key] : undefined
  if (!isRecord(at)) throw new Error(`no object at ${keys.join('.') || 'the top'}`)
  return at
}

/** Every operation of an OpenAPI document, in its order. */
export function operationsOf(document: unknown): DescribedOperation[] {
  return Object.entries(recordAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(recordAt(item)).flatMap(([method, operation]) =>
      isRecord(operation) ? [{ name: `${method} ${path}`, method, path, operation }] : [],
    ),
  )
}

/** What a local reference points at; undefined if nothing. */
export function resolveRef(document: unknown, ref: string): unknown {
  let at = document
  for (const key of ref.split('/').slice(1)) at = isRecord(at) ? at[key] : undefined
  return at
}
