import { describe, expect, test } from 'bun:test'
import { countsIn, type Feeds, namesIn, openDirectory, urlOf, valuesOf } from './directory-scene.ts'

const PATH = '/suggestions/100.json'

/** Feeds that say nothing but their tags. */
const tagged = (tags: Record<string, string[]>): Feeds =>
  Object.fromEntries(Object.entries(tags).map(([name, list]) => [name, { tags: list }]))

interface World {
  readonly people: Record<string, string[]>
  readonly feeds: Feeds
}

describe('suggested is (D53)', () => {
  test.each<[string, World, string[]]>([
    [
      'what shares a tag, and nothing else',
      {
        people: { ida: ['a'], bob: ['b', 'c', 'd'] },
        feeds: tagged({ a: ['Sea'], b: ['Sea'], c: ['Land'], d: [] }),
      },
      ['b'],
    ],
    [
      'first what shares the tag of most of the own podcasts',
      {
        people: { ida: ['a1', 'a2', 'a3'], bob: ['land', 'sea'], eva: ['land'] },
        feeds: tagged({ a1: ['Sea'], a2: ['Sea'], a3: ['Land'], land: ['Land'], sea: ['Sea'] }),
      },
      ['sea', 'land'],
    ],
    [
      'by the sum over all tags: two that one has outweigh one that two have, with a third',
      {
        people: { ida: ['a1', 'a2', 'a3'], bob: ['two', 'three', 'one'] },
        feeds: tagged({
          ...{ a1: ['Sea'], a2: ['Sea'], a3: ['Fog', 'Gulls', 'Ice'] },
          ...{ one: ['Fog'], two: ['Sea'], three: ['Fog', 'Gulls', 'Ice'] },
        }),
      },
      ['three', 'two', 'one'],
    ],
    [
      'by subscribers where the sums are equal',
      {
        people: { ida: ['a'], bob: ['b', 'c', 'd'], eva: ['c', 'd'], ole: ['d'] },
        feeds: tagged({ a: ['Sea'], b: ['Sea'], c: ['Sea'], d: ['Sea'] }),
      },
      ['d', 'c', 'b'],
    ],
    [
      'by title where subscribers are, too',
      {
        people: { ida: ['a'], bob: ['b', 'c', 'd'] },
        feeds: {
          a: { tags: ['Sea'] },
          b: { tags: ['Sea'], title: 'Winds' },
          c: { tags: ['Sea'], title: 'érik' },
          d: { tags: ['Sea'], title: 'Fog' },
        },
      },
      ['c', 'd', 'b'],
    ],
    [
      'what came first where nothing tells them apart',
      {
        people: { ida: ['a'], bob: ['e', 'c', 'b', 'd', 'f'] },
        feeds: Object.fromEntries([...'abcdef'].map((name) => [name, { tags: ['Sea'], title: 'Fog' }])),
      },
      ['e', 'c', 'b', 'd', 'f'],
    ],
    [
      'what differs in the spelling of a tag alone',
      { people: { ida: ['a'], bob: ['b'] }, feeds: tagged({ a: ['Sea & Coast'], b: ['sea-COAST'] }) },
      ['b'],
    ],
    [
      'nothing that is on any device',
      { people: { ida: ['a', 'b', 'c'], bob: ['b', 'c'] }, feeds: tagged({ a: ['Sea'], b: ['Sea'], c: ['Sea'] }) },
      [],
    ],
    ['nothing to those who have nothing', { people: { ida: [], bob: ['b'] }, feeds: tagged({ b: ['Sea'] }) }, []],
    [
      'nothing to those whose feeds have no tags',
      { people: { ida: ['a'], bob: ['b'] }, feeds: tagged({ a: [], b: ['Sea'] }) },
      [],
    ],
  ])('%s', async (_case, { people, feeds }, expected) => {
    const { as } = await openDirectory({ people, feeds })
    expect(namesIn(await as('ida').get(PATH))).toEqual(expected)
    expect(namesIn(await as('ida').get('/suggestions/1.json'))).toEqual(expected.slice(0, 1))
  })

  const SEA: World = {
    people: { ida: ['a'], bob: ['b', 'c'] },
    feeds: tagged({ a: ['Sea'], b: ['Sea'], c: ['Sea'], d: ['Sea'] }),
  }

  test('nothing of another device of the own', async () => {
    const { as, change } = await openDirectory(SEA)
    await change('ida', 'desk', { add: ['b'] })
    expect(namesIn(await as('ida').get(PATH))).toEqual(['c'])
    await as('ida').delete('/api/2/devices/ida/desk.json')
    expect(namesIn(await as('ida').get(PATH))).toEqual(['b', 'c'])
  })

  test('also what all have left, last', async () => {
    const { as, change } = await openDirectory(SEA)
    await change('bob', 'phone', { remove: ['b'] })
    expect(countsIn(await as('ida').get(PATH))).toEqual(['c 1', 'b 0'])
  })

  test('no podcast that is private to others, nor a tag of one (D56)', async () => {
    const { as } = await openDirectory({
      people: { ida: ['a'], bob: ['b', 's?token=1', 'blocked', 'marked'] },
      feeds: {
        ...tagged({ a: ['Sea'], b: ['Sea'], 's?token=1': ['Sea'], marked: ['Sea'] }),
        blocked: { tags: ['Sea'], isBlocked: true },
      },
    })
    const marked = `/api/2/settings/bob/podcast.json?podcast=${urlOf('marked')}`
    await as('bob').post(marked, { set: { public_subscription: false } })
    expect(namesIn(await as('ida').get(PATH))).toEqual(['b'])
    await as('bob').post(marked, { set: { public_subscription: true } })
    expect(namesIn(await as('ida').get(PATH))).toEqual(['b', 'marked'])
  })

  test('what the own private podcasts have in common with others', async () => {
    const { as } = await openDirectory({
      people: { ida: ['s?token=1'], bob: ['b'] },
      feeds: tagged({ 's?token=1': ['Sea'], b: ['Sea'] }),
    })
    expect(namesIn(await as('ida').get(PATH))).toEqual(['b'])
  })
})

test('each says because of what, the most telling first, three at most', async () => {
  const { as } = await openDirectory({
    people: { ida: ['a1', 'a2', 'a3'], bob: ['b', 'c'] },
    feeds: tagged({
      ...{ a1: ['Fog', 'Sea & Coast', 'Gulls', 'Ice'], a2: ['sea coast', 'Ice'], a3: ['Ice'] },
      ...{ b: ['Gulls', 'Fog', 'sea-coast', 'Ice', 'Land'], c: ['GULLS', 'Land'] },
    }),
  })
  const answer = await as('ida').get(PATH)
  expect(namesIn(answer)).toEqual(['b', 'c'])
  const [ofB, ofC] = valuesOf(answer, 'because')
  expect(ofB).toEqual(['Ice', 'Sea & Coast', expect.stringMatching(/^(?:Fog|Gulls)$/)])
  expect(ofC).toEqual(['Gulls'])
})

test('a suggestion is a podcast object with all keys (D20), and the reasons', async () => {
  const { as } = await openDirectory({ people: { ida: ['a'], bob: ['b'] }, feeds: tagged({ a: ['Sea'], b: ['Sea'] }) })
  expect((await as('ida').get(PATH)).json).toEqual([
    {
      url: urlOf('b'),
      title: urlOf('b'),
      ...{ author: '', description: '', website: '', logo_url: '', scaled_logo_url: '', language: '' },
      ...{ subscribers: 1, subscribers_last_week: 1 },
      mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fb',
      because: ['Sea'],
    },
  ])
})
