import { describe, expect, test } from 'bun:test'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { planJoins } from '../../../src/domain/sync/joined-episodes.ts'

/** `1a 2a* 3b`: numbers of rows, whose last digits are their media URLs, their podcasts, and a star where the feed uses the guid several times. */
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
    ['in two podcasts are not, and nobody is told the guid', '1a 2b', [], [1, 2]],
    [
      'in two podcasts are one in each',
      '1a 2b 3a 4b 5c',
      [
        [1, 3],
        [2, 4],
      ],
      [1, 2, 3, 4, 5],
    ],
    ['that the feed uses for several are as many', '1a* 2a*', [], [1, 2]],
    ['of which the feed knows one as shared, too', '1a 2a* 3a', [], [1, 2, 3]],
    ['alone, but shared in the feed, hide it', '1a*', [], [1]],
    ['shared in the feed of another podcast do not matter here', '1a* 2b 3b', [[2, 3]], [1, 2, 3]],
    ['of nothing', '', [], []],
  ])('%s', (_case, text, joined, hidden) => {
    const plan = planJoins(media(text), () => false)
    expect(plan.joined.map((ids) => [...ids])).toEqual(joined)
    expect(plan.hidden).toEqual(new Set(hidden))
  })

  test.each([
    ['in two addresses of one podcast are one episode', '1a 2b', ['ab'], [[1, 2]], []],
    ['in a chain of addresses of one podcast are one, in any order', '1a 2c 3b', ['ab', 'bc'], [[1, 2, 3]], []],
    ['in another podcast are not', '1a 2b 3c', ['ab'], [[1, 2]], [1, 2, 3]],
    ['that a feed uses for several are as many as their URLs', '1a* 2b 11b 3a*', ['ab'], [[1, 11]], [1, 2, 3, 11]],
    ['that one of the feeds uses for several are as many', '1a* 2b', ['ab'], [], [1, 2]],
  ])('%s', (_case, text, same, joined, hidden) => {
    const isSame = (one: number, other: number) =>
      same.some((pair) => pair === String.fromCharCode(one, other) || pair === String.fromCharCode(other, one))
    const plan = planJoins(media(text), isSame)
    expect(plan.joined.map((ids) => ids.toSorted((one, other) => one - other))).toEqual(joined)
    expect(plan.hidden).toEqual(new Set(hidden))
  })
})
