import { expect, test } from 'bun:test'
import { isOpml } from '../../../src/transfer/files/apps/opml.ts'

const head = (text: string) => new TextEncoder().encode(text).subarray(0, 4096)

test.each([
  ['after a declaration', '<?xml version="1.0"?>\n<opml version="2.0">', true],
  ['after a comment with another root', '<?xml version="1.0"?><!-- no <html> page --><OPML>', true],
  ['after a long comment', `<!-- ${'fog '.repeat(2000)} --><opml>`, true],
  ['in a comment only', '<!-- an <opml> list --><html>', false],
  ['in an instruction only', '<?fog <opml> ?><rss>', false],
  ['in another element, which fails later', '<rss><opml >', true],
])('OPML is detected by the beginning of the file: %s', (_where, text, expected) => {
  expect(isOpml(head(text))).toBe(expected)
})
