import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { nameOfDay } from '../../src/web/locales/calendar.ts'
import { setLanguage } from '../../src/web/locales/index.ts'
import { alsoUndone, appOf, byDay, type Change, kindOf, restoreBefore } from '../../src/web/pages/activity/changes.ts'

const NOON = 1_740_909_600

function change(id: number, device: string | null, overrides: Partial<Change> = {}): Change {
  const counts = { added: [], added_count: 1, removed: [], removed_count: 0 }
  const names = { device_caption: '', app: '', kind: 'upload', text: '' }
  return { id, time: NOON + id, device, can_undo: true, ...counts, ...names, ...overrides }
}

const GROUPS = [['phone', 'laptop']]

describe('taking a change back takes back as well', () => {
  const wipe = change(5, 'phone')
  test.each<readonly [string, Change, boolean]>([
    ['a later change of the same device', change(6, 'phone'), true],
    ['a later change of a device with the same list', change(6, 'laptop'), true],
    ['a later change of several devices', change(6, null), true],
    ['one of the same second', change(4, 'phone', { time: wipe.time }), true],
    ['not an earlier one', change(4, 'phone'), false],
    ['not one of a device with a list of its own', change(6, 'tablet'), false],
    ['not one that left the list as it was', change(6, 'phone', { added_count: 0 }), false],
  ])('%s', (_, other, isUndone) => {
    expect(alsoUndone([other, wipe], wipe, GROUPS)).toEqual(isUndone ? [other] : [])
  })

  test('for all devices, every later change', () => {
    const all = change(5, null)
    expect(alsoUndone([change(7, 'tablet'), change(6, 'phone'), all], all, GROUPS).map(({ id }) => id)).toEqual([7, 6])
  })
})

test('a change is taken back by restoring the second before it', () => {
  expect(restoreBefore(change(0, 'phone'))).toEqual({ device: 'phone', time: NOON - 1 })
})

test('a kind of change that is not known is told by what it did', () => {
  expect(['replace', 'join', 'tomorrow'].map((kind) => kindOf({ kind }))).toEqual(['changed', 'joined', 'changed'])
})

test('the app of a change is named unless the device is called the same', async () => {
  await setLanguage('en')
  const by = (app: string, caption: string) => appOf(change(1, 'phone', { app, device_caption: caption }))
  expect(by('AntennaPod 3.9', 'Phone')).toBe('AntennaPod 3.9')
  expect(by('Firefox on Linux', 'Firefox on Linux')).toBe('')
})

test('a timeline has a heading for each day', () => {
  const days = byDay([{ time: 9 }, { time: 8 }, { time: 3 }], (time) => (time > 5 ? 'today' : 'yesterday'))
  expect(days.map(({ day, items }) => `${day} ${items.length}`)).toEqual(['today 2', 'yesterday 1'])
})

describe('a day is called', () => {
  const now = new Date(2026, 10, 23, 0, 30)
  test.each([
    ['en', new Date(2026, 10, 23, 0, 1), 'Today'],
    ['de', new Date(2026, 10, 22, 23, 59), 'Gestern'],
    ['en', new Date(2026, 10, 21), 'Saturday'],
    ['fr', new Date(2026, 10, 17), 'Mardi'],
    ['es', new Date(2026, 10, 16), '16 de noviembre'],
    ['en', new Date(2025, 11, 31), 'December 31, 2025'],
  ])('%s %p: %s', (locale, day, name) => {
    expect(nameOfDay(day, now, locale)).toBe(name)
  })
})
