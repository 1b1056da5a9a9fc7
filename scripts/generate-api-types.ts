import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, typesOf } from './api-types.ts'

// Writes the types of the web client from the description of the API. A test fails when the file is out of date.
const ROOT = join(import.meta.dir, '..')
const document: unknown = await Bun.file(join(ROOT, 'docs/openapi.json')).json()
if (!isRecord(document)) throw new Error('docs/openapi.json is no description of an API')
writeFileSync(join(ROOT, 'src/web/api/schema.ts'), typesOf(document))
