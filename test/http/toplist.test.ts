import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf } from '../support/client.ts'
import { type Feeds, namesIn, openDirectory, urlOf } from './directory-scene.ts'
import { expectRefusal } from './refusal.ts'

const FORMATS = ['json', 'jsonp', 'txt', 'opml', 'xml'] as const
const PATHS = ['/toplist/50', '/toplist'] as const

/** `count` feeds that one person has. */
const many = (count: number) => ({ people: { ida: Array.from({ length: count }, (_, n) => `f${n}`) } })

describe('the toplist is in the order of', () => {
  const one = ['a', 'b', 'c']
  test.each<[string, Record<string, string[]>, Feeds, string[]]>([
    ['subscribers, most first', { ida: one, bob: ['b', 'c'], eva: ['b'] }, {}, ['b', 'c', 'a']],
    [
      'titles among equals',
      { ida: one },
      { a: { title: 'Winds' }, b: { title: 'Fog' }, c: { title: 'Gulls' } },
      ['b', 'c', 'a'],
    ],
    [
      'titles only among equals',
      { ida: one, bob: ['a'] },
      { a: { title: 'Winds' }, b: { title: 'Fog' }, c: { title: 'Gulls' } },
      ['a', 'b', 'c'],
    ],
    [
      'titles whatever their case and accents',
      { ida: one },
      { a: { title: 'gulls' }, b: { title: 'Érik' }, c: { title: 'Fog' } },
      ['b', 'c', 'a'],
    ],
    [
      'URLs among equal titles',
      { ida: ['c', 'a', 'b'] },
      { a: { title: 'Fog' }, b: { title: 'Fog' }, c: { title: 'Fog' } },
      ['a', 'b', 'c'],
    ],
    ['URLs where feeds say no title', { ida: ['c', 'b', 'a'] }, {}, ['a', 'b', 'c']],
    [
      'titles to their ends, however long they are',
      { ida: one },
      Object.fromEntries(['c', 'a', 'b'].map((end, n) => [one[n] ?? '', { title: `${'Harbour '.repeat(20)}${end}` }])),
      ['b', 'c', 'a'],
    ],
  ])('%s', async (_case, people, feeds, expected) => {
    const { anyone } = await openDirectory({ people, feeds })
    expect(namesIn(await anyone.get('/toplist/100.json'))).toEqual(expected)
    for (const count of [1, 2])
      expect(namesIn(await anyone.get(`/toplist/${count}.json`))).toEqual(expected.slice(0, count))
  })
})

describe('how many (D19)', () => {
  test.each([
    ['1', 1],
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['99999999999999999999999999', 100],
    ['0', 1],
    ['-1', 1],
    ['-99999999999999999999999999', 1],
    ['007', 7],
  ])('/toplist/%s.json has %i', async (count, expected) => {
    const { anyone } = await openDirectory(many(120))
    expect(namesIn(await anyone.get(`/toplist/${count}.json`))).toHaveLength(expected)
  })

  test('/toplist.json has 50', async () => {
    const { anyone } = await openDirectory(many(120))
    expect((await anyone.get('/toplist.json')).text).toBe((await anyone.get('/toplist/50.json')).text)
    expect(namesIn(await anyone.get('/toplist.json'))).toHaveLength(50)
  })

  test.each(['many', '1.5', '1e2', '0x10', '+5', '%205', '5%20', '%EF%BC%95', 'NaN', '-', '', '5,5', '5%00'])(
    '/toplist/%s.json is no list',
    async (count) => expectRefusal(await clientOf(startTestApp()).get(`/toplist/${count}.json`), 404, 'not_found'),
  )
})

describe('a podcast of the toplist', () => {
  test('has all keys of the podcast object, and its position a week ago (D20)', async () => {
    const harbour = {
      title: 'Harbour Talk',
      author: 'Tidewater',
      description: '<p>Boats &amp; birds</p>',
      website: 'https://tidewater.example/',
      logoUrl: 'https://tidewater.example/logo.png',
      language: 'en-gb',
    }
    const { anyone } = await openDirectory({ people: { ida: ['a'], bob: ['a', 'b'] }, feeds: { a: harbour } })
    const unknown = { author: '', description: '', website: '', logo_url: '', scaled_logo_url: '', language: '' }
    expect((await anyone.get('/toplist/2.json')).json).toEqual([
      {
        url: urlOf('a'),
        title: 'Harbour Talk',
        author: 'Tidewater',
        description: 'Boats & birds',
        website: 'https://tidewater.example/',
        logo_url: 'https://tidewater.example/logo.png',
        scaled_logo_url: 'https://tidewater.example/logo.png',
        language: 'en-gb',
        subscribers: 2,
        subscribers_last_week: 2,
        position_last_week: 0,
        mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fa',
      },
      {
        ...unknown,
        url: urlOf('b'),
        title: urlOf('b'),
        subscribers: 1,
        subscribers_last_week: 1,
        position_last_week: 0,
        mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fb',
      },
    ])
  })
})

describe.each(PATHS)('as %s.{format}', (path) => {
  const open = () => openDirectory({ people: { ida: ['b', 'a'] }, feeds: { a: { title: 'Fish & "Chips"' } } })

  test.each<[string, RegExp, RegExp]>([
    ['json', /^application\/json(?:; ?charset=utf-8)?$/i, /^\[\{"url":"https:\/\/feeds\.example\/a",.*\}\]$/],
    ['jsonp', /^application\/javascript; charset=utf-8$/i, /^show\(\[\{"url":"https:\/\/feeds\.example\/a",.*\}\]\)$/],
    ['txt', /^text\/plain; charset=utf-8$/i, /^https:\/\/feeds\.example\/a\nhttps:\/\/feeds\.example\/b\n$/],
    [
      'opml',
      /^text\/xml; charset=utf-8$/i,
      /<opml version="2\.0">[\s\S]*<title>Top podcasts<[\s\S]*title="Fish &amp; &quot;Chips&quot;"/,
    ],
    [
      'xml',
      /^application\/xml; charset=utf-8$/i,
      /<podcasts>[\s\S]*<title>Fish &amp; [\s\S]*<subscribers>1<\/subscribers>[\s\S]*<scaled_logo_url>/,
    ],
  ])('%s', async (format, type, content) => {
    const { anyone } = await open()
    for (const suffix of [format, format.toUpperCase()]) {
      const { status, headers, text } = await anyone.get(`${path}.${suffix}?jsonp=show`)
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(type)])
      expect(text).toMatch(content)
    }
  })

  test('without anything in it every format is a good answer', async () => {
    const anyone = clientOf(startTestApp())
    expect((await anyone.get(`${path}.json`)).text).toBe('[]')
    expect((await anyone.get(`${path}.jsonp?jsonp=f`)).text).toBe('f([])')
    expect((await anyone.get(`${path}.txt`)).text).toBe('')
    expect((await anyone.get(`${path}.opml`)).text).toMatch(/<body>\s*<\/body>/)
    expect((await anyone.get(`${path}.xml`)).text).toMatch(/<podcasts>\s*<\/podcasts>/)
  })

  test.each(['rss', 'html', 'jsonx', 'JSO', 'j%20son'])('suffix %s is refused', async (suffix) =>
    expectRefusal(await clientOf(startTestApp()).get(`${path}.${suffix}`), 400, 'invalid_format'),
  )

  test.each(['', '?jsonp=', '?jsonp=a.b', '?jsonp=a()', '?jsonp=%C3%A9', '?json=show'])(
    'jsonp with %j is refused, and nobody keeps that',
    async (query) => {
      const answer = await clientOf(startTestApp()).get(`${path}.jsonp${query}`)
      expectRefusal(answer, 400, 'validation_failed', 'jsonp')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  test('the name of a function means nothing to other formats', async () => {
    const { anyone } = await open()
    for (const format of ['json', 'txt', 'opml', 'xml'])
      expect((await anyone.get(`${path}.${format}?jsonp=a()`)).text).toBe((await anyone.get(`${path}.${format}`)).text)
  })

  test.each(['1', '64', '256'])('scale_logo=%s changes nothing (D7)', async (size) => {
    const { anyone } = await open()
    const { text } = await anyone.get(`${path}.json`)
    expect(await anyone.get(`${path}.json?scale_logo=${size}`)).toMatchObject({ status: 200, text })
  })

  test.each(['0', '257', '-1', '1.5', 'big', '', '1e2'])(
    'scale_logo=%s is refused whatever the format, and before anything else (D7)',
    async (size) => {
      const anyone = clientOf(startTestApp())
      for (const format of [...FORMATS, 'rss'])
        expectRefusal(await anyone.get(`${path}.${format}?scale_logo=${size}`), 400, 'validation_failed', 'scale_logo')
    },
  )

  test.each(FORMATS)('%s may be kept for five minutes and used by any page (D1, D4)', async (format) => {
    const { anyone } = await open()
    const { headers } = await anyone.get(`${path}.${format}?jsonp=show`, { headers: { origin: 'https://x.example' } })
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('set-cookie')).toBeNull()
  })

  test.each(FORMATS)('%s is the same for HEAD, without the body', async (format) => {
    const { anyone } = await open()
    const { headers, text } = await anyone.get(`${path}.${format}?jsonp=f`)
    const head = await anyone.call('HEAD', `${path}.${format}?jsonp=f`)
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin'])
      expect(head.headers.get(name)).toBe(headers.get(name))
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  })

  test('is the same for people with an account, and with wrong credentials', async () => {
    const { anyone, as } = await open()
    const { text } = await anyone.get(`${path}.json`)
    expect(await as('ida').get(`${path}.json`)).toMatchObject({ status: 200, text })
    expect(await anyone.get(`${path}.json`, { headers: basic('ida', 'wrong') })).toMatchObject({ status: 200, text })
  })
})

test.each(['/toplist/many.json', '/toplist/many.rss', '/toplist/.json'])(
  'scale_logo is looked at before the count: %s',
  async (path) =>
    expectRefusal(await clientOf(startTestApp()).get(`${path}?scale_logo=0`), 400, 'validation_failed', 'scale_logo'),
)

test.each(['POST', 'PUT', 'DELETE'])('%s is not understood', async (method) => {
  for (const path of PATHS) {
    const answer = await clientOf(startTestApp()).call(method, `${path}.json`, { body: [] })
    expectRefusal(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  }
})

test.each(['/toplist/%zz.json', '/toplist/%E0%A4.json', '/toplist/5%FF.json'])(
  'what cannot be decoded is no number either: %s',
  async (path) => expectRefusal(await clientOf(startTestApp()).get(path), 404, 'not_found'),
)
