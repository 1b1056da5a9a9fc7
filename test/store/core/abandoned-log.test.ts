import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { abandonLog } from '../../../src/store/sqlite/core/files/run-marker.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'

test('the log of another database is copied aside and emptied; without a log nothing is done', () => {
  const folder = mkdtempSync(join(tmpdir(), 'podstep-log-'))
  try {
    const database = join(folder, 'podstep.db')
    abandonLog(folder, database, 1_740_909_600)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(`${database}-wal`, 'pages')
    abandonLog(folder, database, 1_740_909_600)
    expect(statSync(`${database}-wal`).size).toBe(0)
    expect(readFileSync(join(folder, 'podstep-20250302T100000Z-of-another.db-wal'), 'utf8')).toBe('pages')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a database in memory is overwritten by nobody', () => {
  expect(createSqliteStore(openMemoryDatabase()).isOverwritten()).toBe(false)
})
