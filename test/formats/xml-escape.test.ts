import { expect, test } from 'bun:test'
import { escapeXml } from '../../src/formats/xml-scan.ts'

test.each([
  ['Harbour Talk', 'Harbour Talk'],
  [`<a href="x">Tom & 'Jo'</a>`, '&lt;a href=&quot;x&quot;&gt;Tom &amp; &apos;Jo&apos;&lt;/a&gt;'],
  ['&amp;', '&amp;amp;'],
  ['one\ttwo\r\nthree', 'one&#9;two&#13;&#10;three'],
  ['a\0b\u0008c\u001fd\ufffee\uffff', 'abcde'],
  ['lone \ud800 and \udc00 gone', 'lone  and  gone'],
  ['øre 😀 \u0085', 'øre 😀 \u0085'],
])('%j is escaped as %j', (text, escaped) => {
  expect(escapeXml(text)).toBe(escaped)
})
