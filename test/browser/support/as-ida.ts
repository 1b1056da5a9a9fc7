import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Demo } from '../../web/support/demo.ts'
import { openBrowser, signInAs } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { settle, type WatchedPage, watchedPage } from './watch.ts'

/** The server with sample data, and a browser. Both are there while tests run. */
export interface DemoBrowser {
  readonly demo: Demo
  /** Opens a page in a new browser in which Ida is signed in, unless it is to be somebody anonymous. */
  open(options?: BrowserContextOptions, isAnonymous?: boolean): Promise<WatchedPage>
}

/** Starts the executable with sample data once for all tests of a file. */
export function demoBrowser(): DemoBrowser {
  let demo: Demo
  let browser: Browser
  let signedIn: Pick<BrowserContextOptions, 'storageState'>

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
    const context = await browser.newContext()
    await signInAs(await context.newPage(), demo.url, 'ida', 'seaglass')
    signedIn = { storageState: await context.storageState() }
    await context.close()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  return {
    get demo() {
      return demo
    },
    async open(options, isAnonymous = false) {
      const common = { locale: 'en', reducedMotion: 'reduce', ...(!isAnonymous && signedIn) } as const
      return watchedPage(await browser.newContext({ ...common, ...options }), demo.url)
    },
  }
}

/** For each test, opens a window of this size with Ida's podcasts. */
export function asIda(viewport: { readonly width: number; readonly height: number }) {
  const shared = demoBrowser()
  let page: Page

  beforeEach(async () => {
    page = (await shared.open({ viewport })).page
    await page.goto(shared.demo.url)
    await settle(page)
  })

  afterEach(() => page.context().close())

  return {
    get demo() {
      return shared.demo
    },
    get page() {
      return page
    },
  }
}
