import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, watch } from 'node:fs'
import { MIGRATIONS } from '../../src/store/sqlite/core/migrate.ts'
import { restoreDump, upTo } from '../store/upgrade/dump.ts'
import { readFixture } from '../store/upgrade/fixtures.ts'
import { PASSWORD } from '../store/upgrade/world.ts'
import { basic } from '../support/client.ts'
import { requireBinary } from './support/binary.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

const OLD = '0012_choices'
const LIST = '/subscriptions/ida/phone.json'

/** Kills the first start on the folder as soon as so many things have happened to its files, or else when it has ended. */
async function killAfter(changes: number, cwd: string, dataDir: string): Promise<void> {
  const child = Bun.spawn([requireBinary(), 'user', 'list'], { cwd, env: {}, stdout: 'ignore', stderr: 'ignore' })
  let seen = 0
  const watcher = watch(dataDir, { recursive: true }, () => {
    if (++seen >= changes) child.kill('SIGKILL')
  })
  await child.exited
  watcher.close()
}

test.each([1, 4, 8, 20, 60])(
  'the executable that is killed in an upgrade, %d changes of files after its start, finishes it the next time',
  async (changes) => {
    using folder = emptyFolder()
    const dataDir = folder.file('data')
    mkdirSync(dataDir)
    const fixture = readFixture(OLD)
    restoreDump(folder.file('data/podstep.db'), OLD, fixture.dump)
    await killAfter(changes, folder.path, dataDir)

    const db = new Database(folder.file('data/podstep.db'))
    const applied = db.query('SELECT name FROM schema_migrations ORDER BY name').values().flat()
    expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    db.close()
    expect([upTo(OLD).length, MIGRATIONS.length]).toContain(applied.length)

    await using server = await startServer({ cwd: folder.path })
    const { ida = {} } = fixture.answers
    const { json } = await server.client(basic('ida', PASSWORD)).get(LIST)
    expect(json).toEqual(ida[LIST])
  },
)
