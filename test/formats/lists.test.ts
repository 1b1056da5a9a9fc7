import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ListedFeed } from '../../src/domain/shared/podcast.ts'
import { readList as listPieces, writeJsonp, writeUrls } from '../../src/formats/lists.ts'
import type { ListFormat } from '../../src/formats/negotiate.ts'
import { writePodcastXml } from '../../src/formats/podcast-xml.ts'
import { escapeXml } from '../../src/formats/xml-scan.ts'
import { anyWebUrl } from '../support/arbitraries.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f[1]'

const urlsOf = (feeds: readonly ListedFeed[]) => feeds.map(({ url }) => url)
const readList = (format: ListFormat, text: string) => [...listPieces(format, text)].flat()

describe('a list in txt (D8)', () => {
  test.each([
    ['', []],
    ['\n\n', []],
    [`${A}\n${B}`, [A, B]],
    [`\ufeff${A}\r\n${B}\r\n`, [A, B]],
    [`  ${A}\t\n \n# a comment\n #another\n${B}#part`, [A, `${B}#part`]],
  ])('%j holds %j', (text, urls) => {
    expect(urlsOf(readList('txt', text))).toEqual(urls)
  })

  test('is written with LF after each line, and reads back', () => {
    expect(writeUrls([])).toBe('')
    expect(writeUrls([A, B])).toBe(`${A}\n${B}\n`)
    fc.assert(
      fc.property(fc.array(anyWebUrl), (urls) => {
        expect(urlsOf(readList('txt', writeUrls(urls)))).toEqual(urls)
      }),
    )
  })
})

describe('a list in json (D9)', () => {
  test.each([
    ['[]', []],
    [`["${A}", "${B}"]`, [A, B]],
    [`\ufeff [{"url":"${A}","title":"x"},{"feed":"${B}"}]`, [A, B]],
    [`[{"url":null,"feed":"${B}"},{"url":"${A}","feed":"${B}"}]`, [B, A]],
    ['["", " "]', ['', ' ']],
  ])('%s holds %j', (text, urls) => {
    expect(urlsOf(readList('json', text))).toEqual(urls)
  })

  test('may have titles', () => {
    const items = [{ url: A, title: 'Harbour' }, { feed: B, title: 'Orbit' }, { url: A, title: 7 }, B]
    expect(readList('json', JSON.stringify(items))).toEqual([
      { url: A, title: 'Harbour' },
      { url: B, title: 'Orbit' },
      { url: A },
      { url: B },
    ])
  })

  test.each([
    ['invalid_json', undefined, ['', '   ', '[', `["${A}"`, `["${A}"] x`, "['x']", '['.repeat(1_000_000)]],
    ['validation_failed', 'body', [`"${A}"`, ...'null {} [null] [1] [[]] [{}] [{"url":1}] {"add":[]}'.split(' ')]],
  ])('is refused as %s if it is invalid', (code, field, texts) => {
    for (const text of texts) expect(() => readList('json', text)).toThrow(expect.objectContaining({ code, field }))
  })
})

test.each(['don\u0092t \u0096 go', 'don&#146;t &#x96; go'])('opml may have characters of Windows-1252: %j', (title) => {
  const text = `<opml><body><outline xmlUrl="${A}" text="${title}"/></body></opml>`
  expect(readList('opml', text)).toEqual([{ url: A, title: 'don’t – go' }])
})

test.each(['xml', 'jsonp'] as const)('a list in %s cannot be uploaded (D11)', (format) => {
  expect(() => readList(format, '')).toThrow(expect.objectContaining({ code: 'invalid_format' }))
})

describe('jsonp', () => {
  const wrapped = (name: string | undefined, text: string) => writeJsonp(name, [text])

  test('calls a function with the JSON, which is a valid script in old browsers, too', () => {
    for (const name of ['show', '_', 'jQuery19_7', '7']) expect(wrapped(name, A)).toBe(`${name}(["${A}"])`)
    expect(wrapped('f', '\u2028\u2029')).toBe('f(["\\u2028\\u2029"])')
  })

  test.each([undefined, '', 'a.b', 'a b', 'a-b', 'alert(1)//', 'é', 'a\n', '$'])('refuses the name %j', (name) => {
    expect(() => wrapped(name, A)).toThrow(expect.objectContaining({ code: 'validation_failed', field: 'jsonp' }))
  })
})

describe('a list in xml', () => {
  const HARBOUR = {
    ...{ url: 'https://feeds.example/harbour.xml?a=1&b=2', title: 'Harbour <Talk>', author: 'Tidewater & Co' },
    ...{ description: '', website: 'https://tidewater.example/', logoUrl: 'https://tidewater.example/logo.png' },
    ...{ language: 'en', subscribers: 3, subscribersLastWeek: 2 },
  }

  test('has one podcast element each, with all children; an unknown title is the URL', () => {
    const podcasts = [HARBOUR, { ...HARBOUR, title: '', url: A }]
    const text = writePodcastXml(podcasts, 'https://pods.example/sub')
    expect(text).toStartWith(`<?xml version="1.0" encoding="utf-8"?>
<podcasts>
  <podcast>
    <title>Harbour &lt;Talk&gt;</title>
    <url>https://feeds.example/harbour.xml?a=1&amp;b=2</url>
    <website>https://tidewater.example/</website>
    <mygpo_link>https://pods.example/sub/podcast?url=https%3A%2F%2Ffeeds.example%2Fharbour.xml%3Fa%3D1%26b%3D2</mygpo_link>
    <author>Tidewater &amp; Co</author>
    <description></description>
    <subscribers>3</subscribers>
    <logo_url>https://tidewater.example/logo.png</logo_url>
    <scaled_logo_url>https://tidewater.example/logo.png</scaled_logo_url>
  </podcast>
`)
    expect(text).toContain(`<title>${A}</title>`)
    expect(writePodcastXml([], 'https://pods.example')).toContain('<podcasts>\n</podcasts>')
  })

  test.each([
    [`<a href="x">Tom & 'Jo'</a>`, '&lt;a href=&quot;x&quot;&gt;Tom &amp; &apos;Jo&apos;&lt;/a&gt;'],
    ['one\ttwo\r\nthree', 'one&#9;two&#13;&#10;three'],
    ['a\0b\u0008c\u001fd\ufffee\uffff', 'abcde'],
    ['lone \ud800 and \udc00 gone', 'lone  and  gone'],
    ['øre 😀 \u0085', 'øre 😀 \u0085'],
  ])('escapes %j as %j', (text, escaped) => {
    expect(escapeXml(text)).toBe(escaped)
  })
})
