import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { regroup } from '../../src/domain/sync/sync-groups.ts'
import {
  applyEdit,
  type GroupEdit,
  type Groups,
  groupOf,
  isSame,
  joinGroup,
  leaveGroup,
  requestsOf,
} from '../../src/web/pages/devices/groups.ts'

/** Groups and devices as words, a letter each, so that a table stays readable. */
const letters = (word: string) => word.split('')
const groupsIn = (words: readonly string[]): Groups => words.map(letters)

/** The server's own rules, request by request. */
function applied(groups: Groups, wish: { edited: readonly string[]; devices: readonly string[] }) {
  let now = groups
  const united: string[] = []
  for (const request of requestsOf(groups, wish)) {
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

describe('the groups after a wish', () => {
  test.each([
    ['a new pair', [], '', 'ab', ['ab'], [['sync', 'ab']]],
    ['one more device', ['ab'], 'ab', 'abc', ['abc'], [['sync', 'abc']]],
    ['one device less', ['abc'], 'abc', 'ab', ['ab'], [['stop', 'c']]],
    ['nothing changes', ['ab'], 'ab', 'ab', ['ab'], []],
    ['less than two are no group', ['ab'], 'ab', 'a', [], [['stop', 'ab']]],
    ['nobody is left', ['abc'], 'abc', '', [], [['stop', 'abc']]],
    ['a new group of one is none', [], '', 'a', [], []],
    [
      'one for another: out before the new one comes',
      ['abc'],
      'abc',
      'abd',
      ['abd'],
      [
        ['stop', 'c'],
        ['sync', 'abd'],
      ],
    ],
    [
      'a device of another group moves',
      ['ab', 'cde'],
      'ab',
      'abc',
      ['abc', 'de'],
      [
        ['stop', 'c'],
        ['sync', 'abc'],
      ],
    ],
    [
      'what it leaves alone is no group',
      ['ab', 'cd'],
      'ab',
      'abc',
      ['abc'],
      [
        ['stop', 'c'],
        ['sync', 'abc'],
      ],
    ],
    ['a whole other group comes along', ['ab', 'cd'], 'ab', 'abcd', ['abcd'], [['sync', 'abcd']]],
    [
      'a new group out of two',
      ['ab', 'cd'],
      '',
      'ac',
      ['ac'],
      [
        ['stop', 'ac'],
        ['sync', 'ac'],
      ],
    ],
    ['one that is in another group and alone here stays there', ['ab', 'cd'], 'ab', 'c', ['cd'], [['stop', 'ab']]],
    ['a group that is not touched', ['ab', 'cd'], 'ab', 'abe', ['abe', 'cd'], [['sync', 'abe']]],
  ] as const)('%s', (_, before, edited, devices, after, requests) => {
    const groups = groupsIn(before)
    const wish = { edited: letters(edited), devices: letters(devices) }
    expect(sorted(applyEdit(groups, wish))).toEqual([...after])
    const asked = requestsOf(groups, wish).map(({ synchronize, 'stop-synchronize': stop }) =>
      synchronize ? ['sync', synchronize.flat().join('')] : ['stop', (stop ?? []).join('')],
    )
    expect(asked).toEqual(requests.map((request) => [...request]))
    expect(sorted(applied(groups, wish).groups)).toEqual([...after])
  })

  test('the server makes of the requests what was promised, and unites nobody who is not a member', () => {
    const places = fc.array(fc.constantFrom(0, 1, 2), { minLength: 6, maxLength: 6 })
    const chosen = fc.subarray(letters('abcdef'))
    fc.assert(
      fc.property(places, chosen, fc.constantFrom(0, 1, 2), (place, devices, which) => {
        const all = [1, 2].map((number) => letters('abcdef').filter((_, index) => place[index] === number))
        const groups = all.filter((group) => group.length > 1)
        const wish = { edited: groups[which] ?? [], devices }
        const { groups: after, united } = applied(groups, wish)
        expect(sorted(after)).toEqual(sorted(applyEdit(groups, wish)))
        expect(united.filter((device) => !devices.includes(device))).toEqual([])
      }),
      { seed: 7 },
    )
  })
})

test('the group of a device is itself if it is in none', () => {
  expect(groupOf(groupsIn(['ab']), 'b')).toEqual(['a', 'b'])
  expect(groupOf(groupsIn(['ab']), 'c')).toEqual(['c'])
})

test.each([
  ['ab', 'ba', true],
  ['ab', 'abc', false],
  ['ab', 'ac', false],
  ['', '', true],
])('%p and %p are the same devices: %p', (a, b, expected) => {
  expect(isSame(letters(a), letters(b))).toBe(expected)
})

describe('dropping a device', () => {
  test.each([
    ['on one that is alone: a new group', ['ab'], 'c', 'd', { edited: '', devices: 'dc' }],
    ['on a group: it joins', ['ab'], 'c', 'b', { edited: 'ab', devices: 'abc' }],
    ['from one group on another: it moves', ['ab', 'cd'], 'c', 'a', { edited: 'ab', devices: 'abc' }],
    ['from a group on one that is alone: a new group', ['ab'], 'a', 'c', { edited: '', devices: 'ca' }],
    ['on its own group: nothing', ['ab'], 'a', 'b', undefined],
    ['on itself: nothing', [], 'a', 'a', undefined],
  ] as const)('%s', (_, groups, device, target, wish) => {
    expect(inWords(joinGroup(groupsIn(groups), device, target))).toEqual(wish)
  })

  test.each([
    ['out of a group', ['abc'], 'b', { edited: 'abc', devices: 'ac' }],
    ['out of none: nothing', ['ab'], 'c', undefined],
  ] as const)('%s', (_, groups, device, wish) => {
    expect(inWords(leaveGroup(groupsIn(groups), device))).toEqual(wish)
  })
})

function inWords(wish: GroupEdit | undefined) {
  return wish && { edited: wish.edited.join(''), devices: wish.devices.join('') }
}
