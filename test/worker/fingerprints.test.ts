import { describe, expect, test } from 'bun:test'
import { createFingerprints, namesOf } from '../../src/worker/fingerprints.ts'
import { feedEpisode } from '../store/contract/fixtures.ts'

const CDN = 'https://cdn.example/'

/** Documents are written as their episodes: `path|guid`, or `path|guid|title`. */
function unknown(document: readonly string[], known = '{}') {
  const all = document.map((text) => {
    const [path = '', guid = '', title = 'Fog'] = text.split('|')
    return feedEpisode({ url: CDN + path, guid, title })
  })
  const { changed } = createFingerprints(known, namesOf(all))
  return all.flatMap((episode) => changed(episode) ?? [])
}

/** What is stored of a document: the first episode has number 1. */
const stored = (document: readonly string[]) =>
  JSON.stringify(Object.fromEntries(unknown(document).map(({ fingerprint }, index) => [index + 1, fingerprint])))

/** What of a document has to be written after another one: the path of each, and the number of the row that it takes over. */
const changes = (before: readonly string[], after: readonly string[]) =>
  unknown(after, stored(before)).map(({ url, inPlaceOf }) => {
    const path = url.replace(CDN, '')
    return inPlaceOf === undefined ? path : `${path} in place of ${inPlaceOf}`
  })

describe('an episode that has a guid of its own', () => {
  test.each<[string, string, string, string[]]>([
    ['is not written again when its address is signed again', '1.mp3?sig=1|g', '1.mp3?sig=2|g', []],
    ['is not written again when its address is signed with one', '1.mp3?a=b?c|g', '1.mp3?a=d?e#f|g', []],
    ['takes its own place when its path is another', '1.mp3|g', '2.mp3|g', ['2.mp3 in place of 1']],
    ['takes its own place when it has changed, too', '1?sig=1|g', '1?sig=2|g|Fog lifts', ['1?sig=2 in place of 1']],
    ['takes no place when only what it says has changed', '1.mp3|g', '1.mp3|g|Fog lifts', ['1.mp3']],
  ])('%s', (_case, before, after, expected) => {
    expect(changes([before], [after])).toEqual(expected)
  })

  test('takes the place of the one with its guid, among many', () => {
    const before = Array.from({ length: 30 }, (_, n) => `${n}.mp3|guid ${n}`)
    const after = before.map((episode, n) => (n % 10 === 3 ? `moved/${episode}` : episode))
    expect(changes(before, after)).toEqual([3, 13, 23].map((n) => `moved/${n}.mp3 in place of ${n + 1}`))
  })

  test('takes no place of one whose address is in the document still', () => {
    expect(changes(['1.mp3|g'], ['2.mp3|g', '1.mp3|other'])).toEqual(['2.mp3', '1.mp3'])
  })
})

describe('an episode is known by its address alone', () => {
  test.each<[string, string[], string[], string[]]>([
    ['if it has no guid', ['1?id=1|'], ['1?id=2|'], ['1?id=2']],
    ['if its guid is its address', [`1?a=1|${CDN}1?a=1`], [`1?a=2|${CDN}1?a=2`], ['1?a=2']],
    ['if others in the document have its guid', ['1?a|g', '1?b|g'], ['1?a|g', '1?c|g', '4|g'], ['1?c', '4']],
    ['if others of those that are stored had its guid', ['1.mp3|g', '2.mp3|g'], ['3.mp3|g'], ['3.mp3']],
    ['when its guid comes to be shared', ['1.mp3|g'], ['2.mp3|g', '1.mp3|g'], ['2.mp3', '1.mp3']],
  ])('%s', (_case, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })

  test('but one that is in the document twice is one', () => {
    expect(changes(['1.mp3|g'], ['2.mp3|g', '2.mp3|g'])[0]).toBe('2.mp3 in place of 1')
  })
})

test.each(['{}', '"abc"', 'null', '[1,null]'])('all are unknown if what is stored makes no sense: %s', (known) => {
  expect(unknown(['1.mp3|g'], known)).toHaveLength(1)
})

test('what was stored before fingerprints had names takes no part', () => {
  expect(unknown(['1.mp3|g'], '{"7":"3kx9q2"}')).toMatchObject([{ inPlaceOf: undefined }])
})
