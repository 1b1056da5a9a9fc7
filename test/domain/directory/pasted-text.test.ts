import { expect, test } from 'bun:test'
import { readPastedText } from '../../../src/domain/directory/resolving.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const BOTH = ['https://tidewater.example/feed', 'http://tidewater.example/feed']

const SCHEMES =
  'feed:// feed: pcast:// itpc:// podcast:// web+podcast: antennapod-subscribe:// pktc://subscribe/'.split(' ')

test.each<readonly [string, string[]]>([
  // Addresses with a scheme are taken as they are.
  [FEED, [FEED]],
  [` ${FEED}\n`, [FEED]],
  ['http://tidewater.example/feed', ['http://tidewater.example/feed']],
  ['HTTPS://Tidewater.example/Feed', ['https://tidewater.example/Feed']],
  // Without a scheme, https comes first.
  ['tidewater.example/feed', BOTH],
  ['www.tidewater.example', ['https://www.tidewater.example/', 'http://www.tidewater.example/']],
  ['192.168.1.20:8080/f.xml', ['https://192.168.1.20:8080/f.xml', 'http://192.168.1.20:8080/f.xml']],
  ['müller.example/feed', ['https://xn--mller-kva.example/feed', 'http://xn--mller-kva.example/feed']],
  // Links for podcast apps.
  ...SCHEMES.map((scheme) => [`${scheme}tidewater.example/feed`, BOTH] as const),
  [`feed:${FEED}`, [FEED]],
  [`feed://${FEED}`, [FEED]],
  [`web+feed:${FEED}`, [FEED]],
  // Pages whose address contains that of a feed.
  [`https://antennapod.org/deeplink/subscribe?url=${encodeURIComponent(FEED)}&title=Harbour`, [FEED]],
  ['https://antennapod.org/deeplink/subscribe/?url=tidewater.example/feed', BOTH],
  [`https://www.antennapod.org/deeplink/subscribe/?url=${encodeURIComponent(FEED)}`, [FEED]],
  [`https://podcastaddict.com/feed/${encodeURIComponent(FEED)}`, [FEED]],
  ['https://subscribeonandroid.com/tidewater.example/feed', BOTH],
  ['https://antennapod.org/deeplink/subscribe', ['https://antennapod.org/deeplink/subscribe']],
  ['https://podcastaddict.com/feed/%E0%A4%A', ['https://podcastaddict.com/feed/%E0%A4%A']],
  // Text shared by an app has words around the address.
  [`Harbour Talk, listen here: ${FEED}.`, [FEED]],
  [`(${FEED})\nSent from my phone`, [FEED]],
])('%p contains the addresses %j', (text, urls) => {
  const meant = readPastedText(text)
  expect(meant.kind === 'addresses' ? [...meant.urls] : meant.kind).toEqual(urls)
})

test.each([
  ['https://podcasts.apple.com/de/podcast/harbour-talk/id1234567890', '1234567890'],
  ['https://podcasts.apple.com/de/podcast/harbour-talk/id1234567890?i=1000600', '1234567890'],
  ['podcasts.apple.com/de/podcast/id1234567890', '1234567890'],
  ['https://itunes.apple.com/us/podcast/id1234567890?mt=2', '1234567890'],
  ['https://overcast.fm/itunes1234567890/harbour-talk', '1234567890'],
  ['https://pca.st/itunes/1234567890', '1234567890'],
  ['Harbour Talk https://podcasts.apple.com/podcast/id1234567890', '1234567890'],
])('%p is a podcast in Apple’s directory', (text, id) => {
  expect(readPastedText(text)).toMatchObject({ kind: 'apple', id })
})

test.each(['https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk', 'open.spotify.com/show/x', 'https://youtu.be/x'])(
  '%p belongs to a service without feeds',
  (text) => {
    expect(readPastedText(text).kind).toBe('closed')
  },
)

test.each([
  ...['harbour talk', 'Harbour', 'ftp://tidewater.example/feed', 'javascript:alert(1)', 'file:///etc/passwd'],
  ...['mailto:ida@tidewater.example', 'ida@tidewater.example', 'localhost', 'feed:', 'https://', 'pcast://'],
  ...['a'.repeat(10_000), `https://tidewater.example/${'a'.repeat(4000)}`],
])('%p is a search for words', (text) => {
  expect(readPastedText(text)).toEqual({ kind: 'words' })
})
