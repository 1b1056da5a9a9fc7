import { expect, test } from 'bun:test'
import { isNewEpisode, isReportableFailure } from '../../../src/domain/feeds/news.ts'

const NOW = 1_740_909_600
const DAY = 24 * 3600

test.each([
  [NOW, undefined, true],
  [NOW - 30 * DAY, undefined, true],
  [NOW - 30 * DAY - 1, undefined, false],
  [NOW, NOW, true],
  [NOW - 1, NOW, false],
  [NOW - 30 * DAY - 1, NOW - 60 * DAY, false],
  [undefined, undefined, true],
  [undefined, NOW, false],
])('an episode released at %p, of a podcast known since %p, is new: %p', (released, knownSince, expected) => {
  expect(isNewEpisode({ released }, NOW, knownSince)).toBe(expected)
})

const FINE = { checkedAt: NOW - 3600, succeededAt: NOW - 3600, failingSince: undefined, reason: undefined }
const failing = (since: number, checkedAt: number, reason: 'timeout' | 'gone' = 'timeout') => ({
  checkedAt,
  succeededAt: undefined,
  failingSince: since,
  reason,
})

test.each([
  ['the first failure', FINE, 'timeout', false],
  ['the first failure of a feed never fetched before', { ...FINE, checkedAt: undefined }, 'timeout', false],
  ['the first response that it is gone', FINE, 'gone', true],
  ['a failure a moment before a day is over', failing(NOW - DAY + 1, NOW - 3600), 'timeout', false],
  ['the first failure after a day', failing(NOW - DAY, NOW - 3600), 'timeout', true],
  ['the second failure after a day', failing(NOW - DAY - 10, NOW - 10), 'timeout', false],
  ['gone, after failures of an hour', failing(NOW - 3600, NOW - 60), 'gone', true],
  ['gone once more', failing(NOW - 3600, NOW - 60, 'gone'), 'gone', false],
  ['gone, after it was reported as failing', failing(NOW - 3 * DAY, NOW - DAY), 'gone', false],
] as const)('%s is reported: %#', (_what, before, reason, expected) => {
  expect(isReportableFailure(before, { at: NOW, reason })).toBe(expected)
})
