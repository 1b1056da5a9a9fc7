import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Demo } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { until } from './support/watch.ts'

/** The paths of the files in all caches of the page's origin. */
const CACHED = `(async () => {
  const caches_ = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
  return caches_.flat().map(({ url }) => new URL(url).pathname)
})()`

describeInBrowser('the installed web client', () => {
  let demo: Demo
  let browser: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
    context = await browser.newContext({ locale: 'de', reducedMotion: 'reduce' })
    page = await context.newPage()
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.startsWith('/a/de-')))`)
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  test('keeps its own files and nothing of the account', async () => {
    const paths = await page.evaluate<string[]>(CACHED)
    expect(paths).toContain('/')
    expect(paths.filter((path) => !/^\/(?:a\/.*|icon\.svg)?$/.test(path))).toEqual([])
  })

  test('shows the last list when the server cannot be reached, and goes on by itself when it can', async () => {
    await context.setOffline(true)
    await page.reload()
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await page.locator('.offline-note p').waitFor()
    await context.setOffline(false)
    await page.locator('.offline-note p').waitFor({ state: 'detached' })
    expect(await page.getByRole('link', { name: 'Harbour Talk' }).count()).toBeGreaterThan(0)
  })

  test('has the page of a server that answers, whatever was kept', async () => {
    await page.evaluate(`(async () => {
      const [name] = await caches.keys()
      await (await caches.open(name)).put('/', new Response('an old version', { headers: { 'content-type': 'text/html' } }))
    })()`)
    await page.reload()
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
  })

  test('can be installed', async () => {
    const session = await context.newCDPSession(page)
    const { errors, url } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(url).toEndWith('/manifest-de.webmanifest')
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    // The browser of the tests has no place to install anything to.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })

  test('forgets the list when the user signs out', async () => {
    const keys = () => page.evaluate<string[]>(`Object.keys(localStorage).filter((key) => key.includes('.offline'))`)
    expect(await keys()).not.toEqual([])
    await page.evaluate(`fetch('/api/2/auth/ida/logout.json', { method: 'POST' })`)
    await page.reload()
    await page.locator('input[type=password]').waitFor()
    expect(await keys()).toEqual([])
  })
})
