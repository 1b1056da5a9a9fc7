import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { type ActiveApp, createActivityLog, type NotedActivity } from '../../../src/domain/sync/activity/activity.ts'
import { isOneRow, mergeActivity, pageOfActivity } from '../../../src/domain/sync/activity/fold.ts'
import type { Activity, UserActivity } from '../../../src/domain/sync/activity/ports.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { T } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { reasonOf } from '../../support/values.ts'

const IDA = 1 as UserId
const OLE = 12 as UserId
const HOUR = 3600
const POLL = { userId: IDA, kind: 'fetched_changes', userAgent: 'AntennaPod/3.9', isBrowser: false } as const
const GUESS = { ...POLL, kind: 'refused', reason: 'invalid_credentials' } as const

const row = (rest: Partial<Activity> = {}): Activity => ({
  ...{ kind: 'fetched_changes', reason: undefined, device: 'phone', app: 'AntennaPod', isBrowser: false },
  ...{ firstAt: T, lastAt: T, count: 1, added: 0, removed: 0, items: 0 },
  ...rest,
})

/** A log over a store whose writes can be held or made to fail. */
function open() {
  const clock = fakeClock(T)
  const faults: unknown[] = []
  const background = createBackground((error) => faults.push(error))
  const saved: (readonly UserActivity[])[] = []
  let write = async (): Promise<void> => undefined
  const removals = [500, 500, 7]
  const log = createActivityLog(
    {
      list: async () => ({ rows: [], captions: new Map([['phone', 'Pixel']]), namesApps: true }),
      async save(rows) {
        await write()
        saved.push(rows)
      },
      removeOld: async () => removals.shift() ?? 0,
    },
    clock,
    background,
  )
  const setWrite = (next: typeof write) => {
    write = next
  }
  const note = (...some: (ActiveApp & NotedActivity)[]) => {
    for (const each of some) log.note(each, each)
  }
  const list = async (userId = IDA) => (await log.list(userId, undefined)).items
  return { clock, log, note, list, saved, background, faults, setWrite, removals }
}

const FULL_DISK = new DomainError('unavailable', 'the disk is full')

describe('waiting activity', () => {
  test('is listed at once, with names of devices, and while it is being written', async () => {
    const { log, note, list, saved, setWrite } = open()
    note({ ...POLL, device: 'phone', added: 2 }, { ...POLL, device: 'phone', removed: 1 }, { ...POLL, device: 'gone' })
    const expected = [
      { device: 'phone', caption: 'Pixel', count: 2, added: 2, removed: 1 },
      { device: 'gone', caption: '', count: 1 },
    ]
    expect(await list()).toMatchObject(expected)
    expect(await list(OLE)).toEqual([])
    const { promise, resolve } = Promise.withResolvers<void>()
    setWrite(() => promise)
    const saving = log.save()
    expect(log.save()).toBe(saving)
    note({ ...POLL, device: 'gone' })
    expect(await list()).toMatchObject([expected[0], { ...expected[1], count: 2 }].filter((each) => each !== undefined))
    resolve()
    await saving
    expect(saved).toMatchObject([[{ count: 2 }, { count: 1 }]])
    expect(await list()).toMatchObject([{ device: 'gone', count: 1 }])
    await log.save()
    await log.save()
    expect(saved).toHaveLength(2)
  })

  test('survives a full disk together with later activity, and is not written twice', async () => {
    const { clock, log, note, list, saved, setWrite } = open()
    for (let n = 0; n < 150; n++) note({ ...POLL, userId: (n + 1) as UserId })
    let writes = 0
    setWrite(async () => {
      if (++writes === 2) {
        note(POLL, { ...POLL, userId: 150 as UserId })
        throw FULL_DISK
      }
    })
    await log.save()
    expect(saved.map(({ length }) => length)).toEqual([100])
    expect(await list(150 as UserId)).toMatchObject([{ count: 2 }])
    clock.advance(2 * HOUR)
    note({ ...POLL, userId: 150 as UserId })
    expect(await list(150 as UserId)).toMatchObject([{ count: 1 }, { count: 2 }])
    await log.save()
    const rows = saved.flat().map(({ userId, count }) => `${userId}: ${count}`)
    expect(rows).toHaveLength(152)
    expect(rows.filter((each) => /^(?:1|150): /.test(each)).sort()).toEqual(['150: 1', '150: 2', '1: 1', '1: 1'])
  })

  test('does not hide an internal error', async () => {
    const { log, note, setWrite } = open()
    note(POLL)
    setWrite(() => Promise.reject(new Error('bug')))
    expect(await reasonOf(log.save())).toMatchObject({ message: 'bug' })
  })

  test('is bounded: first apps and devices of a user are merged, then rows are dropped', async () => {
    const { log, note, list, saved, setWrite, background } = open()
    setWrite(() => Promise.reject(FULL_DISK))
    for (let n = 0; n < 5000; n++)
      note({ ...POLL, userAgent: `App ${n}`, device: `d${n}` }, { ...GUESS, userAgent: `${n}` })
    await background.idle()
    const own = await list()
    expect(own).toHaveLength(101 + 21)
    expect(own.filter(({ app }) => app === undefined).map(({ kind, count }) => [kind, count])).toEqual([
      ['refused', 4980],
      ['fetched_changes', 4900],
    ])
    for (let n = 0; n < 5000; n++) note({ ...GUESS, userId: (n + 100) as UserId })
    await background.idle()
    // Refusals take no room from other activity.
    note({ ...POLL, userId: OLE })
    expect(await list(OLE)).toHaveLength(1)
    for (let n = 0; n < 12_000; n++) note({ ...POLL, userId: (n + 100) as UserId })
    await background.idle()
    setWrite(async () => undefined)
    await log.save()
    const kinds = Map.groupBy(saved.flat(), ({ kind }) => kind)
    expect(kinds.get('refused')).toHaveLength(500)
    expect(kinds.get('fetched_changes')).toHaveLength(10_000)
  })

  test('is written early if there is much of it', async () => {
    const { note, saved, background } = open()
    for (let n = 0; n < 10_000; n++) note({ ...POLL, userId: (n + 1) as UserId })
    await background.idle()
    expect(saved.flat()).toHaveLength(10_000)
  })

  test('copes with any number of User-Agents', async () => {
    const { note, list } = open()
    for (let n = 0; n < 1001; n++) note({ ...POLL, userId: OLE, userAgent: `App${n}/1` })
    note(
      { ...POLL, userAgent: '' },
      { ...POLL, userAgent: '' },
      { ...POLL, userAgent: `AntennaPod/${'9'.repeat(5000)}` },
    )
    expect((await list()).map(({ app, count }) => [app, count])).toEqual([
      [undefined, 2],
      ['AntennaPod', 1],
    ])
  })

  test('continues in one row, even with new versions of the app, until a pause or for a day', async () => {
    const { clock, note, list } = open()
    const versions = ['AntennaPod/3.9', 'AntennaPod/3.10', `AntennaPod/${'9'.repeat(300)}`, 'AntennaPod/3.10']
    for (const userAgent of versions) {
      clock.advance(60)
      note({ ...POLL, userAgent, added: 1, removed: 2, items: 3 })
    }
    expect(await list()).toMatchObject([
      { firstAt: T + 60, lastAt: T + 240, count: 4, added: 4, removed: 8, items: 12 },
    ])
    note({ ...POLL, isBrowser: true }, { ...POLL, kind: 'fetched_actions' }, { ...GUESS, reason: 'forbidden' }, GUESS)
    expect((await list()).map(({ count }) => count)).toEqual([4, 1, 1, 1, 1])
    // The clock went back.
    clock.advance(-120)
    note(POLL)
    expect(await list()).toContainEqual(expect.objectContaining({ firstAt: T + 60, lastAt: T + 240, count: 5 }))
    for (let hour = 1; hour <= 25; hour++) {
      clock.advance(HOUR)
      note(POLL)
    }
    const days = (await list()).filter(({ kind, isBrowser }) => kind === 'fetched_changes' && !isBrowser)
    expect(days.map(({ count }) => count)).toEqual([2, 28])
    clock.advance(HOUR + 1)
    note(POLL)
    expect(await list()).toHaveLength(4 + 3)
  })

  test('is cleaned up in batches', async () => {
    const { log, removals } = open()
    await log.clean()
    expect(removals).toEqual([])
  })
})

describe('rows of activity', () => {
  test.each([
    ['at the same time', {}, {}, true],
    ['an hour later', {}, { firstAt: T + HOUR, lastAt: T + HOUR }, true],
    ['more than an hour later', {}, { firstAt: T + HOUR + 1, lastAt: T + HOUR + 1 }, false],
    ['an hour earlier, since the clock went back', {}, { firstAt: T - HOUR, lastAt: T - HOUR }, true],
    ['over a day', { lastAt: T + 24 * HOUR }, { firstAt: T + 24 * HOUR, lastAt: T + 24 * HOUR }, true],
    ['over more than a day', { lastAt: T + 24 * HOUR }, { firstAt: T + HOUR, lastAt: T + 24 * HOUR + 1 }, false],
  ])('are one, or not: %s', (_when, one, other, isOne) => {
    expect(isOneRow(row(one), row(other))).toBe(isOne)
    expect(isOneRow(row(other), row(one))).toBe(isOne)
  })

  test('are merged with stored ones by kind, reason, device, app and browser, newest first', () => {
    const later = { firstAt: T + 10, lastAt: T + 10 }
    const stored = [row({ count: 7 }), row({ firstAt: T - 9 * HOUR, lastAt: T - 9 * HOUR, count: 100 })]
    const others: Partial<Activity>[] = [
      { kind: 'fetched_actions' },
      { device: 'desk' },
      { device: undefined },
      { app: 'Kasts' },
      { app: undefined },
      { isBrowser: true },
      { kind: 'refused', reason: 'forbidden' },
      { kind: 'refused', reason: 'rate_limited' },
    ]
    const merged = mergeActivity(stored, [row(later), ...others.map((other) => row({ ...other, ...later }))], 0)
    expect(merged).toHaveLength(2 + others.length)
    expect(merged[0]).toEqual(row({ lastAt: T + 10, count: 8 }))
    expect(merged.at(-1)).toMatchObject({ count: 100 })
  })

  test('are limited in number and age; refusals have a limit of their own', () => {
    const many = Array.from({ length: 1500 }, (_, n) => row({ firstAt: T - n, lastAt: T - n, device: `d${n}` }))
    const refused = many.map((each) => ({ ...each, kind: 'refused' as const, reason: 'forbidden' as const }))
    const merged = mergeActivity([...many, ...refused], [], 0)
    expect(Map.groupBy(merged, ({ kind }) => kind).get('refused')).toHaveLength(200)
    expect(merged).toHaveLength(1000)
    expect(mergeActivity(many, [], T - 9)).toHaveLength(10)
  })

  test('are paged by the second', () => {
    const rows = Array.from({ length: 250 }, (_, n) => row({ lastAt: T - Math.floor(n / 60) }))
    const first = pageOfActivity(rows, undefined)
    expect([first.items.length, first.next]).toEqual([120, T - 1])
    const second = pageOfActivity(rows, first.next)
    expect([second.items.length, second.next]).toEqual([120, T - 3])
    const third = pageOfActivity(rows, second.next)
    expect([third.items.length, third.next]).toEqual([10, undefined])
    expect(pageOfActivity(rows.slice(0, 120), undefined).next).toBeUndefined()
    expect(pageOfActivity([], T)).toEqual({ items: [], next: undefined })
  })
})
