import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Demo } from '../../web/support/demo.ts'
import { openBrowser, signInAs } from '../../web/support/web-browser.ts'
import { PATIENCE, startBinary } from './browser-test.ts'
import { settle } from './watch.ts'

/** What there is while tests run, each of which has a page of its own. */
export interface AsIda {
  readonly demo: Demo
  readonly page: Page
}

/** For the tests around it: the executable with sample data, and for each of them a window of this size where Ida is signed in. */
export function asIda(viewport: { readonly width: number; readonly height: number }): AsIda {
  let demo: Demo
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
  }, PATIENCE)

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  }, PATIENCE)

  beforeEach(async () => {
    const context = await browser.newContext({ viewport, locale: 'en', reducedMotion: 'reduce' })
    page = await context.newPage()
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await settle(page)
  }, PATIENCE)

  afterEach(() => page.context().close(), PATIENCE)

  return {
    get demo() {
      return demo
    },
    get page() {
      return page
    },
  }
}
