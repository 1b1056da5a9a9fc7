import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupFinding, type LocalParts, localChecks } from '../../src/doctor/local-checks.ts'
import { type CheckName, type CheckResult, runChecks } from '../../src/domain/server/doctor.ts'
import { tempDirs } from '../store/temp-dir.ts'

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

type Changes = Partial<LocalParts> & { keep?: number; outbound?: 'on' | 'off' }

async function resultsIn(dataDir: string, changes: Changes = {}) {
  const { keep = 3, outbound = 'on', ...more } = changes
  const checks = localChecks({
    config: { dataDir, backupCron: '30 4 * * *', backupKeep: keep, outbound },
    file: undefined,
    warnings: [],
    clock: { seconds: () => NOW, monotonic: () => 0 },
    quickCheck: () => Promise.resolve([]),
    databaseMs: 120_000,
    hash: () => Promise.resolve(),
    tryFeedWorker: () => Promise.resolve(),
    ...more,
  })
  const found = new Map<CheckName, CheckResult>()
  await runChecks(
    checks,
    () => () => undefined,
    (result) => found.set(result.check, result),
  )
  return (name: CheckName) => found.get(name)
}

const NAMES = ['settings', 'data_folder', 'disk_space', 'database', 'backup', 'passwords', 'feed_worker'] as const

test('a sound data folder has no findings', async () => {
  const result = await resultsIn(folderWithBackup('podstep-20250302T043000Z.db'))
  expect(NAMES.map((name) => result(name)?.status)).toEqual(NAMES.map(() => 'ok'))
  expect(result('backup')).toMatchObject({ code: 'backup_ok', values: { at: Date.UTC(2025, 2, 2, 4, 30) / 1000 } })
  expect(result('disk_space')?.values).toEqual({ free: expect.any(Number), size: 10 })
})

test('a missing folder is no problem', async () => {
  const result = await resultsIn(join(dirs.make(), 'data'))
  const names = ['data_folder', 'database', 'backup'] as const
  expect(names.map((name) => result(name)?.code)).toEqual(['folder_new', 'database_none', 'database_none'])
})

describe('the settings file', () => {
  test.each([
    [0o644, true, 'settings_open'],
    [0o640, true, 'settings_ok'],
    [0o644, false, 'settings_ok'],
  ] as const)('of mode %o, with passwords: %j', async (mode, hasSecrets, code) => {
    const path = join(dirs.make(), 'config.toml')
    writeFileSync(path, '')
    chmodSync(path, mode)
    const result = await resultsIn(dirs.make(), { file: { path, hasSecrets } })
    expect(result('settings')?.code).toBe(code)
    if (code === 'settings_ok') {
      const odd = await resultsIn(dirs.make(), { file: { path, hasSecrets }, warnings: ['one'] })
      // The path is named, since the file may not be the default one.
      expect(odd('settings')?.command).toBe(`podstep check-config --config ${path}`)
    }
    if (code === 'settings_open') expect(result('settings')?.command).toBe(`sudo chmod o-rwx ${path}`)
  })

  test('with warnings', async () => {
    const result = await resultsIn(dirs.make(), { warnings: ['one', 'two'] })
    expect(result('settings')).toMatchObject({
      ...{ code: 'settings_odd', cause: 'one; two', command: 'podstep check-config' },
    })
  })
})

test('files that others can read, in a folder that they can enter', async () => {
  const dataDir = folderWithDatabase()
  chmodSync(join(dataDir, 'podstep.db'), 0o644)
  expect((await resultsIn(dataDir))('data_folder')?.code).toBe('folder_ok')
  chmodSync(dataDir, 0o755)
  expect((await resultsIn(dataDir))('data_folder')).toMatchObject({
    code: 'folder_open',
    values: { path: join(dataDir, 'podstep.db'), mode: '0644' },
    command: `chmod 700 ${dataDir}`,
  })
})

test('a data folder that is a file makes other checks skip', async () => {
  const dataDir = join(dirs.make(), 'data')
  writeFileSync(dataDir, '')
  const result = await resultsIn(dataDir)
  const names = ['data_folder', 'disk_space', 'database', 'backup'] as const
  const codes = names.map((name) => result(name)?.code)
  expect(codes).toEqual(['folder_no_folder', 'folder_skipped', 'folder_skipped', 'folder_skipped'])
})

test('a disk without room for a copy of the database', async () => {
  const dataDir = folderWithDatabase()
  // Takes no disk space itself.
  truncateSync(join(dataDir, 'podstep.db'), 2 ** 42)
  expect((await resultsIn(dataDir))('disk_space')).toMatchObject({
    code: 'space_low',
    values: { size: 2 ** 42, needed: Math.ceil(2 ** 42 * 1.2) + 64_000_000 },
  })
})

test.each<[Partial<LocalParts>, Partial<CheckResult>]>([
  [{ quickCheck: async () => ['row 7', 'row 8'] }, { code: 'database_damaged', cause: 'row 7; row 8' }],
  [{ quickCheck: async () => Promise.reject(new Error('I/O')) }, { code: 'database_unreadable', cause: 'I/O' }],
])('a problem of the database: %j', async (parts, expected) => {
  expect((await resultsIn(folderWithDatabase(), parts))('database')).toMatchObject(expected)
})

test.each([
  [1000, 'passwords_ok'],
  [1001, 'passwords_slow'],
] as const)('hashing that takes %i ms', async (ms, code) => {
  let now = 0
  const hash = async () => {
    now += ms
  }
  const clock = { seconds: () => NOW, monotonic: () => now }
  expect((await resultsIn(dirs.make(), { hash, clock }))('passwords')).toMatchObject({ code, values: { ms } })
})

test('a failing feed worker reports its error, and is not needed with outbound off', async () => {
  const tryFeedWorker = () => Promise.reject(new Error('exit code 1'))
  const result = await resultsIn(dirs.make(), { tryFeedWorker })
  expect(result('feed_worker')).toMatchObject({ code: 'feed_worker_failed', cause: 'exit code 1' })
  const off = await resultsIn(dirs.make(), { tryFeedWorker, outbound: 'off' })
  expect(off('feed_worker')?.code).toBe('feed_worker_off')
})

test.each([
  ['none', 3, undefined, 'backup_none'],
  ['none, and off', 0, undefined, 'backup_off'],
  ['an old one', 3, 'podstep-20250228T043000Z.db', 'backup_overdue'],
  ['an old one, and off', 0, 'podstep-20250228T043000Z.db', 'backup_ok'],
  ['one of the night before', 3, 'podstep-20250301T043000Z.db', 'backup_ok'],
] as const)('backups: %s', async (_title, keep, name, code) => {
  const dataDir = name === undefined ? folderWithDatabase() : folderWithBackup(name)
  expect((await resultsIn(dataDir, { keep }))('backup')?.code).toBe(code)
})

const good = { name: 'podstep-20250302T043000Z.db', at: NOW - 100, bytes: 1 }
const STATUS = {
  ...{ isOn: true, isRunning: false, last: undefined, lastGood: undefined, isOverdue: false },
  ...{ nextAt: undefined, keep: 3 },
}
const failure = { at: NOW, seconds: 1, cause: 'no room' }

test.each<[string, Partial<Parameters<typeof backupFinding>[0]>]>([
  ['backup_off', { isOn: false, lastGood: good }],
  ['backup_none', {}],
  ['backup_ok', { lastGood: good }],
  ['backup_overdue', { lastGood: good, isOverdue: true }],
  ['backup_failed', { lastGood: good, last: failure }],
])('the backups of a running server: %s', (code, change) => {
  expect(backupFinding({ ...STATUS, ...change }).code).toBe(code as never)
})

test('the number of users is known only to a running server', async () => {
  const users = (n: number) => ({
    running: { users: async () => n, backups: () => Promise.reject(new Error()), mailTrouble: () => undefined },
  })
  const dataDir = folderWithDatabase()
  expect((await resultsIn(dataDir))('users')).toBeUndefined()
  expect((await resultsIn(dataDir, users(1)))('users')).toMatchObject({ code: 'users_alone', status: 'todo' })
  expect((await resultsIn(dataDir, users(2)))('users')).toMatchObject({ code: 'users_ok', values: { n: 2 } })
})
