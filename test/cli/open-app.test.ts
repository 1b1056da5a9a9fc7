import { expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '../../src/cli/io.ts'
import { run } from '../../src/cli/run.ts'
import { leaveMarker } from '../../src/store/sqlite/core/files/run-marker.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../store/temp-dir.ts'

const dirs = tempDirs()
const nothing = () => undefined

function ioOf(cwd: string, told: string[]): Io {
  return {
    ...{ env: {}, cwd, isTerminal: false, isLogTerminal: false, isInContainer: false },
    ...{ interfaces: () => ({}), memoryBytes: () => 0, out: nothing, outBytes: () => Promise.resolve() },
    ...{ readAll: () => Promise.resolve(''), ask: () => Promise.resolve(undefined) },
    ...{ err: (text) => void told.push(text), onSignal: nothing, onHangup: nothing },
    exit() {
      throw new Error('the command ends the process')
    },
  }
}

test('a command that finds the log of another database beside the one that is there says where it has put it', async () => {
  const [before, dataDir] = [dirs.make(), dirs.make()]
  const { db, path, stampInFile, close } = openDatabase({ dataDir: before, version: 'test', now: 0 })
  copyFileSync(path, join(dataDir, 'podstep.db'))
  leaveMarker({ dataDir: before, db, stampInFile, stamp: 7 })
  db.run('CREATE TABLE notes (text TEXT) STRICT')
  for (const name of ['podstep.db-wal', 'podstep.running']) copyFileSync(join(before, name), join(dataDir, name))
  close()
  const told: string[] = []
  expect(await run(['user', 'list', '--data-dir', dataDir], ioOf(dataDir, told))).toBe(0)
  const [, aside = ''] = /^warning: the database is another one .* set aside: (.*)\n$/.exec(told.join('')) ?? []
  expect(existsSync(aside)).toBe(true)
})
