import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf } from '../support/client.ts'
import { countsIn, namesIn, openDirectory, urlOf, valuesOf } from './directory-scene.ts'
import { expectRefusal } from './refusal.ts'

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

  test('are counted by podcasts, not by subscribers or devices', async () => {
    const { anyone, change } = await openDirectory({
      people: { ida: ['a', 'b'], bob: ['a'], eva: ['a'] },
      feeds: { a: { tags: ['Fog'] }, b: { tags: ['Sea'] } },
    })
    await change('ida', 'desk', { add: ['a'] })
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('fog', 1, 'Fog'), tag('sea', 1, 'Sea')])
  })

  test('that are spelt differently are one if their slug is one, with the spelling that came first', async () => {
    const { anyone } = await openEach([['Sea & Coast', 'Sea Coast'], ['sea-coast', 'SEA COAST'], ['Séa, coast']])
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('sea-coast', 3, 'Sea & Coast')])
    expect(namesIn(await anyone.get('/api/2/tag/sea-coast/10.json'))).toEqual(['f0', 'f1', 'f2'])
  })

  test('of a feed are the first twenty', async () => {
    const { anyone } = await openWith('!', ...Array.from({ length: 30 }, (_, n) => `Tag ${n + 10}`), 'tag 10')
    const slugs = valuesOf(await anyone.get('/api/2/tags/100.json'), 'tag')
    expect(slugs).toEqual(Array.from({ length: 20 }, (_, n) => `tag-${n + 10}`))
    expect((await anyone.get('/api/2/tag/tag-30/10.json')).json).toEqual([])
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

  test('vanish with the last podcast, and come back in the spelling of then', async () => {
    const { app, anyone, publish } = await openWith('Sea & Coast')
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('sea-coast', 1, 'Sea & Coast')])
    await publish('a', { tags: [] })
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([])
    expect((await anyone.get('/api/2/tag/sea-coast/10.json')).json).toEqual([])
    expect(app.db.query('SELECT * FROM tags').all()).toEqual([])
    await publish('a', { tags: ['SEA COAST'] })
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('sea-coast', 1, 'SEA COAST')])
  })

  test('stay with podcasts that nobody has any more, as long as somebody is there who had them', async () => {
    const { admin, anyone, change } = await openWith('Sea')
    await change('ida', 'phone', { remove: ['a'] })
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([tag('sea', 1, 'Sea')])
    expect(countsIn(await anyone.get('/api/2/tag/sea/10.json'))).toEqual(['a 0'])
    await admin.delete('/api/admin/users/ida')
    expect((await anyone.get('/api/2/tags/10.json')).json).toEqual([])
    expect((await anyone.get('/api/2/tag/sea/10.json')).json).toEqual([])
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

  test('are podcast objects with all keys (D20)', async () => {
    const { anyone } = await openWith('Sea')
    expect((await anyone.get('/api/2/tag/sea/1.json')).json).toEqual([
      {
        url: urlOf('a'),
        title: urlOf('a'),
        ...{ author: '', description: '', website: '', logo_url: '', scaled_logo_url: '', language: '' },
        ...{ subscribers: 1, subscribers_last_week: 1 },
        mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fa',
      },
    ])
  })
})

describe.each([
  ['/api/2/tags', (n: number) => [`Tag ${n}`]],
  ['/api/2/tag/sea', () => ['Sea']],
] as const)('how many: %s/{count}.json (D19)', (path, tagsOf) => {
  test.each([
    ['1', 1],
    ['100', 100],
    ['101', 100],
    ['9'.repeat(30), 100],
    ['0', 1],
    ['-7', 1],
  ])('%s is %i', async (count, expected) => {
    const { anyone } = await openEach(Array.from({ length: 120 }, (_, n) => tagsOf(n)))
    expect((await anyone.get(`${path}/${count}.json`)).json).toHaveLength(expected)
  })

  test.each(['many.json', '1.5.json', '%205.json', '.json', '5', '5.txt', '5.opml', '5.jsonp?jsonp=f', 'json'])(
    '%s is not found',
    async (file) => expectRefusal(await clientOf(startTestApp()).get(`${path}/${file}`), 404, 'not_found'),
  )

  test('may be kept for five minutes and used by any page, whoever asks; refusals may not', async () => {
    const { anyone, as } = await openWith('Sea')
    const { text } = await anyone.get(`${path}/5.JSON`)
    for (const answer of [
      await anyone.get(`${path}/5.json`),
      await as('ida').get(`${path}/5.json`),
      await anyone.get(`${path}/5.json`, { headers: basic('ida', 'wrong') }),
    ]) {
      expect(answer).toMatchObject({ status: 200, text })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const { headers } = await anyone.get(`${path}/many.json`)
    expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', '*'])
  })

  test('is read alone', async () => {
    const anyone = clientOf(startTestApp())
    expect(await anyone.call('HEAD', `${path}/5.json`)).toMatchObject({ status: 200, text: '' })
    for (const method of ['POST', 'PUT', 'DELETE'])
      expectRefusal(await anyone.call(method, `${path}/5.json`, { body: [] }), 405, 'method_not_allowed')
  })
})

test.each([
  ['/api/2/tag/%zz/5.json', 'tag'],
  ['/api/2/tag/100%/5.json', 'tag'],
  ['/api/2/tag/%ED%A0%80/5.json', 'tag'],
])('an address that cannot be decoded is a mistake: %s', async (path, field) =>
  expectRefusal(await clientOf(startTestApp()).get(path), 400, 'validation_failed', field),
)

test.each(['/api/2/tags/%zz.json', '/api/2/tag/sea/%E0.json'])(
  'what cannot be decoded is no number: %s',
  async (path) => expectRefusal(await clientOf(startTestApp()).get(path), 404, 'not_found'),
)
