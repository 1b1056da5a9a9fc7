import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stampIn } from '../../../src/store/sqlite/core/files/database-files.ts'
import { abandonLog, leaveMarker } from '../../../src/store/sqlite/core/files/run-marker.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../temp-dir.ts'

const dirs = tempDirs()
const NOW = 1_740_909_600

function open(dataDir: string) {
  const opened = openDatabase({ dataDir, version: 'test', now: NOW })
  return { ...opened, mark: (stamp: number) => leaveMarker({ dataDir, stamp, ...opened }) }
}

/** A copy of a folder, like that of a killed server, since this process cannot close its files without SQLite noticing. */
function killed(from: string) {
  const dataDir = dirs.make()
  for (const name of ['podstep.db', 'podstep.db-wal', 'podstep.running'])
    copyFileSync(join(from, name), join(dataDir, name))
  return { dataDir, path: join(dataDir, 'podstep.db') }
}

/** The folder of a killed server with this stamp, whose last row is only in the log. */
function killedServer(stamp: number) {
  const dataDir = dirs.make()
  const { db, mark, close } = open(dataDir)
  mark(stamp)
  db.run('CREATE TABLE notes (text TEXT) STRICT')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.run(`INSERT INTO notes VALUES ('in the log')`)
  const left = killed(dataDir)
  close()
  return left
}

function notesIn(dataDir: string) {
  const { db, foreignLog, close } = open(dataDir)
  const notes = db.query('SELECT text FROM notes').values().flat()
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  close()
  return { notes, foreignLog }
}

test('a leftover marker reveals an unclean stop', () => {
  const dataDir = dirs.make()
  const { mark, close } = open(dataDir)
  expect(mark(1).isStale).toBe(false)
  expect(statSync(join(dataDir, 'podstep.running')).mode & 0o777).toBe(0o600)
  const second = mark(2)
  expect(second.isStale).toBe(true)
  second.remove()
  expect(readdirSync(dataDir).filter((name) => name.includes('running'))).toEqual([])
  expect(mark(3).isStale).toBe(false)
  close()
})

test('the log is kept after a kill', () => {
  const { dataDir } = killedServer(1)
  expect(notesIn(dataDir)).toEqual({ notes: ['in the log'], foreignLog: undefined })
})

test('the log is kept after a kill before the stamp was in the database file', () => {
  const { dataDir, path } = killedServer(1)
  const next = open(dataDir)
  // A reader of the log keeps the checkpoint from moving the rest.
  const reader = new Database(path)
  reader.run('BEGIN')
  reader.query('SELECT * FROM notes').all()
  next.mark(2)
  const left = killed(dataDir)
  reader.close()
  next.close()
  expect(stampIn(left.path)).toBe(1)
  expect(notesIn(left.dataDir)).toEqual({ notes: ['in the log'], foreignLog: undefined })
})

test('the log is set aside if the database was replaced by a copy from before the start', () => {
  const dataDir = dirs.make()
  const first = open(dataDir)
  first.mark(1).remove()
  first.db.run('CREATE TABLE notes (text TEXT) STRICT')
  first.close()
  const { db, path, mark, close } = open(dataDir)
  const copy = join(dirs.make(), 'copy.db')
  copyFileSync(path, copy)
  mark(2)
  db.run(`INSERT INTO notes VALUES ('in the log')`)
  const left = killed(dataDir)
  close()
  copyFileSync(copy, left.path)
  expect(notesIn(left.dataDir)).toEqual({ notes: [], foreignLog: expect.any(String) })
})

test('the log is set aside, once, if the database was replaced by another', () => {
  const other = killedServer(7)
  notesIn(other.dataDir)
  const { dataDir, path } = killedServer(1)
  copyFileSync(other.path, path)
  // A server may still use it.
  expect(() => openDatabase({ dataDir, version: 'test', now: NOW, asItIs: true })).toThrow('restart the server first')
  const aside = join(dataDir, 'podstep-20250302T100000Z-of-another.db-wal')
  expect(notesIn(dataDir)).toEqual({ notes: ['in the log'], foreignLog: aside })
  expect(statSync(aside).size).toBeGreaterThan(0)
  // A log written from now on belongs to the new database.
  const again = open(dataDir)
  again.db.run(`INSERT INTO notes VALUES ('later')`)
  const left = killed(dataDir)
  again.close()
  expect(notesIn(left.dataDir)).toEqual({ notes: ['in the log', 'later'], foreignLog: undefined })
})

test('an abandoned log is copied and emptied, if it exists', () => {
  const folder = dirs.make()
  const database = join(folder, 'podstep.db')
  abandonLog(folder, database, NOW)
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(`${database}-wal`, 'pages')
  abandonLog(folder, database, NOW)
  expect(statSync(`${database}-wal`).size).toBe(0)
  expect(readFileSync(join(folder, 'podstep-20250302T100000Z-of-another.db-wal'), 'utf8')).toBe('pages')
})

test('an abandoned log does not replace one that was set aside at the start', () => {
  const other = killedServer(7)
  notesIn(other.dataDir)
  const { dataDir, path } = killedServer(1)
  copyFileSync(other.path, path)
  const { db, abandonLog } = open(dataDir)
  db.run(`INSERT INTO notes VALUES ('later')`)
  // The database stays open, as in a server whose database was overwritten.
  abandonLog(NOW + 60)
  expect(readdirSync(dataDir).filter((name) => name.includes('of-another'))).toHaveLength(2)
})

test('a read-only database keeps its stamp, and the marker has both', () => {
  const dataDir = dirs.make()
  const { db, path, stampInFile, mark, close } = open(dataDir)
  db.run('PRAGMA query_only = 1')
  mark(stampInFile + 1)
  expect(readFileSync(join(dataDir, 'podstep.running'), 'utf8')).toContain(
    `stamps: ${stampInFile} ${stampInFile + 1}\n`,
  )
  db.run('PRAGMA query_only = 0')
  close()
  expect(stampIn(path)).toBe(stampInFile)
})
