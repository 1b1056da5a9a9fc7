/** Lists mismatches of `value` and `schema`. Supports only the part of JSON Schema that the description uses. */
export function mismatches(document: unknown, schema: unknown, value: unknown, at = 'it'): string[] {
  if (schema === false) return [`${at} must not be there`]
  if (!isRecord(schema)) throw new Error(`no schema for ${at}`)
  const unknown = Object.keys(schema).filter((key) => !KNOWN.has(key))
  if (unknown.length > 0)
    throw new Error(
      `the schema of ${at} uses ${unknown.join(', ')}: write it with the functions of src/http/spec/shared/models.ts`,
    )

  const { $ref, type, anyOf, enum: words, maxLength } = schema
  if (typeof $ref === 'string') return mismatches(document, resolveRef(document, $ref), value, at)
  if (Array.isArray(anyOf)) {
    const fits = anyOf.some((each) => mismatches(document, each, value, at).length === 0)
    return fits ? [] : [`${at} fits none of the choices`]
  }
  if (typeOf(value) !== type) return [`${at} is ${typeOf(value)}, not ${String(type)}`]
  if ('const' in schema && value !== schema['const']) return [`${at} is not ${String(schema['const'])}`]
  if (Array.isArray(words) && !words.includes(value)) return [`${at} is none of ${words.join(', ')}`]
  if (typeof value === 'string' && typeof maxLength === 'number' && value.length > maxLength)
    return [`${at} is too long`]
  if (Array.isArray(value)) return ofList(document, schema, value, at)
  return isRecord(value) ? ofObject(document, schema, value, at) : []
}

const KNOWN = new Set([
  ...'$ref type anyOf enum const description examples properties additionalProperties required'.split(' '),
  ...'items prefixItems minItems maxItems maxLength'.split(' '),
])

function ofList(document: unknown, schema: Record<string, unknown>, list: readonly unknown[], at: string): string[] {
  const { prefixItems: first = [], items, minItems = 0 } = schema
  if (list.length < Number(minItems)) return [`${at} is too short`]
  return list.flatMap((item, index) =>
    mismatches(document, (Array.isArray(first) ? first[index] : undefined) ?? items, item, `${at}[${index}]`),
  )
}

/** Undeclared keys are valid, since responses may gain some, unless the schema describes them. */
function ofObject(
  document: unknown,
  { properties = {}, additionalProperties: others, required = [] }: Record<string, unknown>,
  value: Record<string, unknown>,
  at: string,
): string[] {
  const needed: unknown[] = Array.isArray(required) ? required : []
  const missing = needed.filter((key) => typeof key === 'string' && !(key in value)).map((key) => `${at} lacks ${key}`)
  const declared = isRecord(properties) ? properties : {}
  const wrong = Object.entries(value).flatMap(([key, each]) => {
    const schema = Object.hasOwn(declared, key) ? declared[key] : others
    return schema === undefined ? [] : mismatches(document, schema, each, `${at}.${key}`)
  })
  return [...missing, ...wrong]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

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

/** Returns the object under `keys`; throws if there is none. */
export function recordAt(value: unknown, ...keys: readonly string[]): Json {
  let at = value
  for (const key of keys) at = isRecord(at) ? at[key] : undefined
  if (!isRecord(at)) throw new Error(`no object at ${keys.join('.') || 'the top'}`)
  return at
}

/** All operations of an OpenAPI document, in its order. */
export function operationsOf(document: unknown): DescribedOperation[] {
  return Object.entries(recordAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(recordAt(item)).flatMap(([method, operation]) =>
      isRecord(operation) ? [{ name: `${method} ${path}`, method, path, operation }] : [],
    ),
  )
}

/** Target of a local reference; `undefined` if missing. */
export function resolveRef(document: unknown, ref: string): unknown {
  let at = document
  for (const key of ref.split('/').slice(1)) at = isRecord(at) ? at[key] : undefined
  return at
}

/** Returns a value of the description, following a reference if it is one. */
export function resolved(document: unknown, value: unknown): Json {
  const record = recordAt(value)
  return typeof record['$ref'] === 'string' ? recordAt(resolveRef(document, record['$ref'])) : record
}

/** Whether an operation of the description requires credentials. */
export function needsCredentials({ security }: Json): boolean {
  return Array.isArray(security) && security.every((way) => isRecord(way) && Object.keys(way).length > 0)
}

/** Whether an operation accepts only the session of a browser. */
export function needsBrowser({ security }: Json): boolean {
  return Array.isArray(security) && security.every((way) => isRecord(way) && 'session' in way)
}

/** Fills a described path with values that exist in tests, or with `values`. */
export function fillPath(path: string, values: Readonly<Record<string, string>> = {}): string {
  const names = { username: 'ida', deviceid: 'phone', format: 'json', scope: 'account' }
  const all: Record<string, string> = { ...names, count: '5', size: '64', ...values }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => all[name] ?? '1')
}
