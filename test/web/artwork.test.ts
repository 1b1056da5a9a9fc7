import { describe, expect, test } from 'bun:test'
import { feedName, hasNoTitle } from '../../src/web/components/podcast/artwork.tsx'
import { artworkAddresses } from '../../src/web/components/podcast/artwork-addresses.ts'

const FEED = 'https://feeds.example/a?b=1&c'
const MEDIA = 'https://cdn.example/1.mp3?x=1&size=600#t'
const COVER = 'artwork/128?url=https%3A%2F%2Ffeeds.example%2Fa%3Fb%3D1%26c'
const OWN = `${COVER}&episode=https%3A%2F%2Fcdn.example%2F1.mp3%3Fx%3D1%26size%3D600%23t`
const CHAPTER = { episode: MEDIA, start: 61 }

describe('pictures are requested', () => {
  test.each([
    ['for the episode, then for the podcast', { episode: MEDIA }, [OWN, COVER]],
    ['for the podcast', {}, [COVER]],
    ['for the podcast if the episode has none', { episode: undefined, hasCover: true }, [COVER]],
    ['only for the episode if the podcast has none', { episode: MEDIA, hasCover: false }, [OWN]],
    ['first for the chapter', { episode: MEDIA, chapter: CHAPTER }, [`${OWN}&chapter=61`, OWN, COVER]],
    ['not at all if there are none', { hasCover: false }, []],
  ])('%s', (_where, fields, addresses) => {
    expect(artworkAddresses({ podcast: FEED, ...fields }, 128)).toEqual(addresses)
  })

  test('only from this server, for any URL', () => {
    for (const hostile of ['//elsewhere.example/x.png', 'data:image/png;base64,AA', '"><img src=x>', 'a&url=b'])
      for (const address of artworkAddresses({ podcast: hostile, episode: hostile }, 64)) {
        const { origin, pathname, searchParams } = new URL(address, 'https://pods.example/sub/')
        expect([origin, pathname]).toEqual(['https://pods.example', '/sub/artwork/64'])
        expect(searchParams.getAll('url')).toEqual([hostile])
      }
  })
})

test.each([
  ['Harbour Talk', 'https://feeds.example/harbour.xml', 'Harbour Talk', false],
  ['', 'https://feeds.example/harbour.xml', 'feeds.example/harbour.xml', true],
  ['https://feeds.example/harbour.xml', 'https://feeds.example/harbour.xml', 'feeds.example/harbour.xml', true],
  ['', 'https://www.feeds.example/a/b/?key=secret', 'feeds.example/a/b', true],
  ['', 'https://feeds.example/caf%C3%A9', 'feeds.example/café', true],
  ['', 'https://feeds.example/100%', 'feeds.example/100%', true],
  ['', 'no address', 'no address', true],
])('a podcast called “%s” from %s is shown as %s', (title, url, expected, nameless) => {
  expect(feedName({ title, url })).toBe(expected)
  expect(hasNoTitle({ title, url })).toBe(nameless)
  expect(hasNoTitle({ title: feedName({ title, url }), url })).toBe(nameless)
})
