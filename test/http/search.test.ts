import { describe, expect, test } from 'bun:test'
import { clientOf, signUp } from '../support/client.ts'
import { openDirectory, urlOf } from './directory-scene.ts'
import { expectRefusal } from './refusal.ts'
import { openSearch, searcher } from './search-scene.ts'

const { search } = await openSearch({
  tides: {
    title: 'Harbour Talk',
    author: 'Tidewater Radio',
    tags: ['Sea & Coast', 'Ça va'],
    description: '<p>Boats &amp; <b>birds</b> every Thursday. It’s about fog.</p>',
  },
  hills: { title: 'Hill Walks', author: 'Uplands', tags: ['Sports'], description: 'Sheep' },
})

describe('a podcast is found by', () => {
  test.each([
    ['its title', 'Harbour Talk'],
    ['a word of its title', 'talk'],
    ['the beginning of a word', 'harb'],
    ['one letter', 'h t'],
    ['words in another order', 'talk harbour'],
    ['words in another case', 'hArBoUr TALK'],
    ['words with accents it has not', 'hárböur'],
    ['words without accents it has', 'ca va'],
    ['words with many spaces', '  harbour \t  talk  '],
    ['words with signs', '"harbour", (talk)!'],
    ['a word twice', 'harbour harbour'],
    ['its author', 'tidewater'],
    ['a tag', 'coast'],
    ['a word of its description', 'thursday'],
    ['a word of its description that is marked up', 'birds'],
    ['a word with an apostrophe', "it's"],
    ['words of title and author', 'harbour tidewater'],
    ['words of all fields', 'fog harb coas tidew'],
    ['its title without the space', 'harbourtalk'],
  ])('%s', async (_what, query) => {
    expect(await search(query)).toEqual(['tides'])
  })

  test.each([
    ['a word it has not, beside one it has', 'harbour hill'],
    ['the end of a word', 'our'],
    ['a word that goes on after its own', 'seas'],
    ['markup of its description', 'amp'],
    ['its address, when it has a title', 'feeds.example'],
  ])('not by %s', async (_what, query) => {
    expect(await search(query)).toEqual([])
  })
})

describe('a query', () => {
  test.each(['', '?q=', '?q=%20', '?q=%20%09%0A', '?q=%E3%80%80', '?Q=harbour'])('%j says nothing', async (query) => {
    const { anyone } = await openDirectory({ people: {} })
    expectRefusal(await anyone.get(`/search.json${query}`), 400, 'validation_failed', 'q')
  })

  test.each([
    '!',
    '"',
    '*',
    '🎙️',
    '\0',
    '%',
    "'; DROP TABLE podcasts; --",
    '" OR "',
    'a NEAR b',
    '{title} : x',
    'NOT',
    'x'.repeat(5000),
  ])('%j is answered', async (query) => {
    expect(await search(query)).toEqual([])
  })
})

describe('the address of a feed', () => {
  test.each(['https://feeds.example/tides', ' HTTPS://Feeds.Example/tides ', 'http://feeds.example:80/plain'])(
    '%j finds that',
    async (query) => {
      const { app } = await openDirectory({ people: { ida: ['tides', 'hills'] } })
      app.db.run("UPDATE podcasts SET url = 'http://feeds.example/plain' WHERE url LIKE '%hills'")
      const { json } = await clientOf(app).get(`/search.json?q=${encodeURIComponent(query)}`)
      expect(json).toMatchObject([{ url: query.includes('plain') ? 'http://feeds.example/plain' : urlOf('tides') }])
    },
  )

  test('is fetched if nobody knows it, and is found by its words only when somebody has it', async () => {
    const { app, anyone, as, change } = await openDirectory({ people: { ida: [] }, feeds: { new: { title: 'Fog' } } })
    const find = searcher(anyone)
    expect(await find(urlOf('new'))).toEqual(['new'])
    expect(await find('fog')).toEqual([])
    await change('ida', 'phone', { add: ['new'] })
    expect(await find('fog')).toEqual(['new'])
    expect(await searcher(as('ida'))(urlOf('new'))).toEqual(['new'])
    await app.idle()
  })
})

describe('a feed that was never fetched', () => {
  const url = 'https://shows.tidewater.example/sea/feed.xml?page=abracadabra'

  async function open() {
    const { app, as } = await openDirectory({ people: { ida: [] } })
    await as('ida').post('/api/2/subscriptions/ida/phone.json', { add: [url] })
    return { app, find: searcher(clientOf(app)) }
  }

  test.each(['tidewater', 'shows.tidewater.example', 'sea feed', 'example'])(
    'is found by where it is: %s',
    async (query) => {
      expect(await (await open()).find(query)).toEqual([url])
    },
  )

  test('is found by nothing that all have, or that is nobody’s business, nor is that kept among the words', async () => {
    const { app, find } = await open()
    for (const query of ['https', 'page', 'abracadabra']) expect(await find(query)).toEqual([])
    const words = app.db.query<{ word: string }, []>('SELECT word FROM search_words ORDER BY word').all()
    expect(words.map(({ word }) => word)).toEqual(['example', 'feed', 'shows', 'tidewater'])
  })
})

describe('what is found changes', () => {
  test('with what the feed says', async () => {
    const { publish, ...directory } = await openSearch({ tides: { title: 'Harbour Talk', tags: ['Sea'] } })
    await publish('tides', { title: 'Gull Watch', tags: ['Birds'], description: 'Chips' })
    for (const gone of ['harbour', 'talk', 'sea']) expect(await directory.search(gone)).toEqual([])
    for (const there of ['gull', 'watch', 'birds', 'chips', 'gull watch'])
      expect(await directory.search(there)).toEqual(['tides'])
  })
})

test('people find their private podcasts, which nobody else does', async () => {
  const { app, as } = await openDirectory({
    people: { ida: ['tides'], ole: [] },
    feeds: { tides: { title: 'Fog', isBlocked: true } },
  })
  expect(await searcher(as('ida'))('fog')).toEqual(['tides'])
  for (const other of [as('ole'), clientOf(app), await signUp(app, 'eva')])
    expect(await searcher(other)('fog')).toEqual([])
  const answer = await as('ida').get('/search.jsonp?q=fog&jsonp=show')
  expect(answer.text).toBe('show([])')
})
