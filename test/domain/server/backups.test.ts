import { describe, expect, test } from 'bun:test'
import { BackupFailure, backupName, backupTime, createBackups, isLeftover } from '../../../src/domain/server/backups.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { createLog } from '../../../src/platform/log.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { scriptedBackups } from '../../support/backups.ts'
import { FakeTimer, fakeClock } from '../../support/clock.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { reasonOf } from '../../support/values.ts'

/** 2025-03-02T10:00:00Z */
const T = 1_740_909_600
const DAY = 86_400
const FULL = 'the disk of /srv/backups is full'
const failing = (cause: string) => async () => Promise.reject(new BackupFailure(cause, 'no_room'))

/** Backups that are due at ten each day, of which `keep` are kept. */
function open({ files = [], keep = 3 }: { readonly files?: readonly number[]; readonly keep?: number } = {}) {
  const clock = fakeClock(T)
  const folder = scriptedBackups(files.map(backupName))
  const { audit } = createSqliteStore(openMemoryDatabase())
  const logs: string[] = []
  const log = createLog({ level: 'debug', format: 'json', write: (line) => logs.push(line) })
  const failures: unknown[] = []
  const background = createBackground((error) => failures.push(error))
  const timer = new FakeTimer()
  const start = () =>
    createBackups({
      store: folder,
      audit,
      whyOff: 'backups are turned off',
      keep,
      cron: '0 0 * * *',
      dueAfter: (at) => (Math.floor((at - T) / DAY) + 1) * DAY + T,
      background,
      clock,
      log,
      timer: timer.start,
    })
  const backups = start()
  return {
    backups,
    folder,
    clock,
    timer,
    background,
    /** A server that starts with the same folder. */
    start,
    /** Level and message of each line, and these fields. */
    logged: (...fields: string[]) =>
      logs.map((line) => {
        const { level, msg, ...others } = JSON.parse(line)
        return [level, msg, ...fields.map((field) => others[field])]
      }),
    noted: async () => (await audit.page(0, 100)).entries.map(({ action }) => action),
    failures,
    async run() {
      backups.run()
      await background.idle()
    },
    /** Holds the next copy until it is resolved or rejected. */
    hold() {
      const held = Promise.withResolvers<number>()
      const begun = Promise.withResolvers<void>()
      folder.script.make = () => {
        begun.resolve()
        return held.promise
      }
      return { ...held, begun: begun.promise }
    },
  }
}

describe('a scheduled backup', () => {
  test('is made, logged and remembered over a restart', async () => {
    const { run, folder, clock, backups, start, logged, failures, noted } = open()
    folder.script.make = async () => {
      clock.advance(2)
      return 8192
    }
    await run()
    expect(folder.files).toEqual([backupName(T)])
    const last = { at: T, seconds: 2, file: backupName(T), bytes: 8192 }
    expect(await backups.status()).toMatchObject({ isOn: true, isRunning: false, last, nextAt: T + DAY, keep: 3 })
    expect(await start().status()).toMatchObject({ last })
    expect(logged('file', 'bytes', 'seconds')).toEqual([['info', 'backup made', backupName(T), 8192, 2]])
    expect(failures).toEqual([])
    expect(await noted()).toEqual([])
  })

  test('replaces the oldest one, and no other if it fails', async () => {
    const { run, folder, clock, backups, logged, failures } = open()
    for (let day = 0; day < 5; day++) {
      await run()
      clock.advance(DAY)
    }
    const kept = [2, 3, 4].map((day) => backupName(T + day * DAY))
    expect(folder.files).toEqual(kept)
    folder.script.make = failing(FULL)
    await run()
    expect(folder.files).toEqual(kept)
    const last = { at: T + 5 * DAY, seconds: 0, cause: FULL, trouble: 'no_room' } as const
    expect(await backups.status()).toMatchObject({ last })
    expect(folder.result).toEqual(last)
    expect(logged('cause').at(-1)).toEqual(['error', 'backup failed', FULL])
    expect(failures).toEqual([])
  })

  test('succeeds even if its result cannot be written', async () => {
    const { run, folder, backups, logged } = open()
    folder.writeResult = () => Promise.reject(new Error('EROFS: read-only file system'))
    await run()
    expect((await backups.status()).last).toMatchObject({ file: backupName(T) })
    expect(logged().map(([level]) => level)).toEqual(['info', 'warn'])
  })

  test('gets the next free name, and stays, if the clock was set back', async () => {
    const days = [T + DAY, T + 2 * DAY]
    const { run, folder } = open({ files: [T, T + 1, T + 3, ...days] })
    await run()
    expect(new Set(folder.files)).toEqual(new Set([T + 2, ...days].map(backupName)))
  })
})

test('nothing is made while backups are off, not even on request', async () => {
  const { run, backups, folder, noted } = open({ keep: 0 })
  await run()
  await backups.flush()
  expect(await reasonOf(backups.make(COMMAND_LINE))).toMatchObject({ code: 'backups_disabled' })
  expect([folder.files, await noted()]).toEqual([[], []])
  const off = { isOn: false, isRunning: false, isOverdue: false, last: undefined, nextAt: undefined, keep: 0 }
  expect(await backups.status()).toMatchObject(off)
})

describe('after a start', () => {
  test.each([
    ['without any backup', [], true],
    ['with the newest from before the last scheduled time', [T - 5 * DAY, T - DAY - 1], true],
    ['with the newest from that time', [T - 5 * DAY, T], false],
    // A clock that was wrong then says nothing about today.
    ['with all others dated in the future', [T + DAY, T + 400 * DAY], true],
    ['with one of today among those dated in the future', [T, T + 400 * DAY], false],
  ])('%s, %p, a backup is made: %p', async (_, files, isMade) => {
    const { backups, folder } = open({ files })
    await backups.flush()
    expect(folder.result).toEqual(isMade ? expect.objectContaining({ file: backupName(T) }) : undefined)
  })

  test('a failed backup is retried when the next one is due, not before', async () => {
    const { backups, folder, clock, start } = open()
    folder.script.make = failing(FULL)
    await backups.flush()
    folder.script.make = async () => 4096
    clock.advance(DAY - 1)
    await start().flush()
    expect(folder.files).toEqual([])
    clock.advance(1)
    await start().flush()
    expect(folder.files).toHaveLength(1)
  })

  test('leftovers of a killed backup are removed, even if backups are off', async () => {
    for (const keep of [0, 3]) {
      const { backups, folder } = open({ files: [T], keep })
      folder.leftovers.push(`${backupName(T)}.partial`)
      await backups.flush()
      expect(folder.leftovers).toEqual([])
    }
  })

  test('an unreadable folder is logged once a day, and is no internal error', async () => {
    const { backups, folder, logged, clock } = open()
    folder.script.list = failing('cannot read the folder of backups: ENOTDIR')
    await backups.flush()
    clock.advance(300)
    await backups.flush()
    expect(logged('cause')).toEqual([['error', 'backup failed', 'cannot read the folder of backups: ENOTDIR']])
    expect(await reasonOf(backups.list())).toMatchObject({ code: 'backup_failed' })
  })
})

describe('the last good backup', () => {
  const OVERDUE = ['warn', 'the last good backup is older than it should be', backupName(T)]

  test('is overdue once the schedule has passed twice, which is logged once', async () => {
    const { backups, folder, clock, logged } = open()
    await backups.flush()
    folder.script.make = failing(FULL)
    for (const isOverdue of [false, true, true]) {
      clock.advance(DAY)
      await backups.flush()
      const lastGood = { name: backupName(T), at: T, bytes: 4096 }
      expect(await backups.status()).toMatchObject({ isOverdue, lastGood, last: { cause: FULL } })
    }
    expect(logged('file').filter(([level]) => level === 'warn')).toEqual([OVERDUE])
    folder.script.make = async () => 4096
    clock.advance(DAY)
    await backups.flush()
    expect(await backups.status()).toMatchObject({ isOverdue: false, lastGood: { at: T + 4 * DAY } })
  })

  test('is missing if the first one fails, which is logged only as a failure', async () => {
    const { backups, folder, logged } = open()
    expect(await backups.status()).toMatchObject({ isOverdue: false, lastGood: undefined })
    folder.script.make = failing(FULL)
    await backups.flush()
    expect(await backups.status()).toMatchObject({ isOverdue: true, lastGood: undefined })
    expect(logged()).toEqual([['error', 'backup failed']])
  })

  test('still counts if it was moved away, and not with a date in the future', async () => {
    const { backups, folder, clock } = open()
    await backups.flush()
    folder.files.splice(0, 1, backupName(T + 400 * DAY))
    clock.advance(DAY)
    expect(await backups.status()).toMatchObject({ isOverdue: false, lastGood: { at: T } })
    folder.script.list = failing('cannot read the folder of backups: EACCES')
    expect(await backups.status()).toMatchObject({ isOverdue: false, lastGood: { at: T } })
  })
})

test('a stop aborts a backup, waits three seconds for it, and leaves it to the next start', async () => {
  const { backups, folder, hold, background, logged, start, clock, timer } = open()
  const held = hold()
  backups.run()
  await held.begun
  folder.leftovers.push('left')
  backups.stop()
  timer.pass(2999)
  expect(folder.calls).toEqual(['abort'])
  timer.pass(1)
  expect(folder.calls).toEqual(['abort', 'abandon'])
  held.reject(new BackupFailure('the server is stopping'))
  await background.idle()
  expect([folder.files, folder.leftovers, folder.result]).toEqual([[], [], undefined])
  expect(logged()).toEqual([['info', 'backup broken off: the server is stopping']])
  folder.script.make = async () => 4096
  clock.advance(60)
  await start().flush()
  expect(folder.files).toHaveLength(1)
})

describe('a requested backup', () => {
  test('is refused while another one is made, also if two are requested at once; no scheduled one starts', async () => {
    const { backups, hold, folder, timer } = open()
    const held = hold()
    const asked = [backups.make(COMMAND_LINE), backups.make(COMMAND_LINE)].map((made) => made.catch(String))
    await held.begun
    expect(await reasonOf(backups.make(COMMAND_LINE))).toMatchObject({ code: 'backup_running' })
    backups.run()
    await backups.flush()
    expect(await backups.status()).toMatchObject({ isRunning: true })
    held.resolve(4096)
    const results = await Promise.all(asked)
    expect(results).toContainEqual({ at: T, seconds: 0, file: backupName(T), bytes: 4096 })
    expect(results).toContainEqual(expect.stringContaining('a backup is already running'))
    expect([folder.files.length, timer.waiting]).toEqual([1, 0])
  })

  test('is answered before proxies time out, and still made', async () => {
    const { backups, hold, timer, background, folder } = open()
    const held = hold()
    const asked = backups.make(COMMAND_LINE)
    await held.begun
    timer.pass(45_000)
    expect(await asked).toBeUndefined()
    held.resolve(4096)
    await background.idle()
    expect(folder.files).toHaveLength(1)
  })
})

const NAME = 'podstep-20250302T100000Z.db'

test('the name of a backup is its start in UTC, and sorts by that', () => {
  expect(backupName(T)).toBe(NAME)
  expect([backupTime(NAME), isLeftover(NAME)]).toEqual([T, false])
  const times = [0, T - DAY, T - 1, T, T + 1, T + 3600, T + 365 * DAY]
  const names = times.map(backupName)
  expect(names.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(names)
  expect(names.map(backupTime)).toEqual(times)
})

const PARTIAL = [`${NAME}.partial`, `${NAME}.partial-journal`, NAME.replace('.db', '-before-migration.db.partial')]
const OTHERS = [...['-before-migration.db', '.db.gz'].map((end) => NAME.replace('.db', end)), 'last-backup.json']

test.each([...PARTIAL, ...OTHERS, 'podstep-20259902T100000Z.db', 'podstep-20250302.db', 'podstep.db'])(
  '%s is no backup, and a leftover only if it is half-written',
  (name) => {
    expect([backupTime(name), isLeftover(name)]).toEqual([undefined, PARTIAL.includes(name)])
  },
)
