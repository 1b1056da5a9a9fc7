import { describe, expect, test } from 'bun:test'
import {
  changesBetween,
  deviceSets,
  invert,
  mergeByGroup,
  removeEverywhere,
} from '../../src/web/store/subscription-changes.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const OTHER = 'https://feeds.tidewater.example/kitchen.xml'

describe('what leads from the devices that have a feed to those that shall', () => {
  test.each([
    ['none to two', [], ['phone', 'desk'], ['+phone', '+desk']],
    ['two to none', ['phone', 'desk'], [], ['-phone', '-desk']],
    ['one to another', ['phone'], ['desk'], ['+desk', '-phone']],
    ['nothing', ['phone'], ['phone'], []],
  ])('%s', (_, has, wanted, expected) => {
    const changes = changesBetween(FEED, new Set(has), new Set(wanted))
    expect(changes.map(({ device, add }) => `${add.includes(FEED) ? '+' : '-'}${device}`)).toEqual(expected)
    expect(changes.every(({ add, remove }) => add.length + remove.length === 1)).toBe(true)
  })

  test('the opposite puts in what was taken out', () => {
    const changes = changesBetween(FEED, new Set(['phone']), new Set(['desk']))
    expect(invert(invert(changes))).toEqual(changes)
    expect(invert(changes)).toEqual([
      { device: 'desk', add: [], remove: [FEED] },
      { device: 'phone', add: [FEED], remove: [] },
    ])
  })
})

test('feeds are taken off those devices that have them, each device once', () => {
  const holders = new Map([
    [FEED, new Set(['phone', 'desk'])],
    [OTHER, new Set(['phone'])],
  ])
  expect(removeEverywhere([FEED, OTHER, 'https://unknown.example/'], holders)).toEqual([
    { device: 'phone', add: [], remove: [FEED, OTHER] },
    { device: 'desk', add: [], remove: [FEED] },
  ])
})

describe('devices that keep the same list are chosen together', () => {
  const named = (id: string) => ({ id })
  test.each([
    ['all by themselves', 'abc', [], ['a', 'b', 'c']],
    ['a group where its first device stands', 'abc', ['ca'], ['ac', 'b']],
    ['two groups', 'abcd', ['db', 'ac'], ['ac', 'bd']],
    ['a group with a device nobody knows', 'ab', ['bx'], ['a', 'b']],
    ['no devices', '', ['ab'], []],
  ])('%s', (_, devices, groups, expected) => {
    const units = deviceSets(
      devices.split('').map(named),
      groups.map((group) => group.split('')),
    )
    expect(units.map((unit) => unit.map(({ id }) => id).join(''))).toEqual(expected)
  })
})

test('one change is left for each sync group and for each device in none', () => {
  const changes = [
    { device: 'phone', add: [FEED], remove: [] },
    { device: 'car', add: [FEED], remove: [] },
    { device: 'desk', add: [FEED, OTHER], remove: [] },
  ]
  expect(mergeByGroup(changes, [['desk', 'phone']])).toEqual([
    { device: 'phone', add: [FEED, OTHER], remove: [] },
    { device: 'car', add: [FEED], remove: [] },
  ])
})
