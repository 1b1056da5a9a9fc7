import { describe, expect, test } from 'bun:test'
import { artworkAddresses } from '../../src/web/components/podcast/artwork-addresses.ts'

const FEED = 'https://feeds.example/a?b=1&c'
const MEDIA = 'https://cdn.example/1.mp3?x=1&size=600#t'
const COVER = 'artwork/128?url=https%3A%2F%2Ffeeds.example%2Fa%3Fb%3D1%26c'
const OWN = `${COVER}&episode=https%3A%2F%2Fcdn.example%2F1.mp3%3Fx%3D1%26size%3D600%23t`
const CHAPTER = { episode: MEDIA, start: 61 }

describe('pictures are looked for', () => {
  test.each([
    ['at the episode’s, then at the podcast’s', { episode: MEDIA }, [OWN, COVER]],
    ['at the podcast’s', {}, [COVER]],
    ['at the podcast’s of an episode without one', { episode: undefined, hasCover: true }, [COVER]],
    ['at the episode’s alone where the podcast has none', { episode: MEDIA, hasCover: false }, [OWN]],
    ['at the chapter’s first', { episode: MEDIA, chapter: CHAPTER }, [`${OWN}&chapter=61`, OWN, COVER]],
    ['nowhere', { hasCover: false }, []],
  ])('%s', (_where, fields, addresses) => {
    expect(artworkAddresses({ podcast: FEED, ...fields }, 128)).toEqual(addresses)
  })

  test('on this server alone, whatever the addresses are', () => {
    for (const hostile of ['//elsewhere.example/x.png', 'data:image/png;base64,AA', '"><img src=x>', 'a&url=b'])
      for (const address of artworkAddresses({ podcast: hostile, episode: hostile }, 64)) {
        const { origin, pathname, searchParams } = new URL(address, 'https://pods.example/sub/')
        expect([origin, pathname]).toEqual(['https://pods.example', '/sub/artwork/64'])
        expect(searchParams.getAll('url')).toEqual([hostile])
      }
  })
})
