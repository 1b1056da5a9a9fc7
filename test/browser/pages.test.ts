import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Demo } from '../web/support/demo.ts'
import { textsIn } from '../web/support/texts.ts'
import { BROWSER, openBrowser, signInAs } from '../web/support/web-browser.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { goWithin, settle, type WatchedPage, watchedPage } from './support/watch.ts'

/** Addresses with a token come before the same without, since a change of the fragment alone loads nothing. */
const PUBLIC_PAGES = [
  '/login',
  '/login?error=sso_state',
  '/activate#token=unknown',
  '/activate',
  '/reset-password#token=unknown',
  '/reset-password',
  '/register',
]

/** `{feeds}` stands for the web server of the sample podcasts. */
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

/** German has the longest words. */
const LOCALE_OF = { light: 'en', dark: 'de' } as const
const PHONE = 360
const WIDTHS = [PHONE, 1280]
const NARROWEST = 320
const HEIGHT = 800

if (BROWSER === undefined)
  process.stderr.write('skipped: tests of the web client, because there is no browser (chromium)\n')

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
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  const looks = (['light', 'dark'] as const).flatMap((theme) => WIDTHS.map((width) => [theme, width] as const))
  describe.each(looks)('%s, %i px wide', (colorScheme, width) => {
    const locale = LOCALE_OF[colorScheme]
    let outside: WatchedPage
    let inside: WatchedPage

    beforeAll(async () => {
      const look = { colorScheme, viewport: { width, height: HEIGHT }, locale, reducedMotion: 'reduce' } as const
      outside = await watchedPage(await browser.newContext(look), demo.url)
      inside = await watchedPage(await browser.newContext({ ...look, storageState: signedIn }), demo.url)
    })

    afterAll(async () => {
      await outside.page.context().close()
      await inside.page.context().close()
    })

    test.each(PUBLIC_PAGES)('%s, signed out', (path) => check(outside, path))
    test.each(PAGES)('%s, signed in', (path) => check(inside, path))

    test('an unknown address', async () => {
      await inside.page.goto(demo.url)
      await settle(inside.page)
      await goWithin(inside.page, '/no-such-page')
      await inside.page.locator('h1', { hasText: textsIn(locale)('common.errors.notFoundTitle') }).waitFor()
      await inspect(inside)
    })

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

/** How far the page can be scrolled sideways, in CSS pixels. */
function overhang(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth))))`)
}
