import { expect, test } from 'bun:test'
import { type Feeds, namesIn, openDirectory, urlOf, valuesOf } from './scene.ts'

const PATH = '/suggestions/100.json'

/** Feeds with nothing but tags. */
const tagged = (tags: Record<string, string[]>): Feeds =>
  Object.fromEntries(Object.entries(tags).map(([name, list]) => [name, { tags: list }]))

const SEA = tagged({ a: ['Sea'], b: ['Sea'], c: ['Sea'], d: ['Sea'] })
const WITH_LAND = tagged({ a: ['Sea'], b: ['Sea'], c: ['Land'], d: [] })
const WEIGHED = tagged({
  ...{ a1: ['Sea'], a2: ['Sea'], a3: ['Fog', 'Gulls', 'Ice'] },
  ...{ one: ['Fog'], two: ['Sea'], three: ['Fog', 'Gulls', 'Ice'] },
})
const PRIVATE = { 'd?token=1': { tags: ['Sea'] }, ...SEA }
const CROWD = { ida: ['a'], bob: ['b', 'c', 'd'], eva: ['c', 'd'], ole: ['d'] }

test.each<[string, Record<string, string[]>, Feeds, string[]]>([
  ['podcasts that share a tag', { ida: ['a'], bob: ['b', 'c', 'd'] }, WITH_LAND, ['b']],
  // Two tags of one podcast outweigh one tag of two.
  [
    'podcasts in the order of the sum over all tags',
    { ida: ['a1', 'a2', 'a3'], bob: ['two', 'three', 'one'] },
    WEIGHED,
    ['three', 'two', 'one'],
  ],
  ['podcasts by subscribers if the sums are equal', CROWD, SEA, ['d', 'c', 'b']],
  ['newer podcasts first if subscribers are equal, too', { ida: ['a'], bob: ['b', 'c'] }, SEA, ['c', 'b']],
  ['no podcast on any device of the user', { ida: ['a', 'b', 'c'], bob: ['b', 'c'] }, SEA, []],
  ['nothing without subscriptions', { ida: [], bob: ['b'] }, SEA, []],
  ['podcasts that share a tag with a private one of the user', { ida: ['d?token=1'], bob: ['b'] }, PRIVATE, ['b']],
])('suggestions (D53) are %s', async (_case, people, feeds, expected) => {
  const { as } = await openDirectory({ people, feeds })
  expect(namesIn(await as('ida').get(PATH))).toEqual(expected)
  expect(namesIn(await as('ida').get('/suggestions/1.json'))).toEqual(expected.slice(0, 1))
})

test('suggestions (D53) follow changes of subscriptions, with podcasts without subscribers last', async () => {
  const { as, change } = await openDirectory({ people: { ida: ['a'], bob: ['b', 'c'] }, feeds: SEA })
  await change('ida', 'desk', { add: ['b'] })
  expect(namesIn(await as('ida').get(PATH))).toEqual(['c'])
  await as('ida').delete('/api/2/devices/ida/desk.json')
  expect(namesIn(await as('ida').get(PATH))).toEqual(['c', 'b'])
  await change('bob', 'phone', { remove: ['c'] })
  expect((await as('ida').get(PATH)).json).toMatchObject([{ url: urlOf('b') }, { url: urlOf('c'), subscribers: 0 }])
})

test('a suggestion is a podcast object (D20) with at most three tags as reasons', async () => {
  const { as } = await openDirectory({
    people: { ida: ['a1', 'a2', 'a3'], bob: ['b', 'c'] },
    feeds: tagged({
      ...{ a1: ['Fog', 'Sea & Coast', 'Gulls', 'Ice'], a2: ['Sea & Coast', 'Ice'], a3: ['Ice'] },
      ...{ b: ['Gulls', 'Fog', 'Sea & Coast', 'Ice', 'Land'], c: ['Gulls', 'Land'] },
    }),
  })
  const answer = await as('ida').get(PATH)
  expect(namesIn(answer)).toEqual(['b', 'c'])
  // The strongest tags come first.
  expect(valuesOf(answer, 'because')[0]).toEqual(['Ice', 'Sea & Coast', expect.stringMatching(/^(?:Fog|Gulls)$/)])
  expect(Object(answer.json)[1]).toMatchObject({ title: urlOf('c'), scaled_logo_url: '', because: ['Gulls'] })
})

const TAGS = '/api/2/tags/10.json'
const tag = (title: string, slug: string, usage = 1) => ({ title, tag: slug, usage })

/** Ida has feeds f0, f1 and so on with these tags. */
async function open(...lists: readonly (readonly string[])[]) {
  const feeds = Object.fromEntries(lists.map((tags, n) => [`f${n}`, { tags: [...tags] }]))
  return openDirectory({ people: { ida: Object.keys(feeds) }, feeds })
}

test('tags are ordered by number of podcasts, then by slug, and change with the feed', async () => {
  const { anyone, publish } = await open(
    ['Winds', 'Boats', 'Érik', 'Fog'],
    ['Boats', 'Winds', 'Gulls'],
    ['Winds', 'erik 2'],
  )
  const first = [tag('Winds', 'winds', 3), tag('Boats', 'boats', 2), tag('Érik', 'erik'), tag('erik 2', 'erik-2')]
  expect((await anyone.get(TAGS)).json).toEqual([...first, tag('Fog', 'fog'), tag('Gulls', 'gulls')])
  await publish('f0', { tags: ['Gulls'] })
  const changed = [tag('Gulls', 'gulls', 2), tag('Winds', 'winds', 2), tag('Boats', 'boats'), tag('erik 2', 'erik-2')]
  expect((await anyone.get(TAGS)).json).toEqual(changed)
  expect(namesIn(await anyone.get('/api/2/tag/boats/10.json'))).toEqual(['f1'])
})

test('tags with the same slug are one, shown in the first spelling and found by any', async () => {
  const { anyone, publish } = await open(['Sea & Coast', 'Sea Coast'], [], [])
  await publish('f1', { tags: ['sea-coast', 'SEA COAST'] })
  await publish('f2', { tags: ['Séa, coast', 'A/B'] })
  expect((await anyone.get(TAGS)).json).toEqual([tag('Sea & Coast', 'sea-coast', 3), tag('A/B', 'a-b')])
  for (const spelling of ['sea-coast', '%20sEA+%E2%80%94cOAST!', 'Se%CC%81a%20coast'])
    expect(namesIn(await anyone.get(`/api/2/tag/${spelling}/10.json`))).toEqual(['f0', 'f1', 'f2'])
  expect(namesIn(await anyone.get('/api/2/tag/a%2Fb/10.json'))).toEqual(['f2'])
  for (const other of ['seacoast', 'sea%2520coast', '%20', '%00', "'%20OR%201=1--"])
    expect([other, namesIn(await anyone.get(`/api/2/tag/${other}/10.json`))]).toEqual([other, []])
})
