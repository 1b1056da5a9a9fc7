import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { nameOfDay } from '../../src/web/locales/calendar.ts'
import { setLanguage } from '../../src/web/locales/index.ts'
import { alsoUndone, appOf, type Change, kindOf, restoreBefore } from '../../src/web/pages/activity/changes.ts'

const NOON = 1_740_909_600

function change(id: number, device: string | null, overrides: Partial<Change> = {}): Change {
  const counts = { added: [], added_count: 1, removed: [], removed_count: 0 }
  const names = { device_caption: '', app: '', kind: 'upload', text: '' }
  return { id, time: NOON + id, device, can_undo: true, ...counts, ...names, ...overrides }
}

const GROUPS = [['phone', 'laptop']]

describe('undoing a change also undoes', () => {
  const wipe = change(5, 'phone')
  test.each<readonly [string, Change, boolean]>([
    ['a later change of the same device', change(6, 'phone'), true],
    ['a later change of a device with the same list', change(6, 'laptop'), true],
    ['a later change of several devices', change(6, null), true],
    ['another one of the same second', change(4, 'phone', { time: wipe.time }), true],
    ['no earlier one', change(4, 'phone'), false],
    ['none of a device with another list', change(6, 'tablet'), false],
    ['none that left the list unchanged', change(6, 'phone', { added_count: 0 }), false],
  ])('%s', (_, other, isUndone) => {
    expect(alsoUndone([other, wipe], wipe, GROUPS)).toEqual(isUndone ? [other] : [])
  })

  test('every later change if it affects all devices', () => {
    const all = change(5, null)
    expect(alsoUndone([change(7, 'tablet'), change(6, 'phone'), all], all, GROUPS).map(({ id }) => id)).toEqual([7, 6])
  })
})

test('a change is undone by restoring the second before it', () => {
  expect(restoreBefore(change(0, 'phone'))).toEqual({ device: 'phone', time: NOON - 1 })
})

test('unknown kinds of changes have a general description', () => {
  expect(['replace', 'join', 'tomorrow'].map((kind) => kindOf({ kind }))).toEqual(['changed', 'joined', 'changed'])
})

test('the app of a change is named unless the device has the same name', async () => {
  await setLanguage('en')
  const by = (app: string, caption: string) => appOf(change(1, 'phone', { app, device_caption: caption }))
  expect(by('AntennaPod 3.9', 'Phone')).toBe('AntennaPod 3.9')
  expect(by('Firefox on Linux', 'Firefox on Linux')).toBe('')
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
