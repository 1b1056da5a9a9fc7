import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf } from '../support/client.ts'
import { type Feeds, namesIn, openDirectory, urlOf } from './directory-scene.ts'
import { expectRefusal } from './refusal.ts'

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
