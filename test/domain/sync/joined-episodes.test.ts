import { describe, expect, test } from 'bun:test'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { planJoins } from '../../../src/domain/sync/joined-episodes.ts'

/**
 * Parses `1a 2a* 3b`: IDs, whose last digits are the media URLs, letters of podcasts, and a star if the feed repeats the
 * guid.
 */
const media = (text: string) =>
  (text.match(/\S+/g) ?? []).map((word) => ({
    id: Number.parseInt(word, 10),
    podcastId: word.charCodeAt(word.search(/[a-z]/)) as PodcastId,
    url: word.slice(word.search(/[a-z]/) - 1, word.search(/[a-z]/)),
    isShared: word.endsWith('*'),
  }))

describe('media URLs with the same guid', () => {
  test.each([
    ['alone', '1a', [], []],
    ['in one podcast are one episode', '1a 2a 3a', [[1, 2, 3]], []],
    ['in two podcasts are not, and the guid is hidden', '1a 2b', [], [1, 2]],
    [
      'in two podcasts are one in each',
      '1a 2b 3a 4b 5c',
      [
        [1, 3],
        [2, 4],
      ],
      [1, 2, 3, 4, 5],
    ],
    ['that the feed repeats are several episodes', '1a* 2a*', [], [1, 2]],
    ['that the feed repeats for one of them are several, too', '1a 2a* 3a', [], [1, 2, 3]],
    ['alone, but repeated in the feed, hide it', '1a*', [], [1]],
    ['repeated in the feed of another podcast do not matter here', '1a* 2b 3b', [[2, 3]], [1, 2, 3]],
    ['without any media URL', '', [], []],
  ])('%s', (_case, text, joined, hidden) => {
    const plan = planJoins(media(text), () => false)
    expect(plan.joined.map((ids) => [...ids])).toEqual(joined)
    expect(plan.hidden).toEqual(new Set(hidden))
  })

  test.each([
    ['at two addresses of one podcast are one episode', '1a 2b', ['ab'], [[1, 2]], []],
    ['in a chain of addresses of one podcast are one, in any order', '1a 2c 3b', ['ab', 'bc'], [[1, 2, 3]], []],
    ['in another podcast are not', '1a 2b 3c', ['ab'], [[1, 2]], [1, 2, 3]],
    ['that a feed repeats are as many episodes as URLs', '1a* 2b 11b 3a*', ['ab'], [[1, 11]], [1, 2, 3, 11]],
    ['that one of the feeds repeats are several', '1a* 2b', ['ab'], [], [1, 2]],
  ])('%s', (_case, text, same, joined, hidden) => {
    const isSame = (one: number, other: number) =>
      same.some((pair) => pair === String.fromCharCode(one, other) || pair === String.fromCharCode(other, one))
    const plan = planJoins(media(text), isSame)
    expect(plan.joined.map((ids) => ids.toSorted((one, other) => one - other))).toEqual(joined)
    expect(plan.hidden).toEqual(new Set(hidden))
  })
})
