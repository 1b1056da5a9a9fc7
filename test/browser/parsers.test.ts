import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { type LoadedModule, loadModule } from './support/module.ts'

const WEB = join(import.meta.dir, '../../src/web')

/** Where texts of others go through the parsers of the browser. An empty page is enough. */
describeInBrowser('the parsers of the browser', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
    page = await browser.newPage()
    await page.goto('about:blank')
  }, PATIENCE)

  afterAll(() => browser.close(), PATIENCE)

  describe('find in a list (protocol.md D10)', () => {
    let outlines: LoadedModule
    beforeAll(async () => {
      outlines = await loadModule(page, join(WEB, 'pages/transfer/parse-outlines.ts'))
    })

    test.each([
      [
        'an outline',
        '<opml><body><outline xmlUrl="https://a.example/f" text="A"/></body></opml>',
        'https://a.example/f',
      ],
      ['names in any case', '<OPML><BODY><Outline XMLURL="https://a.example/f"/></BODY></OPML>', 'https://a.example/f'],
      [
        'outlines within outlines, in order',
        '<opml><outline text="N"><outline xmlUrl="https://a.example/"/></outline><outline xmlUrl="https://b.example/"/></opml>',
        'none https://a.example/ https://b.example/',
      ],
      ['references', '<opml><outline xmlUrl="https://a.example/?b=1&amp;c=2"/></opml>', 'https://a.example/?b=1&c=2'],
      [
        'a bare &, though it is not well-formed',
        '<opml><outline xmlUrl="https://a.example/?b=1&c=2"/></opml>',
        'https://a.example/?b=1&c=2',
      ],
      [
        'a reference that nobody knows, as it is',
        '<opml><outline xmlUrl="https://a.example/?b=1&shy=2"/></opml>',
        'https://a.example/?b=1&shy=2',
      ],
      [
        'an end that is missing',
        '<opml><body><outline xmlUrl="https://a.example/f"><outline xmlUrl="https://b.example/"',
        'https://a.example/f',
      ],
      [
        'what follows blank lines',
        '\n \n<?xml version="1.0"?><opml><outline xmlUrl="https://a.example/"/></opml>',
        'https://a.example/',
      ],
      ['a namespace', '<opml xmlns="urn:x"><outline xmlUrl="https://a.example/"/></opml>', 'https://a.example/'],
      ['no outlines', '<opml/>', ''],
      [
        'comments and CDATA are none',
        '<opml><!--<outline xmlUrl="a"/>--><x><![CDATA[<outline xmlUrl="b"/>]]></x></opml>',
        '',
      ],
      [
        'entities of a document type, without those from elsewhere',
        '<!DOCTYPE opml [<!ENTITY e "https://a.example/"><!ENTITY f SYSTEM "file:///etc/passwd">]><opml><outline xmlUrl="&e;"/></opml>',
        'https://a.example/',
      ],
    ])('%s', async (_, text, expected) => {
      const found = await outlines.call('parseOutlines', text)
      expect(addressesOf(found).join(' ')).toBe(expected)
    })

    test.each([
      ['a page', '<!doctype html><html><body><p>hello</p></body></html>'],
      ['a feed', '<rss><channel><title>N</title></channel></rss>'],
      ['another page that speaks of OPML', '<html><body>&lt;opml></body></html>'],
      ['nothing', ''],
    ])('%s is no list', async (_, text) => {
      expect(await outlines.call('parseOutlines', text)).toBeUndefined()
    })

    test('names in capitals and texts as they stand there', async () => {
      const text = '<opml><outline text="Öl &#38; &quot;Gas&quot;" TITLE=" a  b "/></opml>'
      expect(await outlines.call('parseOutlines', text)).toEqual([
        [
          ['text', 'Öl & "Gas"'],
          ['title', ' a  b '],
        ],
      ])
    })
  })

  describe('the words of a description', () => {
    let words: LoadedModule
    beforeAll(async () => {
      words = await loadModule(page, join(WEB, 'parts/plain-text.ts'))
    })

    test.each([
      ['plain words', 'Gulls and pilots.', 'Gulls and pilots.'],
      ['blanks and line ends become one space', '  Gulls \n\n and\tpilots ', 'Gulls and pilots'],
      ['paragraphs are words apart', '<p>Gulls</p><p>and <b>pilots</b></p>', 'Gulls and pilots'],
      ['character references', 'Fish &amp; chips &lt;3 &#8211; caf&eacute;', 'Fish & chips <3 – café'],
      ['references that spell markup stay words', '&lt;b&gt;bold&lt;/b&gt;', '<b>bold</b>'],
      ['signs that are no markup', '1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
      ['a > within an attribute', '<a title="a > b" href="/">Gulls</a>', 'Gulls'],
      ['comments, also without an end', 'Gulls<!-- a --> and <!-- pilots', 'Gulls and'],
      ['scripts and styles with all that is in them', 'Gulls<script>alert(1)</script><STYLE>p{}</STYLE>', 'Gulls'],
      ['a script without an end', 'Gulls <script>alert(1)', 'Gulls'],
      ['a tag without an end', 'Gulls <a href="https://a.example', 'Gulls'],
      ['nothing', '', ''],
    ])('%s', async (_, html, expected) => {
      expect(await words.call('plainText', html)).toBe(expected)
    })

    test('are looked for at its beginning only', async () => {
      expect(await words.call('plainText', 'gull '.repeat(10_000))).toBe('gull '.repeat(140).trim())
    })

    test('nothing in it is run or fetched', async () => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await words.call(
        'plainText',
        '&lt;img src="https://a.example/x" onerror="window.ran = 1"&gt;<img src="https://a.example/x">',
      )
      expect(await page.evaluate('window.ran')).toBeUndefined()
      expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([])
    })
  })
})

/** The address of each outline, and “none” for those that have none. */
function addressesOf(outlines: unknown): unknown[] {
  if (!Array.isArray(outlines)) return ['no list']
  return outlines.map((outline: [string, string][]) => new Map(outline).get('xmlurl') ?? 'none')
}
