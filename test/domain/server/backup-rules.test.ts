import { describe, expect, test } from 'bun:test'
import {
  backupName,
  backupTime,
  freeBackupName,
  isLeftover,
  surplusBackups,
} from '../../../src/domain/server/backups.ts'

/** 2025-03-02T10:00:00Z */
const T = 1_740_909_600
const NAME = 'podstep-20250302T100000Z.db'

test('the name of a backup is when it was begun, in UTC, and sorts by that', () => {
  expect(backupName(T)).toBe(NAME)
  expect(backupTime(NAME)).toBe(T)
  const times = [0, T - 86_400, T - 1, T, T + 1, T + 3600, T + 31_536_000]
  const names = times.map(backupName)
  expect(names.every((name, n) => n === 0 || (names[n - 1] ?? '') < name)).toBe(true)
  expect(times.map((at) => backupTime(backupName(at)))).toEqual(times)
})

test.each([
  'podstep-20250302T100000Z-before-migration.db',
  'podstep-20250302T100000Z.db.partial',
  'podstep-20259902T100000Z.db',
  'podstep-20250302.db',
  'my-podstep-20250302T100000Z.db',
  'podstep-20250302T100000Z.db.gz',
  'podstep.db',
])('%s is not the name of a backup', (name) => {
  expect(backupTime(name)).toBeUndefined()
})

test.each([
  [`${NAME}.partial`, true],
  [`${NAME}.partial-journal`, true],
  [`${NAME}.partial-wal`, true],
  [`${NAME}.partial-shm`, true],
  ['podstep-20250302T100000Z-before-migration.db.partial', true],
  [NAME, false],
  ['podstep-20250302T100000Z-before-migration.db', false],
  ['photos.partial', false],
  ['last-backup.json', false],
])('whether %s was left half-written: %p', (name, isLeft) => {
  expect(isLeftover(name)).toBe(isLeft)
})

test('a name that is taken is not given once more', () => {
  expect(freeBackupName(T, new Set())).toBe(NAME)
  expect(freeBackupName(T, new Set([backupName(T), backupName(T + 1), backupName(T + 3)]))).toBe(backupName(T + 2))
})

describe('what is beyond the number to keep', () => {
  const days = [0, 1, 2, 3, 4].map((day) => backupName(T + day * 86_400))
  const made = days[4] ?? ''

  test('is the oldest', () => {
    expect(surplusBackups(days, made, 3)).toEqual(days.slice(0, 2).toReversed())
    expect(surplusBackups(days, made, 5)).toEqual([])
    expect(new Set(surplusBackups(days, made, 1))).toEqual(new Set(days.slice(0, 4)))
  })

  test('is never the one that was just made, not even by a clock that was set back', () => {
    const early = backupName(0)
    expect(surplusBackups([early, ...days], early, 3)).toEqual(days.slice(0, 3).toReversed())
    expect(surplusBackups([early, ...days], early, 1)).not.toContain(early)
  })
})
