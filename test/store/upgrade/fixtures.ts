import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignIns } from './world.ts'

/** A database of an older schema with answers of its server, from scripts/schema-fixture.ts. */
export interface Fixture {
  /** The rows as SQL; see dump.ts. */
  readonly dump: string
  /** Unix time of the answers. */
  readonly at: number
  readonly signIns: SignIns
  /** Bodies by user and path. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const FOLDER = join(import.meta.dir, '../fixtures')
const SUFFIX = '.json.gz'

/** Schemas with a fixture, oldest first. */
export function fixtureNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted()
}

export function readFixture(name: string): Fixture {
  return JSON.parse(Buffer.from(Bun.gunzipSync(readFileSync(join(FOLDER, name + SUFFIX)))).toString('utf8')) as Fixture
}

export function writeFixture(name: string, fixture: Fixture): void {
  writeFileSync(join(FOLDER, name + SUFFIX), Bun.gzipSync(JSON.stringify(fixture)))
}
