import { expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { leaveMarker } from '../../src/store/sqlite/core/files/run-marker.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../store/temp-dir.ts'
import { podstep } from './support/command.ts'

const dirs = tempDirs()

test('a command that finds the write-ahead log of another database sets it aside and says where', async () => {
  const [before, dataDir] = [dirs.make(), dirs.make()]
  const { db, path, stampInFile, close } = openDatabase({ dataDir: before, version: 'test', now: 0 })
  copyFileSync(path, join(dataDir, 'podstep.db'))
  leaveMarker({ dataDir: before, db, stampInFile, stamp: 7 })
  db.run('CREATE TABLE notes (text TEXT) STRICT')
  for (const name of ['podstep.db-wal', 'podstep.running']) copyFileSync(join(before, name), join(dataDir, name))
  close()
  const { code, err } = await podstep(['user', 'list', '--data-dir', dataDir], { cwd: dataDir })
  expect(code).toBe(0)
  const [, aside = ''] = /^warning: the database is another one .* set aside: (.*)\n$/.exec(err) ?? []
  expect(existsSync(aside)).toBe(true)
})
