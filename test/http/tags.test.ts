import { describe, expect, test } from 'bun:test'
import { namesIn, openDirectory, valuesOf } from './directory-scene.ts'

const tag = (slug: string, usage = 1, title = slug) => ({ title, tag: slug, usage })

/** One person with one feed that says it has these tags. */
async function openWith(...tags: string[]) {
  return openDirectory({ people: { ida: ['a'] }, feeds: { a: { tags } } })
}

/** Ida with as many feeds as there are lists of tags. */
async function openEach(lists: readonly (readonly string[])[]) {
  const feeds = Object.fromEntries(lists.map((tags, n) => [`f${n}`, { tags: [...tags] }]))
  return openDirectory({ people: { ida: Object.keys(feeds) }, feeds })
}

describe('the slug of a tag', () => {
  test.each([
    ['Sea', 'sea'],
    ['Sea & Coast', 'sea-coast'],
    ['  Sea —/— Coast!  ', 'sea-coast'],
    ['sea-coast', 'sea-coast'],
    ['Sea_Coast', 'sea-coast'],
    ['Économie & société', 'economie-societe'],
    ['Ærø', 'ærø'],
    ['Straße', 'straße'],
    ['Ça-va?', 'ca-va'],
    ['R&B', 'r-b'],
    ['a/b', 'a-b'],
    ['9to5', '9to5'],
    ['ニュース', 'ニュース'],
    ['日本 の 歴史', '日本-の-歴史'],
    ['Новости', 'новости'],
    ['الأخبار', 'الاخبار'],
    ['हिन्दी', 'हिन्दी'],
    ['TV ＆ Film', 'tv-film'],
    ['ﬁlm', 'film'],
    ['x'.repeat(80), 'x'.repeat(64)],
    [`${'x'.repeat(63)} yz`, 'x'.repeat(63)],
  ])('%j is %j', async (title, slug) => {
    const { anyone } = await openWith(title)
    const { json } = await anyone.get('/api/2/tags/10.json')
    expect(json).toEqual([{ title, tag: expect.any(String), usage: 1 }])
    expect(valuesOf(await anyone.get('/api/2/tags/10.json'), 'tag')).toEqual([slug])
  })

  test.each(['', ' ', '&', '!!!', '🎙', '-'])('%j has none, and is no tag', async (title) => {
    const { anyone } = await openWith(title)
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([])
  })
})

describe('tags', () => {
  test('come by how many podcasts carry them, then by slug', async () => {
    const { anyone } = await openEach([
      ['Winds', 'Boats', 'Érik', 'Fog'],
      ['Boats', 'Winds', 'Gulls'],
      ['Winds', 'erik 2'],
    ])
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([
      tag('winds', 3, 'Winds'),
      tag('boats', 2, 'Boats'),
      tag('erik', 1, 'Érik'),
      tag('erik-2', 1, 'erik 2'),
      tag('fog', 1, 'Fog'),
      tag('gulls', 1, 'Gulls'),
    ])
  })

  test('that are spelt differently are one if their slug is one, with the spelling that came first', async () => {
    const { anyone } = await openEach([['Sea & Coast', 'Sea Coast'], ['sea-coast', 'SEA COAST'], ['Séa, coast']])
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('sea-coast', 3, 'Sea & Coast')])
    expect(namesIn(await anyone.get('/api/2/tag/sea-coast/10.json'))).toEqual(['f0', 'f1', 'f2'])
  })

  test('change with the feed', async () => {
    const { anyone, publish } = await openDirectory({
      people: { ida: ['a', 'b'] },
      feeds: { a: { tags: ['Fog', 'Sea'] }, b: { tags: ['Sea'] } },
    })
    expect(valuesOf(await anyone.get('/api/2/tags/10.json'), 'tag')).toEqual(['sea', 'fog'])
    await publish('a', { tags: ['Winds', 'Fog'] })
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([
      tag('fog', 1, 'Fog'),
      tag('sea', 1, 'Sea'),
      tag('winds', 1, 'Winds'),
    ])
    expect(namesIn(await anyone.get('/api/2/tag/sea/10.json'))).toEqual(['b'])
    expect(namesIn(await anyone.get('/api/2/tag/winds/10.json'))).toEqual(['a'])
  })
})

describe('podcasts of a tag', () => {
  test.each([
    ['as the list names it', 'sea-coast'],
    ['as the feed spells it', 'Sea%20%26%20Coast'],
    ['in any spelling', '%20sEA+%E2%80%94cOAST!'],
    ['with a slash in it', 'a%2Fb'],
    ['in Japanese', '%E3%83%8B%E3%83%A5%E3%83%BC%E3%82%B9'],
    ['in Japanese, with capitals in the escapes or without', '%e3%83%8b%e3%83%a5%e3%83%bc%e3%82%b9'],
    ['with a dot', 'sea.coast'],
    ['with accents that are letters of their own', 'Se%CC%81a%20coast'],
  ])('are found by it %s', async (_case, spelling) => {
    const { anyone } = await openWith('Sea & Coast', 'A/B', 'ニュース')
    expect(namesIn(await anyone.get(`/api/2/tag/${spelling}/10.json`))).toEqual(['a'])
  })

  test.each(['sea', 'seacoast', 'sea%2520coast', 'coast-sea', '%26', '%20', '%00', "'%20OR%201=1--", '%F0%9F%8E%99'])(
    'are none of a tag that nobody has: %s',
    async (spelling) => {
      const { anyone } = await openWith('Sea & Coast')
      const { status, json } = await anyone.get(`/api/2/tag/${spelling}/10.json`)
      expect([status, json]).toEqual([200, []])
    },
  )

  test('come by subscribers, then by title, then by URL', async () => {
    const tags = ['Sea']
    const { anyone } = await openDirectory({
      people: { ida: ['e', 'd', 'c', 'b', 'a'], bob: ['c'] },
      feeds: {
        a: { title: 'Winds', tags },
        b: { title: 'Fog', tags },
        c: { title: 'Zither', tags },
        d: { title: 'Fog', tags },
        e: { title: 'Atlas', tags: ['Land'] },
      },
    })
    expect(namesIn(await anyone.get('/api/2/tag/sea/10.json'))).toEqual(['c', 'b', 'd', 'a'])
    expect(namesIn(await anyone.get('/api/2/tag/sea/2.json'))).toEqual(['c', 'b'])
  })
})
