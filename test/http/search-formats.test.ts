import { describe, expect, test } from 'bun:test'
import { clientOf } from '../support/client.ts'
import { urlOf } from './directory-scene.ts'
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
