import { describe, expect, test } from 'bun:test'
import { openSearch, type Podcasts } from './search-scene.ts'

/** Fillers are what comes to 20 podcasts that the query finds as well, all worse: lists that are full are ranked in other ways. */
const fillers = (said: { title?: string; description?: string }): Podcasts =>
  Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [`filler${n}`, { ...said, title: `Zz ${said.title ?? ''} ${n}` }]),
  )

describe('the best come first:', () => {
  test.each<[string, string, Podcasts]>([
    [
      'a title that is just that, however few have it',
      'the harbour',
      {
        exact: 'The Harbour',
        longer: { title: 'The Harbour Talk', subscribers: 3 },
        begun: { title: 'The Harbourmaster', subscribers: 2 },
      },
    ],
    [
      'the same with other signs, accents, case and spaces',
      'SEA coast',
      { exact: 'Séa & Coast!', closer: { title: 'Sea Coast Walks', subscribers: 3 } },
    ],
    [
      'words as they are, then words that begin so',
      'art',
      { whole: 'Modern Art', begun: { title: 'Arthur', subscribers: 3 } },
    ],
    [
      'the title, then author and tags, then the description',
      'harbour',
      {
        title: 'Harbour Talk',
        author: { title: 'A', author: 'Harbour Radio', subscribers: 3 },
        tag: { title: 'B', tags: ['Harbour'], subscribers: 2 },
        description: { title: 'C', description: 'harbour', subscribers: 4 },
      },
    ],
    [
      'a longer word of the title before the word itself elsewhere',
      'harb',
      {
        title: 'Harbour',
        author: { title: 'A', author: 'Harb', subscribers: 2 },
        text: { title: 'B', description: 'Harb', subscribers: 3 },
      },
    ],
    [
      'words of author and tags as they are, then words that begin so',
      'art',
      { whole: { title: 'A', author: 'Art' }, begun: { title: 'B', tags: ['Arthur'], subscribers: 3 } },
    ],
    [
      'words of the description as they are, then words that begin so',
      'art',
      { whole: { title: 'A', description: 'art' }, begun: { title: 'B', description: 'arthur', subscribers: 3 } },
    ],
    [
      'all words in the title, then some',
      'harbour fog',
      {
        all: 'Fog at the Harbour',
        some: { title: 'Harbour Talk', description: 'fog', subscribers: 2 },
        none: { title: 'Boats', description: 'harbour, fog', subscribers: 3 },
      },
    ],
    [
      'all words in title, author and tags, then elsewhere',
      'harbour ida',
      {
        names: { title: 'Harbour', author: 'Ida' },
        elsewhere: { title: 'Harbour Talk', description: 'with Ida', subscribers: 3 },
      },
    ],
    [
      'subscribers, most first',
      'harbour',
      {
        three: { title: 'Harbour Walks', subscribers: 3 },
        two: { title: 'Harbour Air', subscribers: 2 },
        one: { title: 'Harbour Fog', subscribers: 1 },
      },
    ],
    [
      'titles among equals, whatever their case and accents',
      'harbour',
      { a: 'harbour boats', b: 'Harbour Élan', c: 'HARBOUR fog' },
    ],
    [
      'of names among equals, too',
      'harbour',
      {
        a: { title: 'A', tags: ['Harbour'] },
        b: { title: 'B', author: 'Harbour' },
        c: { title: 'C', tags: ['Harbour'] },
      },
    ],
  ])('%s', async (_what, query, podcasts) => {
    const expected = Object.keys(podcasts)
    const backwards = Object.fromEntries(Object.entries(podcasts).reverse())
    expect(await (await openSearch(backwards)).search(query)).toEqual(expected)
  })

  test('of more than there is room for', async () => {
    const { search } = await openSearch({
      ...fillers({ title: 'Harbourmaster' }),
      second: { title: 'A Harbour', subscribers: 2 },
      first: 'Harbour',
      third: 'The Harbour',
    })
    const found = await search('harbour')
    expect(found.slice(0, 3)).toEqual(['first', 'second', 'third'])
    expect(found).toHaveLength(20)
  })
})
