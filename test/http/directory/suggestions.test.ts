import { expect, test } from 'bun:test'
import { countsIn, type Feeds, namesIn, openDirectory, urlOf, valuesOf } from './scene.ts'

const PATH = '/suggestions/100.json'

/** Feeds that say nothing but their tags. */
const tagged = (tags: Record<string, string[]>): Feeds =>
  Object.fromEntries(Object.entries(tags).map(([name, list]) => [name, { tags: list }]))

/** Feeds about the sea, without a title or with these. */
const aboutSea = (titles: Record<string, string | undefined>): Feeds =>
  Object.fromEntries(Object.entries(titles).map(([name, title = '']) => [name, { tags: ['Sea'], title }]))

const SEA = aboutSea({ a: undefined, b: undefined, c: undefined, d: undefined })

test.each<[string, Record<string, string[]>, Feeds, string[]]>([
  [
    'what shares a tag, and nothing else',
    { ida: ['a'], bob: ['b', 'c', 'd'] },
    tagged({ a: ['Sea'], b: ['Sea'], c: ['Land'], d: [] }),
    ['b'],
  ],
  [
    'by the sum over all tags: two that one has outweigh one that two have, with a third',
    { ida: ['a1', 'a2', 'a3'], bob: ['two', 'three', 'one'] },
    tagged({
      ...{ a1: ['Sea'], a2: ['Sea'], a3: ['Fog', 'Gulls', 'Ice'] },
      ...{ one: ['Fog'], two: ['Sea'], three: ['Fog', 'Gulls', 'Ice'] },
    }),
    ['three', 'two', 'one'],
  ],
  [
    'by subscribers where the sums are equal',
    { ida: ['a'], bob: ['b', 'c', 'd'], eva: ['c', 'd'], ole: ['d'] },
    SEA,
    ['d', 'c', 'b'],
  ],
  ['nothing that is on any device', { ida: ['a', 'b', 'c'], bob: ['b', 'c'] }, SEA, []],
  ['nothing to those who have nothing', { ida: [], bob: ['b'] }, SEA, []],
  [
    'what private podcasts of the own share a tag with',
    { ida: ['d?token=1'], bob: ['b'] },
    { 'd?token=1': { tags: ['Sea'] }, ...SEA },
    ['b'],
  ],
])('suggested is (D53) %s', async (_case, people, feeds, expected) => {
  const { as } = await openDirectory({ people, feeds })
  expect(namesIn(await as('ida').get(PATH))).toEqual(expected)
  expect(namesIn(await as('ida').get('/suggestions/1.json'))).toEqual(expected.slice(0, 1))
})

test('suggested is (D53) nothing of another device, and last what all have left', async () => {
  const { as, change } = await openDirectory({ people: { ida: ['a'], bob: ['b', 'c'] }, feeds: SEA })
  await change('ida', 'desk', { add: ['b'] })
  expect(namesIn(await as('ida').get(PATH))).toEqual(['c'])
  await as('ida').delete('/api/2/devices/ida/desk.json')
  expect(namesIn(await as('ida').get(PATH))).toEqual(['b', 'c'])
  await change('bob', 'phone', { remove: ['b'] })
  expect(countsIn(await as('ida').get(PATH))).toEqual(['c 1', 'b 0'])
})

test('a suggestion is a podcast object (D20), and says because of what: three tags at most', async () => {
  const { as } = await openDirectory({
    people: { ida: ['a1', 'a2', 'a3'], bob: ['b', 'c'] },
    feeds: tagged({
      ...{ a1: ['Fog', 'Sea & Coast', 'Gulls', 'Ice'], a2: ['sea coast', 'Ice'], a3: ['Ice'] },
      ...{ b: ['Gulls', 'Fog', 'sea-coast', 'Ice', 'Land'], c: ['GULLS', 'Land'] },
    }),
  })
  const answer = await as('ida').get(PATH)
  expect(namesIn(answer)).toEqual(['b', 'c'])
  // The most telling come first.
  expect(valuesOf(answer, 'because')[0]).toEqual(['Ice', 'Sea & Coast', expect.stringMatching(/^(?:Fog|Gulls)$/)])
  expect(Object(answer.json)[1]).toMatchObject({ title: urlOf('c'), scaled_logo_url: '', because: ['Gulls'] })
})
