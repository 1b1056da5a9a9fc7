import { expect, test } from 'bun:test'
import { feedName, hasNoTitle } from '../../src/web/components/podcast/artwork.tsx'

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
