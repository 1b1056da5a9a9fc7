import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { BASE_URL } from '../support/browser.ts'
import { type Demo, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openWholeBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { openHome, PASSWORD } from './support/home.ts'
import { closeAfterEach, settle, until, untilSame, watchedPage } from './support/watch.ts'

const ORIGIN = new URL(BASE_URL).origin

/** The paths of the files in all caches of the page's origin. */
const CACHED = `(async () => {
  const caches_ = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
  return caches_.flat().map(({ url }) => new URL(url).pathname)
})()`

/** What is kept of the list. */
const KEPT = `Object.keys(localStorage).filter((key) => key.includes('.offline'))`

describeInBrowser('the installed web client', () => {
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openWholeBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  /** Opens Home in a new browser, which then has all that it needs to start without the server. */
  async function openInstalled(): Promise<Page> {
    const context = closed(await browser.newContext({ locale: 'de', reducedMotion: 'reduce' }))
    const { page } = await watchedPage(context, demo.url)
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.startsWith('/a/de-')))`)
    await until(page, `${KEPT}.length > 0`)
    return page
  }

  test('keeps its own files and nothing of the account', async () => {
    const page = await openInstalled()
    const paths = await page.evaluate<string[]>(CACHED)
    expect(paths).toContain('/')
    // Also what has not been needed yet.
    expect(paths.filter((path) => /^\/a\/rest-\w+\.js$/.test(path))).toHaveLength(1)
    expect(paths.filter((path) => !/^\/(?:a\/.*|icon\.svg)?$/.test(path))).toEqual([])
  })

  test('shows the last list when the server cannot be reached, and goes on by itself when it can', async () => {
    const page = await openInstalled()
    await page.context().setOffline(true)
    await page.reload()
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await page.locator('.offline-note p').waitFor()
    await page.context().setOffline(false)
    await page.locator('.offline-note p').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
  })

  test('has the page of a server that answers, whatever was kept', async () => {
    const page = await openInstalled()
    // A server that is slow for seconds counts as one that does not answer; here it has all the time that it needs.
    const [worker] = page.context().serviceWorkers()
    if (!worker) throw new Error('there is no service worker')
    await worker.evaluate('void (setTimeout = () => 0)')
    await page.evaluate(`(async () => {
      const [name] = await caches.keys()
      await (await caches.open(name)).put('/', new Response('an old version', { headers: { 'content-type': 'text/html' } }))
    })()`)
    await page.reload()
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
  })

  test('can be installed', async () => {
    const page = await openInstalled()
    const session = await page.context().newCDPSession(page)
    const { errors, url } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(url).toEndWith('/manifest-de.webmanifest')
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    // The browser of the tests has no place to install anything to.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })

  test('forgets the list when the user signs out', async () => {
    const page = await openInstalled()
    await page.evaluate(`fetch('/api/2/auth/ida/logout.json', { method: 'POST' })`)
    await page.reload()
    await page.locator('input[type=password]').waitFor()
    await untilSame<string[]>(page, KEPT, [])
  })
})

describeInBrowser('the installed web client below a path', () => {
  // Browsers have service workers on addresses without encryption only if they are told so.
  const home = openHome(
    () => ({ SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8' }),
    (...more) => openWholeBrowser(`--unsafely-treat-insecure-origin-as-secure=${ORIGIN}`, ...more),
  )

  test('keeps files of its own path alone', async () => {
    await home.addUser('ida')
    const { page } = await home.visit({ serviceWorkers: 'allow', locale: 'de' })
    await signInAs(page, home.url, 'ida', PASSWORD)
    await settle(page)
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.includes('/a/de-')))`)
    const paths = await page.evaluate<string[]>(CACHED)
    const { pathname } = new URL(home.url)
    expect(paths).toContain(`${pathname}/`)
    expect(paths.filter((path) => !path.startsWith(`${pathname}/`))).toEqual([])
  })

  test('starts without the server', async () => {
    const eve = await home.addUser('eve')
    await succeed(eve.post('/api/2/subscriptions/eve/phone.json', { add: [`${home.feeds()}/harbour.xml`], remove: [] }))
    const { page } = await home.visitAs('eve', '/', { serviceWorkers: 'allow' })
    const podcast = page.locator('.home-card a').first()
    await podcast.waitFor()
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.includes('/a/en-')))`)
    await until(page, `${KEPT}.some((key) => key.endsWith(' listOwnPodcasts'))`)
    await page.context().setOffline(true)
    await page.reload()
    await podcast.waitFor()
    await page.locator('.offline-note p').waitFor()
    await page.context().setOffline(false)
    await page.locator('.offline-note p').waitFor({ state: 'detached' })
  })

  test('says that the server cannot be reached to a user who had no podcasts', async () => {
    await home.addUser('una')
    const { page } = await home.visitAs('una', '/', { serviceWorkers: 'allow' })
    const first = page.getByRole('heading', { name: t('home.emptyTitle') })
    await first.waitFor()
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.includes('/a/en-')))`)
    await until(page, `${KEPT}.some((key) => key.endsWith(' listOwnPodcasts'))`)
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText(t('common.errors.offline')).waitFor()
    await first.waitFor({ state: 'detached' })
    await page.context().setOffline(false)
    await first.waitFor()
  })

  test('opens links to feeds that other programs hand over', async () => {
    await home.addUser('ole')
    const { page } = await home.visitAs('ole', '/', { serviceWorkers: 'allow' })
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.getAppManifest')
    const { protocol_handlers: handlers } = JSON.parse(data ?? '{}') as {
      protocol_handlers: { protocol: string; url: string }[]
    }
    const handler = handlers.find(({ protocol }) => protocol === 'web+feed')
    const feed = `${home.feeds()}/harbour.xml`
    const plain = feed.replace('http://', '')
    for (const link of [`web+feed:${feed}`, `web+feed://${plain}`, `feed:${feed}`, `feed://${plain}`]) {
      await page.goto(new URL((handler?.url ?? '').replace('%s', encodeURIComponent(link)), `${home.url}/`).href)
      await settle(page)
      await page.getByRole('button', { name: new RegExp(`^${t('add.submit')}\\s*: Harbour Talk$`) }).waitFor()
    }
  })
})
