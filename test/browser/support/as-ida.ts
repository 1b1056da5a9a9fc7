import { afterAll, beforeAll } from 'bun:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { Demo } from '../../web/support/demo.ts'
import { openBrowser, signInAs } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { closeAfterEach, openTab, type WatchedPage, watchedPage } from './watch.ts'

/** The executable with sample data and a browser, which are shared by the tests of a file. */
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
    /** Opens a page in a new browser context in which Ida is signed in, unless `isAnonymous`. */
    async open(options?: BrowserContextOptions, isAnonymous = false): Promise<WatchedPage> {
      // The tests would not see requests of service workers.
      const common = {
        locale: 'en',
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
        ...(!isAnonymous && signedIn),
      } as const
      return watchedPage(closed(await browser.newContext({ ...common, ...options })), demo.url)
    },
    /** Opens another page in the same browser context, which has cached the files of the client. */
    openTab: ({ page }: Pick<WatchedPage, 'page'>) => openTab(page.context(), demo.url, closed),
  }
}
