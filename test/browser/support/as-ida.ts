import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Demo } from '../../web/support/demo.ts'
import { openBrowser, signInAs } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { settle } from './watch.ts'

/** What tests find: the server, and a page for each test. */
export interface AsIda {
  readonly demo: Demo
  readonly page: Page
}

/** Starts the executable with sample data, and for each test opens a window of this size in which Ida is signed in. */
export function asIda(viewport: { readonly width: number; readonly height: number }): AsIda {
  let demo: Demo
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  beforeEach(async () => {
    const context = await browser.newContext({ viewport, locale: 'en', reducedMotion: 'reduce' })
    page = await context.newPage()
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await settle(page)
  })

  afterEach(() => page.context().close())

  return {
    get demo() {
      return demo
    },
    get page() {
      return page
    },
  }
}
