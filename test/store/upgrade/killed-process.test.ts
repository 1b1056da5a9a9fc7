import { expect, test } from 'bun:test'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../temp-dir.ts'
import { contentsOf } from './dump.ts'
import { restoreFixture } from './fixtures.ts'
import { NEXT } from './next-migration.ts'

const dirs = tempDirs()
const SCRIPT = join(import.meta.dir, 'upgrade-process.ts')

/** Starts an upgrade of the folder and kills it after this number of changes to its files. */
async function killAfter(changes: number, dataDir: string): Promise<void> {
  const child = Bun.spawn([process.execPath, SCRIPT, dataDir], { stdout: 'ignore', stderr: 'ignore' })
  let seen = 0
  const watcher = watch(dataDir, { recursive: true }, () => {
    if (++seen >= changes) child.kill('SIGKILL')
  })
  await child.exited
  watcher.close()
}

/** Starts again; returns the applied migrations and the contents. */
function openAgain(dataDir: string) {
  const { db, applied, close } = openDatabase({
    ...{ dataDir, version: 'test', now: 1_740_909_600 },
    migrations: [...MIGRATIONS, NEXT],
  })
  const contents = contentsOf(db)
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  close()
  return { applied, contents }
}

test.each([1, 4, 8, 20, 60])(
  'an upgrade killed after %d changes of files is finished at the next start',
  async (changes) => {
    const [{ dataDir }, undisturbed] = [restoreFixture(dirs.make()), restoreFixture(dirs.make())]
    await killAfter(changes, dataDir)
    const { applied, contents } = openAgain(dataDir)
    expect([[], [NEXT.name]]).toContainEqual([...applied])
    expect(contents).toEqual(openAgain(undisturbed.dataDir).contents)
  },
)
