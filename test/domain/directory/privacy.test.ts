import { expect, test } from 'bun:test'
import { isHiddenFrom, isPrivatePodcast } from '../../../src/domain/directory/privacy.ts'

const BOTH = [false, true]
/** All combinations of facts about a podcast, apart from its subscribers. */
const FACTS = BOTH.flatMap((isSecret) =>
  BOTH.flatMap((isBlocked) => BOTH.map((isHiddenBySomebody) => ({ isSecret, isBlocked, isHiddenBySomebody }))),
)

/** Subscribers, how many of them publish and hide the podcast, and whether an open and a closed one is then private. */
const HELD: readonly (readonly [string, readonly [number, number, number], boolean | 'by history', boolean])[] = [
  ['nobody', [0, 0, 0], 'by history', true],
  ['all publish', [2, 2, 0], false, false],
  ['all hide', [2, 0, 2], true, true],
  ['no choice', [2, 0, 0], false, true],
  ['one publishes', [2, 1, 0], false, true],
  ['one hides', [2, 0, 1], false, true],
  ['one each', [2, 1, 1], false, true],
]

test.each(HELD)(
  'a podcast is private depending on its subscribers: %s',
  (_held, [subscribers, publishing, hiding], ofOpen, ofClosed) => {
    for (const facts of FACTS) {
      const open = ofOpen === 'by history' ? facts.isHiddenBySomebody : ofOpen
      const expected = facts.isSecret || facts.isBlocked ? ofClosed : open
      expect([facts, isPrivatePodcast({ ...facts, subscribers, publishing, hiding })]).toEqual([facts, expected])
    }
  },
)

test.each([
  ['public', false, false, false, true, false],
  ['private', true, false, false, true, true],
  ['private, to another user', true, false, false, false, true],
  ['private and own', true, true, false, false, false],
  ['in the private network', false, false, true, true, true],
  ['in the private network, to a user', false, false, true, false, false],
  ['in the private network and private', true, false, true, false, true],
  ['in the private network, private and own', true, true, true, false, false],
] as const)('a podcast that is %s is hidden: %p', (_what, isPrivate, isOwn, isInside, isAnonymous, expected) => {
  expect(isHiddenFrom({ isPrivate, isOwn, isInside, isAnonymous })).toBe(expected)
})
