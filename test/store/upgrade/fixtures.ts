import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { restoreDump } from './dump.ts'
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

/** Restores the database of a fixture, by default the newest, into a data folder. */
export function restoreFixture(dataDir: string, name: string = MIGRATIONS.at(-1)?.name ?? '') {
  const path = join(dataDir, 'podstep.db')
  const fixture = readFixture(name)
  restoreDump(path, name, fixture.dump)
  return { dataDir, path, fixture }
}

export function writeFixture(name: string, fixture: Fixture): void {
  writeFileSync(join(FOLDER, name + SUFFIX), Bun.gzipSync(JSON.stringify(fixture)))
}
