import { afterAll, beforeAll } from 'bun:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { Demo } from '../../web/support/demo.ts'
import { openBrowser, signInAs } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { closeAfterEach, openTab, type WatchedPage, watchedPage } from './watch.ts'

/** The executable with sample data, and a browser. Both are there while the tests of a file run. */
export function demoBrowser() {
  let demo: Demo
  let browser: Browser
  let signedIn: Pick<BrowserContextOptions, 'storageState'>
  const closed = closeAfterEach()

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
    /** Opens a page in a new browser in which Ida is signed in, unless it is to be somebody anonymous. */
    async open(options?: BrowserContextOptions, isAnonymous = false): Promise<WatchedPage> {
      // Requests of service workers are not seen by the tests.
      const common = {
        locale: 'en',
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
        ...(!isAnonymous && signedIn),
      } as const
      return watchedPage(closed(await browser.newContext({ ...common, ...options })), demo.url)
    },
    /** Opens another page in a browser that is there for all stories, and has the files of the client already. */
    openTab: ({ page }: Pick<WatchedPage, 'page'>) => openTab(page.context(), demo.url, closed),
  }
}
