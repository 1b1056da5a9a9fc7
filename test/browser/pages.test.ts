import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Demo } from '../web/support/demo.ts'
import { textsIn } from '../web/support/texts.ts'
import { BROWSER, openBrowser, signInAs } from '../web/support/web-browser.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser, PATIENCE, startBinary } from './support/browser-test.ts'
import { goWithin, settle, type WatchedPage, watchedPage } from './support/watch.ts'

/** For those who are not signed in. Addresses with a token come first of their kind: the rest of the address alone would load nothing. */
const DOORS = [
  '/login',
  '/login?error=sso_state',
  '/activate#token=unknown',
  '/activate',
  '/reset-password#token=unknown',
  '/reset-password',
  '/register',
]

/** `{feeds}` is the web server of the sample podcasts. */
const PAGES = [
  '/',
  '/podcast?url={feeds}/harbour.xml',
  '/podcast?url={feeds}/gone.xml',
  '/episode?podcast={feeds}/harbour.xml&url={feeds}/harbour/34.mp3',
  '/discover',
  '/discover?q=harbour',
  '/listening',
  '/devices',
  '/connect',
  '/upgrades',
  '/transfer',
  '/account',
  '/admin/users',
  '/admin/feeds',
  '/admin/server',
]

/** German words are the longest of those we speak. */
const LOCALE_OF = { light: 'en', dark: 'de' } as const
const PHONE = 360
const WIDTHS = [PHONE, 1280]
const NARROWEST = 320
const HEIGHT = 800

if (BROWSER === undefined)
  process.stderr.write('skipped: the web client is not tried, there is no browser (chromium)\n')

describeInBrowser('every page', () => {
  let demo: Demo
  let browser: Browser
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
    const context = await browser.newContext()
    await signInAs(await context.newPage(), demo.url, 'ida', 'seaglass')
    signedIn = await context.storageState()
    await context.close()
  }, PATIENCE)

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  }, PATIENCE)

  const looks = (['light', 'dark'] as const).flatMap((theme) => WIDTHS.map((width) => [theme, width] as const))
  describe.each(looks)('%s, %i px wide', (colorScheme, width) => {
    const locale = LOCALE_OF[colorScheme]
    let outside: WatchedPage
    let inside: WatchedPage

    beforeAll(async () => {
      const look = { colorScheme, viewport: { width, height: HEIGHT }, locale, reducedMotion: 'reduce' } as const
      outside = await watchedPage(await browser.newContext(look), demo.url)
      inside = await watchedPage(await browser.newContext({ ...look, storageState: signedIn }), demo.url)
    }, PATIENCE)

    afterAll(async () => {
      await outside.page.context().close()
      await inside.page.context().close()
    }, PATIENCE)

    test.each(DOORS)('%s, signed out', (path) => check(outside, path), PATIENCE)
    test.each(PAGES)('%s, signed in', (path) => check(inside, path), PATIENCE)

    test(
      'an address within the client that is no page',
      async () => {
        await inside.page.goto(demo.url)
        await settle(inside.page)
        await goWithin(inside.page, '/no-such-page')
        await inside.page.locator('h1', { hasText: textsIn(locale)('common.errors.notFoundTitle') }).waitFor()
        await inspect(inside)
      },
      PATIENCE,
    )

    async function check(watched: WatchedPage, path: string): Promise<void> {
      await watched.page.goto(demo.url + path.replaceAll('{feeds}', encodeURIComponent(demo.feeds)))
      await inspect(watched)
    }

    async function inspect({ page, complaints }: WatchedPage): Promise<void> {
      await settle(page)
      expect(await violationsOn(page)).toEqual([])
      expect(complaints()).toEqual([])
      expect(await page.getByRole('banner').count()).toBe(1)
      expect(await overhang(page)).toBe(0)
      if (width !== PHONE) return
      await page.setViewportSize({ width: NARROWEST, height: HEIGHT })
      expect(await overhang(page)).toBe(0)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      expect(await overhang(page)).toBe(0)
      await page.evaluate("document.documentElement.style.fontSize = ''")
      await page.setViewportSize({ width, height: HEIGHT })
    }
  })
})

/** How far the page, once it is drawn, can be pushed sideways, in CSS pixels. */
function overhang(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth))))`)
}
