import { describe, expect, test } from 'bun:test'
import type { FeedEpisode } from '../../src/domain/feeds/document.ts'
import { createFingerprints, namesOf } from '../../src/worker/fingerprints.ts'
import { feedEpisode } from '../store/contract/fixtures.ts'

type RawSetting = readonly [path: string, guid: string, title?: string]

const episodes = (given: readonly RawSetting[]): FeedEpisode[] =>
  given.map(([path, guid, title = 'Fog']) => feedEpisode({ url: `https://cdn.example/${path}`, guid, title }))

function unknown(document: readonly RawSetting[], known = '{}') {
  const all = episodes(document)
  const fingerprinted = createFingerprints(known, namesOf(all))
  return all.flatMap((episode) => fingerprinted(episode) ?? [])
}

/** What is stored of a document: the first episode has number 1. */
const stored = (document: readonly RawSetting[]) =>
  JSON.stringify(Object.fromEntries(unknown(document).map(({ fingerprint }, index) => [index + 1, fingerprint])))

/** What of a document has to be written after another one: the path of each, and the number of the row that it takes over. */
const changes = (before: readonly RawSetting[], after: readonly RawSetting[]) =>
  unknown(after, stored(before)).map(({ url, inPlaceOf }) => [url.slice('https://cdn.example/'.length), inPlaceOf])

describe('an episode that has a guid of its own', () => {
  test.each<[string, string, string]>([
    ['is signed anew', '1.mp3?sig=1', '1.mp3?sig=2'],
    ['is signed', '1.mp3', '1.mp3?sig=2'],
    ['is signed no more', '1.mp3?sig=1', '1.mp3'],
    ['is signed with an address', '1.mp3?a=b?c', '1.mp3?a=d?e#f'],
  ])('is not written again when its address %s', (_case, before, after) => {
    expect(changes([[before, 'g']], [[after, 'g']])).toEqual([])
  })

  test.each<[string, string, string]>([
    ['path', '1.mp3', '2.mp3'],
    ['path and query', 'a/1.mp3?sig=1', 'b/1.mp3?sig=2'],
  ])('takes its own place when its address has another %s', (_what, before, after) => {
    expect(changes([[before, 'g']], [[after, 'g']])).toEqual([[after, 1]])
  })

  test('takes its own place when it has changed, and is signed anew', () => {
    expect(changes([['1.mp3?sig=1', 'g']], [['1.mp3?sig=2', 'g', 'Fog lifts']])).toEqual([['1.mp3?sig=2', 1]])
  })

  test('takes no place when only what it says has changed', () => {
    expect(changes([['1.mp3', 'g']], [['1.mp3', 'g', 'Fog lifts']])).toEqual([['1.mp3', undefined]])
  })

  test('takes the place of the one with its guid, among many', () => {
    const before = Array.from({ length: 30 }, (_, n): RawSetting => [`${n}.mp3`, `guid ${n}`])
    const after = before.map(([path, guid], n): RawSetting => (n % 10 === 3 ? [`moved/${path}`, guid] : [path, guid]))
    expect(changes(before, after)).toEqual([
      ['moved/3.mp3', 4],
      ['moved/13.mp3', 14],
      ['moved/23.mp3', 24],
    ])
  })

  test('takes no place of one whose address is in the document still', () => {
    expect(
      changes(
        [['1.mp3', 'g']],
        [
          ['2.mp3', 'g'],
          ['1.mp3', 'other'],
        ],
      ),
    ).toEqual([
      ['2.mp3', undefined],
      ['1.mp3', undefined],
    ])
  })
})

describe('an episode is known by its address alone', () => {
  test.each<[string, RawSetting[], RawSetting[], [string, number | undefined][]]>([
    ['if it has no guid', [['1.mp3?id=1', '']], [['1.mp3?id=2', '']], [['1.mp3?id=2', undefined]]],
    [
      'if its guid is its address',
      [['1.mp3?id=1', 'https://cdn.example/1.mp3?id=1']],
      [['1.mp3?id=2', 'https://cdn.example/1.mp3?id=2']],
      [['1.mp3?id=2', undefined]],
    ],
    [
      'if others in the document have its guid',
      [
        ['1.mp3?id=1', 'g'],
        ['1.mp3?id=2', 'g'],
      ],
      [
        ['1.mp3?id=1', 'g'],
        ['1.mp3?id=3', 'g'],
        ['4.mp3', 'g'],
      ],
      [
        ['1.mp3?id=3', undefined],
        ['4.mp3', undefined],
      ],
    ],
    [
      'if others of those that are stored had its guid',
      [
        ['1.mp3', 'g'],
        ['2.mp3', 'g'],
      ],
      [['3.mp3', 'g']],
      [['3.mp3', undefined]],
    ],
  ])('%s', (_case, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })

  test('when its guid comes to be shared, and is written once more for that', () => {
    const one: RawSetting[] = [['1.mp3', 'g']]
    const two: RawSetting[] = [
      ['2.mp3', 'g'],
      ['1.mp3', 'g'],
    ]
    expect(changes(one, two)).toEqual([
      ['2.mp3', undefined],
      ['1.mp3', undefined],
    ])
    expect(changes(two, two)).toEqual([])
  })

  test('but one that is in the document twice is one', () => {
    expect(
      changes(
        [['1.mp3', 'g']],
        [
          ['2.mp3', 'g'],
          ['2.mp3', 'g'],
        ],
      )[0],
    ).toEqual(['2.mp3', 1])
  })
})

test.each(['{}', '"abc"', 'null', '[1,null]'])('all are unknown if what is stored makes no sense: %s', (known) => {
  expect(unknown([['1.mp3', 'g']], known)).toHaveLength(1)
})

test('what was stored before fingerprints had names takes no part', () => {
  expect(unknown([['1.mp3', 'g']], '{"7":"3kx9q2"}')).toMatchObject([{ inPlaceOf: undefined }])
})
