import { describe, expect, test } from 'bun:test'
import { isHiddenFrom, isPrivatePodcast } from '../../../src/domain/directory/privacy.ts'

type Held = 'nobody' | 'all publish' | 'all hide' | 'no choice' | 'one publishes' | 'one hides' | 'one each'

/** Subscribers, and how many of them publish and hide it. */
const COUNTS: Record<Held, readonly [number, number, number]> = {
  nobody: [0, 0, 0],
  'all publish': [2, 2, 0],
  'all hide': [2, 0, 2],
  'no choice': [2, 0, 0],
  'one publishes': [2, 1, 0],
  'one hides': [2, 0, 1],
  'one each': [2, 1, 1],
}

const BOTH = [false, true]

describe.each(
  BOTH.flatMap((isSecret) =>
    BOTH.flatMap((isBlocked) => BOTH.map((isHiddenBySomebody) => ({ isSecret, isBlocked, isHiddenBySomebody }))),
  ),
)('a podcast with $isSecret address, $isBlocked block, $isHiddenBySomebody history', (facts) => {
  const isClosed = facts.isSecret || facts.isBlocked
  test.each<[held: Held, ofOpen: boolean, ofClosed: boolean]>([
    ['nobody', facts.isHiddenBySomebody, true],
    ['all publish', false, false],
    ['all hide', true, true],
    ['no choice', false, true],
    ['one publishes', false, true],
    ['one hides', false, true],
    ['one each', false, true],
  ])('had with: %s', (held, ofOpen, ofClosed) => {
    const [subscribers, publishing, hiding] = COUNTS[held]
    expect(isPrivatePodcast({ ...facts, subscribers, publishing, hiding })).toBe(isClosed ? ofClosed : ofOpen)
  })
})

test.each([
  ['public', false, false, false, true, false],
  ['private', true, false, false, true, true],
  ['private to others', true, false, false, false, true],
  ['private and own', true, true, false, false, false],
  ['inside', false, false, true, true, true],
  ['inside, for users', false, false, true, false, false],
  ['inside and private', true, false, true, false, true],
  ['inside, private and own', true, true, true, false, false],
] as const)('what is %s is hidden: %p', (_what, isPrivate, isOwn, isInside, isAnonymous, expected) => {
  expect(isHiddenFrom({ isPrivate, isOwn, isInside, isAnonymous })).toBe(expected)
})
