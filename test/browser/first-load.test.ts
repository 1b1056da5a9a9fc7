import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { LANGUAGES } from '../../src/web/locales/index.ts'
import type { Demo } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

const KB = 1000

/** The most bytes of the first load, as they are sent with brotli. */
const SCRIPT_MAX = 45 * KB
const STYLE_MAX = 12 * KB

describeInBrowser('the first load of the home page', () => {
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

  test.each(LANGUAGES.map(({ code }) => code))('is small enough in the language %s', async (locale) => {
    const context = await browser.newContext({ storageState: signedIn, locale, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(demo.url)
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await settle(page)
    expect(await page.locator('html').getAttribute('lang')).toBe(locale)
    await expectWeight(page, '.js', SCRIPT_MAX)
    await expectWeight(page, '.css', STYLE_MAX)
    await context.close()
  })
})

/** Checks the size of all files of a kind that the page has loaded so far. */
async function expectWeight(page: Page, ending: string, max: number): Promise<void> {
  const weight = await page.evaluate<number>(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith(${JSON.stringify(ending)}))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
  expect(weight).toBeGreaterThan(0)
  expect(weight).toBeLessThanOrEqual(max)
}
