import { expect, test } from 'bun:test'
import { placeByKey } from '../../src/web/components/layout/roving-keys.ts'

/** The controls of three cards. */
const COUNTS = [3, 3, 1]

const at = (place: string) => {
  const [card = 0, control = 0] = place.split('.').map(Number)
  return { card, control }
}

test.each([
  ['ArrowRight', '0.2', '1.2'],
  ['ArrowRight', '1.2', '2.0'],
  ['ArrowRight', '2.0', undefined],
  ['ArrowLeft', '2.0', '1.0'],
  ['ArrowLeft', '0.1', undefined],
  ['ArrowDown', '0.0', '0.1'],
  ['ArrowDown', '0.2', undefined],
  ['ArrowUp', '1.2', '1.1'],
  ['ArrowUp', '1.0', undefined],
  ['Home', '2.0', '0.0'],
  ['End', '0.1', '2.0'],
  ['Enter', '0.0', undefined],
])('among cards %s leads from %s to %p', (key, from, to) => {
  expect(placeByKey(key, at(from), COUNTS, false)).toEqual(to === undefined ? undefined : at(to))
})

test.each([
  ['ArrowLeft', '0.1', '1.1'],
  ['ArrowRight', '1.1', '0.1'],
])('from right to left %s leads from %s to %s', (key, from, to) => {
  expect(placeByKey(key, at(from), COUNTS, true)).toEqual(at(to))
})

test('a card without controls is not reached', () => {
  expect(placeByKey('ArrowRight', at('0.0'), [1, 0], false)).toBeUndefined()
})
