/** Longest operation, in characters, to write on one line. */
const LINE_MAX = 120

type Json = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Writes TypeScript types of the operations whose ID `isWanted`: method, path, parameters, bodies and responses.
 * `document` is the OpenAPI description.
 */
export function typesOf(document: Json, isWanted: (id: string) => boolean): string {
  const operations: string[] = []
  const methods: string[] = []
  for (const [path, item] of entries(document['paths']))
    for (const [method, operation] of entries(item)) {
      if (!isRecord(operation) || typeof operation['operationId'] !== 'string') continue
      const id = operation['operationId']
      if (!isWanted(id)) continue
      const parts = {
        path: parametersOf(operation, 'path'),
        query: parametersOf(operation, 'query'),
        body: bodyOf(operation),
        answer: answerOf(operation),
      }
      const fields = Object.entries(parts).flatMap(([name, type]) => (type === undefined ? [] : `${name}: ${type}`))
      const line = `  ${id}: { ${fields.join('; ')} }`
      operations.push(line.length <= LINE_MAX ? line : `  ${id}: {\n    ${fields.join('\n    ')}\n  }`)
      methods.push(`  ${id}: ['${method.toUpperCase()}', '${path}'],`)
    }
  return `// Made by \`bun run generate:openapi\` from docs/openapi.json: the operations that the client calls.

export interface Operations {
${operations.join('\n')}
}

export const ADDRESSES = {
${methods.join('\n')}
} as const satisfies Record<keyof Operations, readonly [string, string]>
`
}

function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : []
}

/** Parameters of an operation in the path or the query; `undefined` if it has none there. */
function parametersOf(operation: Json, location: 'path' | 'query'): string | undefined {
  const list = Array.isArray(operation['parameters']) ? operation['parameters'].filter(isRecord) : []
  const fields = list
    .filter((parameter) => parameter['in'] === location)
    .map((parameter) => `${parameter['name']}${parameter['required'] === true ? '' : '?'}: string | number`)
  return fields.length === 0 ? undefined : `{ ${fields.join('; ')} }`
}

/** Request body of an operation; `undefined` if it has none. */
function bodyOf(operation: Json): string | undefined {
  const { requestBody } = operation
  if (!isRecord(requestBody)) return undefined
  return schemaOf(requestBody) ?? 'string'
}

function answerOf(operation: Json): string {
  const { responses } = operation
  const success = isRecord(responses) ? responses['200'] : undefined
  return (isRecord(success) && schemaOf(success)) || 'string'
}

function schemaOf({ content }: Json): string | undefined {
  const json = isRecord(content) ? content['application/json'] : undefined
  return isRecord(json) ? typeOf(json['schema']) : undefined
}

function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return 'unknown'
  if (typeof schema['$ref'] === 'string') return 'unknown'
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(typeOf).join(' | ')
  if (Array.isArray(schema['allOf'])) return schema['allOf'].map(typeOf).join(' & ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  switch (schema['type']) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return Array.isArray(schema['prefixItems'])
        ? `[${schema['prefixItems'].map(typeOf).join(', ')}]`
        : `readonly (${typeOf(schema['items'])})[]`
    case 'object':
      return objectOf(schema)
    default:
      return 'unknown'
  }
}

function objectOf({ properties, additionalProperties, required }: Json): string {
  const needed = Array.isArray(required) ? required : []
  const fields = entries(properties).map(
    ([name, property]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${needed.includes(name) ? '' : '?'}: ${typeOf(property)}`,
  )
  return fields.length === 0 ? `Record<string, ${typeOf(additionalProperties)}>` : `{ ${fields.join('; ')} }`
}
