import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { regroup } from '../../src/domain/sync/sync-groups.ts'
import { previewGroup, previewRemoval } from '../../src/web/pages/devices/group-preview.tsx'
import { applyEdit, appsByDevice, type Groups, requestsOf } from '../../src/web/pages/devices/groups.ts'

/** Groups are written as words, with a letter for each device. */
const letters = (word: string) => word.split('')
const groupsIn = (words: readonly string[]): Groups => words.map(letters)

/** Applies the rules of the server to each request. */
function applied(groups: Groups, edit: { edited: readonly string[]; devices: readonly string[] }) {
  let now = groups
  const united: string[] = []
  for (const request of requestsOf(groups, edit)) {
    const before = now
    const devices = letters('abcdef').map((uid) => {
      const group = before.findIndex((group) => group.includes(uid))
      return { uid, group: group < 0 ? undefined : group }
    })
    const { synchronize = [], 'stop-synchronize': stop = [] } = request
    const after = regroup(devices, { synchronize, stop })
    united.push(...after.merged.flat())
    now = after.groups
  }
  return { groups: now, united }
}

const sorted = (groups: Groups) => groups.map((group) => group.toSorted().join('')).toSorted()

describe('the groups after an edit', () => {
  test.each([
    ['a new pair', [], '', 'ab', ['ab'], 'sync ab'],
    ['an added device', ['ab'], 'ab', 'abc', ['abc'], 'sync abc'],
    ['a removed device', ['abc'], 'abc', 'ab', ['ab'], 'stop c'],
    ['a replaced device leaves before the new one joins', ['abc'], 'abc', 'abd', ['abd'], 'stop c, sync abd'],
    ['a device moves from another group', ['ab', 'cde'], 'ab', 'abc', ['abc', 'de'], 'stop c, sync abc'],
    ['a group of one device is dissolved', ['ab', 'cd'], 'ab', 'abc', ['abc'], 'stop c, sync abc'],
    ['a new group out of two', ['ab', 'cd'], '', 'ac', ['ac'], 'stop ac, sync ac'],
    ['a group reduced to a device of another group', ['ab', 'cd'], 'ab', 'c', ['cd'], 'stop ab'],
  ] as const)('%s', (_, before, edited, devices, after, requests) => {
    const groups = groupsIn(before)
    const edit = { edited: letters(edited), devices: letters(devices) }
    expect(sorted(applyEdit(groups, edit))).toEqual([...after])
    const sent = requestsOf(groups, edit).map(({ synchronize, 'stop-synchronize': stop }) =>
      synchronize ? `sync ${synchronize.flat().join('')}` : `stop ${(stop ?? []).join('')}`,
    )
    expect(sent.join(', ')).toBe(requests)
    expect(sorted(applied(groups, edit).groups)).toEqual([...after])
  })

  test('are those the server makes of the requests, which merge no other lists', () => {
    const places = fc.array(fc.constantFrom(0, 1, 2), { minLength: 6, maxLength: 6 })
    const chosen = fc.subarray(letters('abcdef'))
    fc.assert(
      fc.property(places, chosen, fc.constantFrom(0, 1, 2), (place, devices, which) => {
        const all = [1, 2].map((number) => letters('abcdef').filter((_, index) => place[index] === number))
        const groups = all.filter((group) => group.length > 1)
        const edit = { edited: groups[which] ?? [], devices }
        const { groups: after, united } = applied(groups, edit)
        expect(sorted(after)).toEqual(sorted(applyEdit(groups, edit)))
        expect(united.filter((device) => !devices.includes(device))).toEqual([])
      }),
      { seed: 7 },
    )
  })
})

/** Podcasts with the devices that have them. */
const PODCASTS = ['fog p', 'tide p', 'gulls pl', 'chess l', 'moss d'].map((text) => {
  const [title = '', devices = ''] = text.split(' ')
  return { url: `https://${title}.example/`, title, devices: letters(devices) }
})

describe('the preview of an edit (docs/protocol.md#D35)', () => {
  test.each([
    ['two devices get the podcasts of each other', [], '', 'pl', ['l: fog tide', 'p: chess'], 4, ''],
    ['three devices', [], '', 'pld', ['d: fog tide gulls chess', 'l: fog tide moss', 'p: chess moss'], 5, ''],
    ['an unchanged group', ['pl'], 'pl', 'pl', ['p:', 'l:'], 4, ''],
    ['a device that leaves', ['pld'], 'pld', 'pl', ['p:', 'l:'], 4, 'd'],
    ['a device of another group leaves its partner alone', ['pl'], '', 'pd', ['d: fog tide gulls', 'p: moss'], 4, 'l'],
  ] as const)('%s', (_, groups, edited, devices, expected, total, released) => {
    const edit = { edited: letters(edited), devices: letters(devices) }
    const preview = previewGroup(PODCASTS, groupsIn(groups), edit)
    const gains = preview.gains.map(({ device, podcasts }) => [`${device}:`, ...podcasts.map(({ title }) => title)])
    expect(gains.map((words) => words.join(' '))).toEqual([...expected])
    expect([preview.total, preview.released.join('')]).toEqual([total, released])
  })

  test('lists the podcasts lost with a device, which no other device has', () => {
    const { lost, kept } = previewRemoval(PODCASTS, 'p')
    expect([lost.map(({ title }) => title), kept]).toEqual([['fog', 'tide'], 1])
  })
})

test('each device has the app that used it last', () => {
  const uses = [
    { device: null, app: 'Kasts', by: 'app' },
    { device: 'phone', app: 'Firefox on Android', by: 'browser' },
    { device: 'phone', app: '', by: 'app' },
    { device: 'phone', app: 'AntennaPod', by: 'app' },
    { device: 'desk', app: 'gPodder', by: 'app' },
    { device: 'phone', app: 'Podcini', by: 'app' },
  ] as const
  expect(Object.fromEntries(appsByDevice(uses))).toEqual({ phone: 'AntennaPod', desk: 'gPodder' })
})
