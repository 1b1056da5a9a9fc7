import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type GroupedDevice, regroup } from '../../../src/domain/sync/sync-groups.ts'

/** Devices a to f; those in one word of `groups` are a group. */
function devicesIn(...groups: string[]): GroupedDevice[] {
  return ['a', 'b', 'c', 'd', 'e', 'f'].map((uid) => {
    const group = groups.findIndex((word) => word.includes(uid))
    return { uid, group: group < 0 ? undefined : group + 1 }
  })
}

/** Groups as words, which keeps tables readable. */
const words = (groups: readonly (readonly string[])[]) => groups.map((group) => group.join(''))

describe('regrouping devices', () => {
  test.each([
    ['nothing', [], [], '', [], []],
    ['a pair', [], ['ab'], '', ['ab'], ['ab']],
    ['one device: no effect', [], ['a'], '', [], []],
    ['one device of a group: no effect', ['ab'], ['a'], '', ['ab'], []],
    ['the same device twice: no effect', [], ['aa'], '', [], []],
    ['two pairs at once', [], ['ab', 'cd'], '', ['ab', 'cd'], ['ab', 'cd']],
    ['lists that share a device: one group', [], ['ab', 'bc'], '', ['abc'], ['abc']],
    ['lists joined by a third one', [], ['ab', 'cd', 'bc'], '', ['abcd'], ['abcd']],
    ['a device joins a group', ['ab'], ['bc'], '', ['abc'], ['abc']],
    ['two groups become one', ['ab', 'cd'], ['ac'], '', ['abcd'], ['abcd']],
    ['devices of one group: united again', ['abc'], ['ac'], '', ['abc'], ['abc']],
    ['a group that is not named stays as it is', ['ab', 'cd'], ['ef'], '', ['ab', 'cd', 'ef'], ['ef']],
    ['leaving a group of three', ['abc'], [], 'b', ['ac'], []],
    ['leaving a pair dissolves it', ['ab'], [], 'a', [], []],
    ['all leave', ['abc'], [], 'abc', [], []],
    ['leaving twice', ['abc'], [], 'bb', ['ac'], []],
    ['leaving without being in a group', ['ab'], [], 'c', ['ab'], []],
    ['joining and leaving: united, then out', [], ['abc'], 'c', ['ab'], ['abc']],
    ['joining, and all leaving: united all the same', [], ['ab'], 'ab', [], ['ab']],
    ['moving from one group to another merges both', ['ab', 'cd'], ['bc'], 'b', ['acd'], ['abcd']],
    ['groups are in the order of the devices', [], ['fca'], '', ['acf'], ['acf']],
  ])('%s', (_case, before, synchronize, stop, groups, merged) => {
    const result = regroup(devicesIn(...before), { synchronize: synchronize.map((list) => [...list]), stop: [...stop] })
    expect(words(result.groups)).toEqual(groups)
    expect(words(result.merged)).toEqual(merged)
  })

  test.each([
    ['in a list', [['a', 'x']], []],
    ['alone in a list', [['x']], []],
    ['in stop', [], ['a', 'x']],
  ])('refuses an unknown device %s, naming it', (_case, synchronize, stop) => {
    expect(() => regroup(devicesIn('ab'), { synchronize, stop })).toThrow(
      expect.objectContaining({ code: 'unknown_device', message: expect.stringContaining('x') }),
    )
  })
})

describe('properties of regrouping', () => {
  const uid = fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f', 'g')
  const devices = fc
    .uniqueArray(fc.record({ uid, group: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }) }), {
      selector: (device) => device.uid,
      minLength: 7,
      maxLength: 7,
    })
    .map(withoutLonelyGroups)
  const lists = fc.array(fc.array(uid, { maxLength: 4 }), { maxLength: 4 })
  const stop = fc.array(uid, { maxLength: 4 })

  test('groups are disjoint, have at least two devices and only known ones', () => {
    fc.assert(
      fc.property(devices, lists, stop, (before, synchronize, leave) => {
        const { groups } = regroup(before, { synchronize, stop: leave })
        const members = groups.flat()
        expect(new Set(members).size).toBe(members.length)
        expect(groups.every((group) => group.length >= 2)).toBe(true)
        expect(members.every((member) => before.some((device) => device.uid === member))).toBe(true)
        expect(members.filter((member) => leave.includes(member))).toEqual([])
      }),
    )
  })

  test('the order of lists, and of the devices in them, does not matter', () => {
    const shuffled = lists.chain((list) => {
      const turned = list.map((inner) => inner.toReversed())
      return fc.tuple(fc.constant(list), fc.shuffledSubarray(turned, { minLength: list.length }))
    })
    fc.assert(
      fc.property(devices, shuffled, stop, (before, [one, other], leave) => {
        const bySet = ({ merged, groups }: ReturnType<typeof regroup>) => [new Set(words(merged)), words(groups)]
        const first = regroup(before, { synchronize: one, stop: leave })
        expect(bySet(regroup(before, { synchronize: other, stop: leave.toReversed() }))).toEqual(bySet(first))
      }),
    )
  })

  test('all lists together have the effect of one after the other', () => {
    fc.assert(
      fc.property(devices, lists, (before, synchronize) => {
        let step = before
        for (const list of synchronize) step = regrouped(step, regroup(step, { synchronize: [list], stop: [] }).groups)
        const { groups } = regroup(before, { synchronize, stop: [] })
        expect(words(regroup(step, { synchronize: [], stop: [] }).groups)).toEqual(words(groups))
        // Requesting all of them again changes nothing.
        expect(regroup(regrouped(before, groups), { synchronize, stop: [] }).groups).toEqual(groups)
      }),
    )
  })

  test('devices that are merged end in one group unless they leave', () => {
    fc.assert(
      fc.property(devices, lists, stop, (before, synchronize, leave) => {
        const { merged, groups } = regroup(before, { synchronize, stop: leave })
        for (const union of merged) {
          const staying = union.filter((member) => !leave.includes(member))
          const expected = staying.length > 1 ? [staying] : []
          expect(groups.filter((group) => group.some((member) => union.includes(member)))).toEqual(expected)
        }
      }),
    )
  })
})

/** The devices after a regrouping, with other group numbers than before. */
function regrouped(before: readonly GroupedDevice[], groups: readonly (readonly string[])[]): GroupedDevice[] {
  return before.map(({ uid }) => {
    const index = groups.findIndex((group) => group.includes(uid))
    return { uid, group: index < 0 ? undefined : 100 + index }
  })
}

/** The database cannot contain a group of one. */
function withoutLonelyGroups(devices: readonly GroupedDevice[]): GroupedDevice[] {
  return devices.map(({ uid, group }) => {
    const size = devices.filter((device) => device.group === group).length
    return { uid, group: size > 1 ? group : undefined }
  })
}
