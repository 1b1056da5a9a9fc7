import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LOCALES, textsIn } from '../web/support/texts.ts'
import { BROWSER, signInAs } from '../web/support/web-browser.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { goWithin, settle, until, type WatchedPage } from './support/watch.ts'

const PUBLIC_PAGES =
  '/login /login?error=sso_state /activate#token=unknown /activate /reset-password#token=unknown /reset-password /register'

/** `{feeds}` stands for the web server of the sample podcasts. */
const PAGES =
  '/ /inbox /queue /podcast?url={feeds}/harbour.xml /podcast?url={feeds}/gone.xml ' +
  '/episode?podcast={feeds}/harbour.xml&url={feeds}/harbour/34.mp3 /add /add?url={feeds}/harbour.xml /discover /discover?q=harbour /listening /year /favorites /activity /devices ' +
  '/connect /transfer /account /outlets /admin/users /admin/feeds /admin/server /admin/log'

const HEIGHT = 800
/** German has the longest words. */
const LANGUAGE = 'de'
const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1280, height: HEIGHT } },
  { colorScheme: 'dark', viewport: { width: 360, height: HEIGHT } },
] as const
const NARROWEST = 320

/** The most bytes of the first load, as they are sent with brotli. */
const SCRIPT_MAX = 75_000
const STYLE_MAX = 16_000

if (BROWSER === undefined)
  process.stderr.write('skipped: tests of the web client, because there is no browser (chromium)\n')

describeInBrowser('every page', () => {
  const ida = demoBrowser()

  test('the first load of the home page is small enough, in the language of the longest texts', async () => {
    const lengths = [...LOCALES].map(([code, messages]) => [JSON.stringify(messages).length, code] as const)
    const [, locale = ''] = lengths.toSorted(([a], [b]) => b - a)[0] ?? []
    // What administrators get to see besides comes when it comes.
    const { page: before } = await ida.open({ locale }, true)
    await signInAs(before, ida.demo.url, 'ole', 'driftwood')
    const { page } = await ida.openTab({ page: before })
    await page.goto(ida.demo.url)
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await settle(page)
    expect(await page.locator('html').getAttribute('lang')).toBe(locale)
    await expectWeight(page, '.js', SCRIPT_MAX)
    await expectWeight(page, '.css', STYLE_MAX)
  })

  let outside: WatchedPage
  let inside: WatchedPage

  beforeAll(async () => {
    outside = await ida.open({ locale: LANGUAGE }, true)
    inside = await ida.open({ locale: LANGUAGE })
  })

  test.each(PUBLIC_PAGES.split(' '))('%s, signed out', (path) => check(outside, path))
  test.each(PAGES.split(' '))('%s, signed in', (path) => check(inside, path))

  test('an unknown address', async () => {
    const watched = await ida.openTab(inside)
    await watched.page.goto(ida.demo.url)
    await settle(watched.page)
    await goWithin(watched.page, '/no-such-page')
    await watched.page.locator('h1', { hasText: textsIn(LANGUAGE)('common.errors.notFoundTitle') }).waitFor()
    await inspect(watched)
  })

  async function check(place: WatchedPage, path: string): Promise<void> {
    const watched = await ida.openTab(place)
    await watched.page.goto(ida.demo.url + path.replaceAll('{feeds}', encodeURIComponent(ida.demo.feeds)))
    await inspect(watched)
  }

  /** Looks at the page in both colours and sizes, which do not depend on each other, and then on the narrowest screen. */
  async function inspect({ page, complaints }: WatchedPage): Promise<void> {
    for (const { colorScheme, viewport } of LOOKS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize(viewport)
      await settle(page)
      expect(await violationsOn(page)).toEqual([])
      expect(complaints()).toEqual([])
      expect(await page.getByRole('banner').count()).toBe(1)
      expect(await overhang(page)).toBe(0)
    }
    await page.setViewportSize({ width: NARROWEST, height: HEIGHT })
    expect(await overhang(page)).toBe(0)
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect(await overhang(page)).toBe(0)
    await page.evaluate("document.documentElement.style.fontSize = ''")
  }
})

/** How far the page can be scrolled sideways, in CSS pixels. */
function overhang(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth))))`)
}

const FIRST_PICTURE = `performance.getEntriesByType('resource').find(({ initiatorType }) => initiatorType === 'img')`

/** Checks the size of all files of a kind that the page has loaded when its first picture is there. */
async function expectWeight(page: Page, ending: string, max: number): Promise<void> {
  await until(page, FIRST_PICTURE)
  const weight = await page.evaluate<number>(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith(${JSON.stringify(ending)}))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
  expect(weight).toBeGreaterThan(0)
  expect(weight).toBeLessThanOrEqual(max)
}
