import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createPasswordHasher } from '../../../src/platform/password.ts'
import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase, openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirs } from '../temp-dir.ts'
import { contentsOf, restoreDump, schemaOf } from './dump.ts'
import { type Fixture, fixtureNames, readFixture } from './fixtures.ts'
import { PASSWORD } from './world.ts'

const dirs = tempDirs()
const NAMES = MIGRATIONS.map(({ name }) => name)

test('every schema has a fixture; scripts/schema-fixture.ts makes that of the newest', () => {
  expect(fixtureNames()).toEqual(NAMES)
})

/** A data folder as the server of schema `name` has left it. */
function oldFolder(name: string) {
  const dataDir = dirs.make()
  const fixture = readFixture(name)
  const path = join(dataDir, 'podstep.db')
  restoreDump(path, name, fixture.dump)
  return { fixture, dataDir, path }
}

/** Headers that prove who it is, and what the server says to that about somebody's devices. */
const REFUSED = [
  [basic('ida', 'wrong'), 'ida', 401],
  [basic('nobody', PASSWORD), 'ida', 401],
  [basic('una', PASSWORD), 'una', 403],
  [basic('ole', PASSWORD), 'ida', 403],
  [{}, 'ida', 401],
] as const

async function expectEverything(app: TestApp, { answers, signIns }: Fixture): Promise<void> {
  for (const [user, asked] of Object.entries(answers)) {
    const client = clientOf(app, basic(user, PASSWORD))
    const now: Record<string, unknown> = {}
    for (const path of Object.keys(asked)) {
      const { json, text } = await client.get(path)
      now[path] = json ?? text
    }
    // Answers may have got more fields since.
    expect(now).toMatchObject(asked)
  }
  const devicesOf = (name: string) => `/api/2/devices/${name}.json`
  for (const headers of Object.values(signIns))
    expect((await clientOf(app, headers).get(devicesOf('ida'))).status).toBe(200)
  for (const [headers, name, status] of REFUSED)
    expect([name, (await clientOf(app, headers).get(devicesOf(name))).status]).toEqual([name, status])
}

/** What today's server is to answer: not everything that has changed has been lost. */
function expectedOf(name: string, { answers }: Fixture): Fixture['answers'] {
  const text = JSON.stringify(answers, (key, value: unknown) => {
    // The questions themselves were contacts of the devices.
    if (key === 'last_contact') return undefined
    // Until 0032_has_sent, episodes in progress had no guid but that of the feed.
    if (key === 'guid' && value === '') return undefined
    // Since 0016_joined, what has one guid is one episode, at the address that was uploaded last (docs/protocol.md#D84).
    if (name >= '0016' || !isEvent(value) || value.episode !== MOVED) return value
    const { episode_title: _, ...event } = { ...value, episode: MOVED_TO }
    return event
  })
  const expected = JSON.parse(text) as Fixture['answers']
  const latest = expected['ida']?.[AGGREGATED] as { actions: { episode: string; device: string }[] }
  if (name < '0016')
    latest.actions = latest.actions.filter(({ episode, device }) => episode !== MOVED_TO || device === 'desk')
  return expected
}

const AGGREGATED = '/api/2/episodes/ida.json?aggregated=true'
const MOVED = 'http://127.0.0.1:28765/2.mp3'
const MOVED_TO = 'http://127.0.0.1:28765/moved/2.mp3'

/** Anything said of a certain episode. */
function isEvent(value: unknown): value is { readonly episode: string; readonly episode_title?: string } {
  return typeof value === 'object' && value !== null && 'episode' in value
}

describe('a database of the schema', () => {
  test.each(fixtureNames())('%s has all its data after an upgrade', async (name) => {
    const { dataDir, path, fixture } = oldFolder(name)
    const old = new Database(path, { readonly: true })
    const before = contentsOf(old)
    old.close()

    const opened = openDatabase({ dataDir, version: 'test', now: fixture.at })
    const { db } = opened
    expect(opened.applied).toEqual(NAMES.slice(NAMES.indexOf(name) + 1))
    expect(schemaOf(db)).toEqual(schemaOf(openMemoryDatabase()))
    expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(db.query('PRAGMA foreign_key_check').values()).toEqual([])
    expect(opened.backup !== undefined).toBe(opened.applied.length > 0)
    if (opened.backup !== undefined) {
      // The server of that time can be started on the copy: to it, there is nothing to migrate.
      const copy = new Database(opened.backup, { readonly: true })
      expect(contentsOf(copy)).toEqual(before)
      copy.close()
    }

    const app = startTestApp({ db, clock: fakeClock(fixture.at), hasher: createPasswordHasher() })
    await app.recover()
    await expectEverything(app, { ...fixture, answers: expectedOf(name, fixture) })
    await app.idle()
    app.end()
    opened.close()
    // A second start has nothing to do.
    const again = openDatabase({ dataDir, version: 'test', now: fixture.at })
    expect(again.applied).toEqual([])
    again.close()
  })
})
