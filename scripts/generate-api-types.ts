import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, typesOf } from './api-types.ts'

// Writes the types of the web client from the description of the API, for the operations that its code names.
const WEB = join(import.meta.dir, '../src/web')
const TARGET = join(WEB, 'api/schema.ts')

const document: unknown = JSON.parse(readFileSync(join(import.meta.dir, '../docs/openapi.json'), 'utf8'))
if (!isRecord(document)) throw new Error('docs/openapi.json is no description of an API')
const code = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .map((name) => join(WEB, name))
  .filter((path) => /\.tsx?$/.test(path) && path !== TARGET)
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')
writeFileSync(
  TARGET,
  typesOf(document, (id) => code.includes(`'${id}'`) || code.includes(`ADDRESSES.${id}[`)),
)
