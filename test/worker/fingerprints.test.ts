import { describe, expect, test } from 'bun:test'
import { createFingerprints, namesOf } from '../../src/worker/fingerprints.ts'
import { feedEpisode } from '../store/contract/fixtures.ts'

const CDN = 'https://cdn.example/'

/** The new or changed episodes of a document. Episodes are written as `path|guid` or `path|guid|title`. */
function unknown(document: readonly string[], known = '{}') {
  const all = document.map((text) => {
    const [path = '', guid = '', title = 'Fog'] = text.split('|')
    return feedEpisode({ url: CDN + path, guid, title })
  })
  const { changed } = createFingerprints(known, namesOf(all))
  return all.flatMap((episode) => changed(episode) ?? [])
}

/** The stored fingerprints of a document, whose first episode has number 1. */
const stored = (document: readonly string[]) =>
  JSON.stringify(Object.fromEntries(unknown(document).map(({ fingerprint }, index) => [index + 1, fingerprint])))

/** The paths to write when a document changes, with the number of the row that each replaces. */
const changes = (before: readonly string[], after: readonly string[]) =>
  unknown(after, stored(before)).map(({ url, inPlaceOf }) => {
    const path = url.replace(CDN, '')
    return inPlaceOf === undefined ? path : `${path} in place of ${inPlaceOf}`
  })

describe('an episode with a unique guid', () => {
  test.each<[string, string, string, string[]]>([
    ['is unchanged if only the query of its URL changes', '1.mp3?sig=1|g', '1.mp3?sig=2|g', []],
    ['is unchanged if only a query with two question marks changes', '1.mp3?a=b?c|g', '1.mp3?a=d?e#f|g', []],
    ['replaces its row if its path changes', '1.mp3|g', '2.mp3|g', ['2.mp3 in place of 1']],
    ['replaces its row if query and title change', '1?sig=1|g', '1?sig=2|g|Fog lifts', ['1?sig=2 in place of 1']],
    ['is written under the same URL if only its title changes', '1.mp3|g', '1.mp3|g|Fog lifts', ['1.mp3']],
  ])('%s', (_case, before, after, expected) => {
    expect(changes([before], [after])).toEqual(expected)
  })

  test('replaces the row with its guid, among many', () => {
    const before = Array.from({ length: 30 }, (_, n) => `${n}.mp3|guid ${n}`)
    const after = before.map((episode, n) => (n % 10 === 3 ? `moved/${episode}` : episode))
    expect(changes(before, after)).toEqual([3, 13, 23].map((n) => `moved/${n}.mp3 in place of ${n + 1}`))
  })

  test('replaces no row whose URL is still in the document', () => {
    expect(changes(['1.mp3|g'], ['2.mp3|g', '1.mp3|other'])).toEqual(['2.mp3', '1.mp3'])
  })
})

describe('an episode is identified by its URL alone', () => {
  test.each<[string, string[], string[], string[]]>([
    ['if it has no guid', ['1?id=1|'], ['1?id=2|'], ['1?id=2']],
    ['if its guid is its URL', [`1?a=1|${CDN}1?a=1`], [`1?a=2|${CDN}1?a=2`], ['1?a=2']],
    ['if other episodes in the document have its guid', ['1?a|g', '1?b|g'], ['1?a|g', '1?c|g', '4|g'], ['1?c', '4']],
    ['if several stored episodes had its guid', ['1.mp3|g', '2.mp3|g'], ['3.mp3|g'], ['3.mp3']],
    ['if another episode gets the same guid', ['1.mp3|g'], ['2.mp3|g', '1.mp3|g'], ['2.mp3', '1.mp3']],
  ])('%s', (_case, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })

  test('but an episode that is in the document twice keeps its guid', () => {
    expect(changes(['1.mp3|g'], ['2.mp3|g', '2.mp3|g'])[0]).toBe('2.mp3 in place of 1')
  })
})

test.each(['{}', '"abc"', 'null', '[1,null]'])('all episodes are new if the stored fingerprints are %s', (known) => {
  expect(unknown(['1.mp3|g'], known)).toHaveLength(1)
})

test('stored fingerprints of the former format match no guid', () => {
  expect(unknown(['1.mp3|g'], '{"7":"3kx9q2"}')).toMatchObject([{ inPlaceOf: undefined }])
})
