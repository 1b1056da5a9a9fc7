import { describe, expect, test } from 'bun:test'
import { clientOf } from '../support/client.ts'
import { urlOf } from './directory-scene.ts'
import { expectRefusal } from './refusal.ts'
import { openSearch } from './search-scene.ts'

const { app, as } = await openSearch({
  a: {
    title: 'Harbour & Sea',
    author: 'Tidewater',
    description: '<p>Boats &amp; birds</p>',
    website: 'https://tidewater.example/',
    logoUrl: 'https://tidewater.example/logo.png',
    language: 'en-gb',
    subscribers: 2,
  },
  b: 'Harbour Talk',
})
const anyone = clientOf(app)

test('what is found are podcast objects, with all their keys (D20)', async () => {
  const { status, headers, json } = await anyone.get('/search.json?q=sea')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(json).toEqual([
    {
      url: urlOf('a'),
      title: 'Harbour & Sea',
      author: 'Tidewater',
      description: 'Boats & birds',
      website: 'https://tidewater.example/',
      logo_url: 'https://tidewater.example/logo.png',
      scaled_logo_url: 'https://tidewater.example/logo.png',
      language: 'en-gb',
      subscribers: 2,
      subscribers_last_week: 2,
      mygpo_link: 'http://localhost/podcast?url=https%3A%2F%2Ffeeds.example%2Fa',
    },
  ])
})

describe('may be kept for five minutes by anybody (D4):', () => {
  test.each([
    ['what is found', 'harbour', 'public, max-age=300'],
    ['that nothing is found', 'zebra', 'public, max-age=300'],
    ['that there is nothing to look for in it', '!!', 'public, max-age=300'],
    ['the feed of an address', urlOf('a'), 'public, max-age=300'],
    [
      'but not that there is no feed at an address, which may be had later',
      'https://feeds.example/f?token=1',
      'no-store',
    ],
    ['however that is written', ' HTTPS://feeds.example/f?token=1 ', 'no-store'],
  ])('%s', async (_what, query, expected) => {
    for (const path of ['/search.json', '/search.jsonp', '/api/2/search/all']) {
      const answer = await anyone.get(`${path}?q=${encodeURIComponent(query)}&jsonp=show`)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, expected])
      expect(answer.headers.get('vary')).toBe(expected === 'no-store' ? null : 'Authorization, Cookie, Accept-Encoding')
    }
    for (const path of ['/search.json', '/api/2/search/all'])
      expect((await as('ida').get(`${path}?q=${encodeURIComponent(query)}`)).headers.get('cache-control')).toBe(
        'no-store',
      )
  })
})

describe('as a list of', () => {
  test.each<[string, RegExp, RegExp, string]>([
    ['json', /^application\/json(?:; ?charset=utf-8)?$/i, /^\[\{"url":"https:\/\/feeds\.example\/a",.*\}\]$/, '[]'],
    [
      'jsonp',
      /^application\/javascript; charset=utf-8$/i,
      /^show\(\[\{"url":"https:\/\/feeds\.example\/a",.*\}\]\)$/,
      'show([])',
    ],
    ['txt', /^text\/plain; charset=utf-8$/i, /^https:\/\/feeds\.example\/a\nhttps:\/\/feeds\.example\/b\n$/, ''],
    ['opml', /^text\/xml; charset=utf-8$/i, /<title>Search results<[\s\S]*title="Harbour &amp; Sea"/, 'Search results'],
    ['xml', /^application\/xml; charset=utf-8$/i, /<podcasts>[\s\S]*<title>Harbour &amp; Sea</, '<podcasts'],
  ])('%s', async (format, type, found, nothing) => {
    const some = await anyone.get(`/search.${format}?q=harbour&jsonp=show`)
    expect([some.status, some.headers.get('content-type')]).toEqual([200, expect.stringMatching(type)])
    expect(some.text).toMatch(found)
    const none = await anyone.get(`/search.${format}?q=zebra&jsonp=show`)
    expect([none.status, none.headers.get('content-type')]).toEqual([200, expect.stringMatching(type)])
    expect(none.text).toContain(nothing)
    expect(none.text).not.toContain('feeds.example')
  })

  test.each(['atom', 'html', 'json.txt'])('%s there is none', async (format) => {
    expectRefusal(await anyone.get(`/search.${format}?q=harbour`), 400, 'invalid_format')
  })
})

describe('a call of a function', () => {
  test.each(['', '?jsonp=', '?jsonp=a(b)', '?jsonp=a%20b', '?jsonp=%3Cscript%3E'])(
    'needs its name: %j',
    async (query) => {
      const { status, json } = await anyone.get(`/search.jsonp${query}${query ? '&' : '?'}q=harbour`)
      expect([status, json]).toEqual([400, expect.objectContaining({ error: 'validation_failed' })])
    },
  )
})

describe('a size of logos', () => {
  test.each(['1', '64', '256'])('may be %s', async (size) => {
    expect((await anyone.get(`/search.json?q=harbour&scale_logo=${size}`)).status).toBe(200)
  })

  test.each(['0', '257', '-1', '1.5', 'x', ''])('may not be %j, whatever is looked for', async (size) => {
    for (const path of [`/search.json?q=harbour&scale_logo=${size}`, `/search.txt?q=&scale_logo=${size}`])
      expectRefusal(await anyone.get(path), 400, 'validation_failed', 'scale_logo')
  })
})

test('an answer for somebody is for nobody else to keep', async () => {
  const { headers } = await as('ida').get('/search.json?q=harbour')
  expect(headers.get('cache-control')).not.toContain('public')
  expect(headers.get('vary')).toBe('Authorization, Cookie, Accept-Encoding')
  await app.idle()
})
