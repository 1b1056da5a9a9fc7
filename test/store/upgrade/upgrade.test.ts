import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createPasswordHasher } from '../../../src/platform/password.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirs } from '../temp-dir.ts'
import { contentsOf, schemaOf } from './dump.ts'
import { type Fixture, fixtureNames, restoreFixture } from './fixtures.ts'
import { NEXT } from './next-migration.ts'
import { PASSWORD } from './world.ts'

const dirs = tempDirs()
const NAMES = MIGRATIONS.map(({ name }) => name)

test('every schema has a fixture; scripts/schema-fixture.ts creates the newest', () => {
  expect(fixtureNames()).toEqual(NAMES)
})

/** Credentials, a user, and the status of a request for that user's devices. */
const REFUSED = [
  [basic('ida', 'wrong'), 'ida', 401],
  [basic('nobody', PASSWORD), 'ida', 401],
  [basic('una', PASSWORD), 'una', 403],
  [basic('ole', PASSWORD), 'ida', 403],
  [{}, 'ida', 401],
] as const

async function expectEverything(app: TestApp, { answers, signIns }: Fixture): Promise<void> {
  for (const [user, expected] of Object.entries(answers)) {
    const client = clientOf(app, basic(user, PASSWORD))
    const now: Record<string, unknown> = {}
    for (const path of Object.keys(expected)) {
      const { json, text } = await client.get(path)
      now[path] = json ?? text
    }
    // Answers may have more fields by now.
    expect(now).toMatchObject(expected)
  }
  const devicesOf = (name: string) => `/api/2/devices/${name}.json`
  for (const headers of Object.values(signIns))
    expect((await clientOf(app, headers).get(devicesOf('ida'))).status).toBe(200)
  for (const [headers, name, status] of REFUSED)
    expect([name, (await clientOf(app, headers).get(devicesOf(name))).status]).toEqual([name, status])
}

/** The requests for the fixture changed when devices were last seen. */
function withoutLastSeen(answers: Fixture['answers']): Fixture['answers'] {
  const text = JSON.stringify(answers, (key, value: unknown) => (key === 'last_contact' ? undefined : value))
  return JSON.parse(text) as Fixture['answers']
}

describe('a database of the schema', () => {
  const upgrades = [MIGRATIONS, [...MIGRATIONS, NEXT]]
  const cases = fixtureNames().flatMap((name) => upgrades.map((migrations) => ({ name, migrations })))
  test.each(cases.map((each) => [each.name, each.migrations.at(-1)?.name ?? '', each.migrations] as const))(
    '%s has all its data after an upgrade to %s',
    async (name, _, migrations) => {
      const { dataDir, path, fixture } = restoreFixture(dirs.make(), name)
      const old = new Database(path, { readonly: true })
      const before = contentsOf(old)
      old.close()

      const opened = openDatabase({ dataDir, version: 'test', now: fixture.at, migrations })
      const { db } = opened
      expect(opened.applied).toEqual(migrations.slice(NAMES.indexOf(name) + 1).map((each) => each.name))
      const fresh = new Database(':memory:', { strict: true })
      migrate(fresh, { migrations, version: 'test', now: 0, beforeChange: () => undefined })
      expect(schemaOf(db)).toEqual(schemaOf(fresh))
      expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
      expect(db.query('PRAGMA foreign_key_check').values()).toEqual([])
      expect(opened.backup !== undefined).toBe(opened.applied.length > 0)
      if (opened.backup !== undefined) {
        // The old server can be started on the copy.
        const copy = new Database(opened.backup, { readonly: true })
        expect(contentsOf(copy)).toEqual(before)
        copy.close()
      }

      const app = startTestApp({ db, clock: fakeClock(fixture.at), hasher: createPasswordHasher() })
      await app.recover()
      await expectEverything(app, { ...fixture, answers: withoutLastSeen(fixture.answers) })
      await app.idle()
      app.end()
      opened.close()
      // A second start applies nothing.
      const again = openDatabase({ dataDir, version: 'test', now: fixture.at, migrations })
      expect(again.applied).toEqual([])
      again.close()
    },
  )
})
