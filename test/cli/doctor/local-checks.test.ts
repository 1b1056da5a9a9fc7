import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckResult, runChecks } from '../../../src/cli/doctor/checks.ts'
import { type LocalParts, localChecks } from '../../../src/cli/doctor/local-checks.ts'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()
/** 2025-03-02T10:00:00Z */
const NOW = 1_740_909_600

function folderWithDatabase(): string {
  const dataDir = dirs.make()
  writeFileSync(join(dataDir, 'podstep.db'), 'some bytes', { mode: 0o600 })
  return dataDir
}

function folderWithBackup(name: string): string {
  const dataDir = folderWithDatabase()
  mkdirSync(join(dataDir, 'backups'))
  writeFileSync(join(dataDir, 'backups', name), '')
  writeFileSync(join(dataDir, 'backups', 'last-backup.json'), '')
  return dataDir
}

async function resultsIn(dataDir: string, changes: Partial<LocalParts> & { keep?: number } = {}) {
  const { keep = 3, ...more } = changes
  const found = new Map<string, CheckResult>()
  const checks = localChecks({
    config: { dataDir, backupCron: '30 4 * * *', backupKeep: keep },
    file: undefined,
    warnings: [],
    clock: { seconds: () => NOW, monotonic: () => 0 },
    timer: () => () => undefined,
    quickCheck: () => Promise.resolve([]),
    ...more,
  })
  await runChecks(checks, (result) => found.set(result.check, result))
  return (name: string) => found.get(name)
}

test('a folder in order is in order', async () => {
  const result = await resultsIn(folderWithBackup('podstep-20250302T043000Z.db'))
  for (const name of ['settings', 'data folder', 'database', 'backup'])
    expect(result(name)).toEqual({ check: name, status: 'ok', observed: expect.any(String) })
  expect(result('backup')?.observed).toBe('the last one is of 2025-03-02T04:30:00.000Z')
  expect(result('disk space')?.observed).toEndWith(' free; the database takes 0.0 MB')
})

test('a folder that does not exist is no trouble', async () => {
  const result = await resultsIn(join(dirs.make(), 'data'))
  expect(result('data folder')).toMatchObject({ status: 'ok', observed: expect.stringContaining('can be made') })
  expect([result('database')?.status, result('backup')?.status]).toEqual(['skipped', 'skipped'])
})

describe('the settings file', () => {
  test.each([
    [0o644, true, 'warning'],
    [0o640, true, 'ok'],
    [0o644, false, 'ok'],
  ] as const)('of mode %o, with passwords: %j', async (mode, hasSecrets, status) => {
    const path = join(dirs.make(), 'config.toml')
    writeFileSync(path, '')
    chmodSync(path, mode)
    const result = await resultsIn(dirs.make(), { file: { path, hasSecrets } })
    expect(result('settings')?.status).toBe(status)
    if (status === 'warning') expect(result('settings')?.advice).toBe(`sudo chmod o-rwx ${path}`)
  })

  test('with what is probably not meant', async () => {
    const result = await resultsIn(dirs.make(), { warnings: ['one', 'two'] })
    expect(result('settings')).toMatchObject({ status: 'warning', observed: 'one; two' })
  })
})

test('files that others can open, in a folder that they can enter', async () => {
  const dataDir = folderWithDatabase()
  chmodSync(join(dataDir, 'podstep.db'), 0o644)
  expect((await resultsIn(dataDir))('data folder')?.status).toBe('ok')
  chmodSync(dataDir, 0o755)
  expect((await resultsIn(dataDir))('data folder')).toMatchObject({
    status: 'warning',
    observed: `${join(dataDir, 'podstep.db')} can be opened by other users (mode 0644)`,
    advice: `chmod 700 ${dataDir}`,
  })
})

test('a data folder that is a file', async () => {
  const dataDir = join(dirs.make(), 'data')
  writeFileSync(dataDir, '')
  const result = await resultsIn(dataDir)
  expect([result('disk space')?.status, result('database')?.status]).toEqual(['skipped', 'skipped'])
  expect(result('data folder')).toMatchObject({
    status: 'error',
    observed: `${dataDir} is not a folder`,
  })
})

test('a disk without room for a copy of the database', async () => {
  const dataDir = folderWithDatabase()
  // Takes no room itself.
  truncateSync(join(dataDir, 'podstep.db'), 2 ** 42)
  expect((await resultsIn(dataDir))('disk space')).toMatchObject({
    status: 'warning',
    advice: expect.stringMatching(/^make room: backups and upgrades need about \d+/),
  })
})

describe('the database', () => {
  const cases: [string, Partial<LocalParts>, string, string][] = [
    ['damaged', { quickCheck: () => Promise.resolve(['row 7', 'row 8']) }, 'error', 'damaged: row 7; row 8'],
    [
      'unreadable',
      { quickCheck: () => Promise.reject(new Error('disk I/O error')) },
      'error',
      'cannot be read: disk I/O error',
    ],
    [
      'too large',
      {
        quickCheck: () => new Promise(() => undefined),
        timer: (_ms, then) => {
          then()
          return () => undefined
        },
      },
      'skipped',
      'not checked to the end within 120 seconds',
    ],
  ]
  test.each(cases)('is %s', async (_title, parts, status, observed) => {
    expect((await resultsIn(folderWithDatabase(), parts))('database')).toMatchObject({ status, observed })
  })
})

describe('backups', () => {
  test.each([
    ['none', 3, undefined, 'warning'],
    ['none, and off', 0, undefined, 'skipped'],
    ['an old one', 3, 'podstep-20250228T043000Z.db', 'warning'],
    ['an old one, and off', 0, 'podstep-20250228T043000Z.db', 'ok'],
    ['one of the night before', 3, 'podstep-20250301T043000Z.db', 'ok'],
  ] as const)('%s', async (_title, keep, name, status) => {
    const dataDir = name === undefined ? folderWithDatabase() : folderWithBackup(name)
    expect((await resultsIn(dataDir, { keep }))('backup')?.status).toBe(status)
  })
})
