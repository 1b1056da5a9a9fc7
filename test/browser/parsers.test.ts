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

  describe('the words of a description', () => {
    let words: LoadedModule
    beforeAll(async () => {
      words = await loadModule(page, join(WEB, 'components/notes/plain-text.ts'))
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
