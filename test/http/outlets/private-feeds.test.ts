import { describe, expect, test } from 'bun:test'
import { XMLValidator } from 'fast-xml-parser'
import type { Answer } from '../../support/client.ts'
import { parseFeed } from '../../support/feed-document.ts'
import { urlOf } from '../directory/scene.ts'
import { expectError } from '../error.ts'
import { ACTIONS, hourly, itemsIn, open, pathOf, RELEASED, titlesIn } from './private-feed-scene.ts'

describe('new episodes', () => {
  test('of all podcasts are one feed, newest first', async () => {
    const { anyone, addresses } = await open({ a: hourly('a', 2), b: hourly('b', 1) })
    const answer = await anyone.get(pathOf(addresses.new))
    expect(titlesIn(answer)).toEqual(expect.arrayContaining(['Podcast a: a 1', 'Podcast b: b 0', 'Podcast a: a 0']))
    const newest: unknown = itemsIn(answer).find(({ title }) => String(title) === 'Podcast a: a 1')
    expect(newest).toEqual({
      title: 'Podcast a: a 1',
      link: 'https://site.example/a/1',
      description: '<p>Notes of <b>a</b> &amp; more</p>',
      enclosure: { '@url': 'https://cdn.example/a1.mp3', '@length': '4096', '@type': 'audio/mpeg' },
      guid: { '@isPermaLink': 'false', '#text': expect.stringMatching(/^[0-9a-f]{32}$/) },
      pubDate: 'Sun, 02 Mar 2025 09:00:00 +0000',
      'itunes:duration': '1800',
      'itunes:image': { '@href': 'https://pictures.example/a.png' },
      source: { '@url': urlOf('a'), '#text': 'Podcast a' },
    })
    expect(titlesIn(answer)[2]).toBe('Podcast a: a 0')
    // The feed worker can read it, too.
    const parsed = parseFeed(Buffer.from(answer.text), 'application/rss+xml', { url: addresses.new, maxEpisodes: 500 })
    expect(parsed).toMatchObject({ title: 'New episodes (ida)', isBlocked: true })
    expect(parsed.episodes[0]).toMatchObject({ duration: 1800, size: 4096, released: RELEASED })
    expect(parsed.episodes).toHaveLength(3)
  })

  test('come from current subscriptions only', async () => {
    const { anyone, addresses, change, app } = await open({ a: hourly('a', 1), b: hourly('b', 1) })
    await change('bob', 'phone', { add: ['b'] })
    for (const [left, expected] of [
      ['b', ['Podcast a: a 0']],
      ['a', []],
    ] as const) {
      await change('ida', 'phone', { remove: [left] })
      await app.indexed()
      expect(titlesIn(await anyone.get(pathOf(addresses.new)))).toEqual([...expected])
    }
  })

  test('are the 200 newest, without those from private feeds of this server', async () => {
    const { anyone, addresses, change, publish } = await open(
      { a: hourly('a', 210) },
      { base_url: 'https://feeds.example' },
    )
    const own = addresses.new.replace('https://feeds.example/', '')
    await change('ida', 'phone', { add: [own] })
    await publish(own, hourly('own', 200))
    const titles = titlesIn(await anyone.get(pathOf(addresses.new)))
    expect(titles).toEqual(Array.from({ length: 200 }, (_, n) => `Podcast a: a ${209 - n}`))
  })

  test('of a tag come from podcasts whose feeds have it', async () => {
    const [a, b] = [hourly('a', 1, { tags: ['Sea & Coast'] }), hourly('b', 1, { tags: ['Hills'] })]
    const { anyone, addresses } = await open({ a, b })
    const get = (tag: string) => anyone.get(pathOf(addresses.tag).replace('%7Btag%7D', tag))
    expect(titlesIn(await get('sea-coast'))).toEqual(['Podcast a: a 0'])
    expect(titlesIn(await get('Sea%20%26%20Coast'))).toEqual(['Podcast a: a 0'])
    expect(itemsIn(await get('nobody-has-it'))).toEqual([])
    expectError(await anyone.get(pathOf(addresses.tag).replace('%7Btag%7D.rss', 'hills.xml')), 404, 'not_found')
    expectError(await anyone.get(pathOf(addresses.tag).replace('%7Btag%7D', '%ff')), 400, 'validation_failed', 'tag')
  })

  test('have unique and stable guids, even if episodes of a feed share one', async () => {
    const document = hourly('a', 3)
    const episodes = document.episodes.map((episode, n) => ({ ...episode, guid: n < 2 ? 'same' : '' }))
    const { anyone, addresses, ida } = await open({ a: { ...document, episodes } })
    const guids = async () => itemsIn(await anyone.get(pathOf(addresses.new))).map(({ guid }) => guid?.['#text'])
    const before = await guids()
    expect(before).toHaveLength(3)
    expect(new Set(before).size).toBe(3)
    await ida.post(ACTIONS, [{ podcast: urlOf('a'), episode: 'https://cdn.example/a0.mp3', action: 'download' }])
    expect(await guids()).toEqual(before)
  })
})

test('episodes in progress show how far they were played', async () => {
  const { anyone, addresses, ida } = await open({ a: hourly('a', 3) })
  const play0 = { action: 'play', started: 0, total: 7200 }
  const play = (n: number, position: number, timestamp: string, podcast = urlOf('a')) =>
    ida.post(ACTIONS, [{ ...play0, podcast, episode: `https://cdn.example/a${n}.mp3`, position, timestamp }])
  await play(0, 3723, '2025-03-02T08:00:00')
  await play(1, 60, '2025-03-02T09:00:00')
  await play(2, 7200, '2025-03-02T09:30:00')
  const answer = await anyone.get(pathOf(addresses.in_progress))
  expect(itemsIn(answer).map(({ title, description }) => [String(title), String(description)])).toEqual([
    ['Podcast a: a 1', '<p>Played up to 0:01:00 of 2:00:00.</p><p>Notes of <b>a</b> &amp; more</p>'],
    ['Podcast a: a 0', '<p>Played up to 1:02:03 of 2:00:00.</p><p>Notes of <b>a</b> &amp; more</p>'],
  ])
  // An unknown episode has only its addresses.
  await play(7, 60, '2025-03-02T09:40:00', 'https://unknown.example/feed')
  const text = (await anyone.get(pathOf(addresses.in_progress))).text
  expect(text).toContain('<enclosure url="https://cdn.example/a7.mp3" length="0" type="audio/mpeg"/>')
})

test('the list of subscriptions is current, for all devices or for one', async () => {
  const { anyone, addresses, change } = await open({ a: hourly('a', 0), b: hourly('b', 0) })
  const path = pathOf(addresses.subscriptions)
  const urls = (answer: Answer) => [...answer.text.matchAll(/xmlUrl="([^"]+)"/g)].map(([, url]) => url)
  const answer = await anyone.get(path)
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
  expect(XMLValidator.validate(answer.text)).toBe(true)
  expect(urls(answer)).toEqual([urlOf('a'), urlOf('b')])
  await change('ida', 'desk', { add: ['c'] })
  await change('ida', 'phone', { remove: ['a'] })
  expect(new Set(urls(await anyone.get(path)))).toEqual(new Set([urlOf('b'), urlOf('c')]))
  expect(urls(await anyone.get(`${path}?device=desk`))).toEqual([urlOf('c')])
  expectError(await anyone.get(`${path}?device=nobody`), 404, 'not_found')
  expectError(await anyone.get(`${path}?device=a/b`), 400, 'validation_failed', 'device')
})
