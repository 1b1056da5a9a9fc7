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

describe.each([
  { isSecret: false, isBlocked: false, isHiddenBySomebody: false },
  { isSecret: false, isBlocked: false, isHiddenBySomebody: true },
  { isSecret: true, isBlocked: false, isHiddenBySomebody: false },
  { isSecret: true, isBlocked: false, isHiddenBySomebody: true },
  { isSecret: false, isBlocked: true, isHiddenBySomebody: false },
  { isSecret: false, isBlocked: true, isHiddenBySomebody: true },
  { isSecret: true, isBlocked: true, isHiddenBySomebody: false },
  { isSecret: true, isBlocked: true, isHiddenBySomebody: true },
])('a podcast with $isSecret address, $isBlocked block, $isHiddenBySomebody history', (facts) => {
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
  { what: 'public', isPrivate: false, isOwn: false, isInside: false, isAnonymous: true, expected: false },
  { what: 'private', isPrivate: true, isOwn: false, isInside: false, isAnonymous: true, expected: true },
  { what: 'private to others', isPrivate: true, isOwn: false, isInside: false, isAnonymous: false, expected: true },
  { what: 'private and own', isPrivate: true, isOwn: true, isInside: false, isAnonymous: false, expected: false },
  { what: 'inside', isPrivate: false, isOwn: false, isInside: true, isAnonymous: true, expected: true },
  { what: 'inside, for users', isPrivate: false, isOwn: false, isInside: true, isAnonymous: false, expected: false },
  { what: 'inside and private', isPrivate: true, isOwn: false, isInside: true, isAnonymous: false, expected: true },
  {
    what: 'inside, private and own',
    isPrivate: true,
    isOwn: true,
    isInside: true,
    isAnonymous: false,
    expected: false,
  },
])('what is $what is hidden: $expected', ({ expected, what: _what, ...viewing }) => {
  expect(isHiddenFrom(viewing)).toBe(expected)
})
