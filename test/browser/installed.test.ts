import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { BASE_URL } from '../support/browser.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openWholeBrowser } from '../web/support/web-browser.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle, until, untilSame } from './support/watch.ts'

const { origin, pathname } = new URL(BASE_URL)

/** The paths of the files in all caches of the page's origin. */
const CACHED = `(async () => {
  const caches_ = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
  return caches_.flat().map(({ url }) => new URL(url).pathname)
})()`

/** Names of the responses stored in the browser. */
const KEPT = `Object.keys(localStorage).filter((key) => key.includes('.offline'))`

/** Under a sub-path, whose neighbours may belong to other servers. */
describeInBrowser('the installed web client', () => {
  // Without HTTPS, browsers run service workers only for origins named like this.
  const home = openHome(undefined, (...more) =>
    openWholeBrowser(`--unsafely-treat-insecure-origin-as-secure=${origin}`, ...more),
  )
  let users = 0

  /** Opens Home as a new user, and waits until the browser has everything it needs to start offline. */
  async function openInstalled(locale: 'en' | 'de' = 'en', isNew = false): Promise<{ page: Page; username: string }> {
    const username = `user${++users}`
    const client = await home.addUser(username)
    const add = isNew ? [] : [`${home.feeds()}/harbour.xml`]
    await succeed(client.post(`/api/2/subscriptions/${username}/phone.json`, { add, remove: [] }))
    const { page } = await home.visitAs(username, '/', { serviceWorkers: 'allow', locale })
    await until(page, `${CACHED}.then((paths) => paths.some((path) => path.includes('/a/${locale}-')))`)
    await until(page, `${KEPT}.some((key) => key.endsWith(' listOwnPodcasts'))`)
    return { page, username }
  }

  const podcast = (page: Page) => page.locator('.home-card a').first()

  test('shows the last list while the server is unreachable, and reloads afterwards', async () => {
    const { page } = await openInstalled()
    await page.context().setOffline(true)
    await page.reload()
    await podcast(page).waitFor()
    await page.locator('.offline-note p').waitFor()
    await page.context().setOffline(false)
    await page.locator('.offline-note p').waitFor({ state: 'detached' })
    await podcast(page).waitFor()
  })

  test('tells a user without podcasts that the server is unreachable', async () => {
    const { page } = await openInstalled('en', true)
    const first = page.getByRole('heading', { name: t('home.emptyTitle') })
    await first.waitFor()
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText(t('common.errors.offline')).waitFor()
    await first.waitFor({ state: 'detached' })
    await page.context().setOffline(false)
    await first.waitFor()
  })

  test('prefers the page from the server to the cached one', async () => {
    const { page } = await openInstalled()
    // The service worker uses the cache if the server is slow; here it waits as long as it takes.
    const [worker] = page.context().serviceWorkers()
    if (!worker) throw new Error('there is no service worker')
    await worker.evaluate('void (setTimeout = () => 0)')
    await page.evaluate(`(async () => {
      const [name] = await caches.keys()
      const old = new Response('an old version', { headers: { 'content-type': 'text/html' } })
      await (await caches.open(name)).put('${pathname}/', old)
    })()`)
    await page.reload()
    await podcast(page).waitFor()
  })

  test('deletes the stored list when the user signs out', async () => {
    const { page, username } = await openInstalled()
    await page.evaluate(`fetch('api/2/auth/${username}/logout.json', { method: 'POST' })`)
    await page.reload()
    await page.locator('input[type=password]').waitFor()
    await untilSame<string[]>(page, KEPT, [])
  })

  test('caches only its own files, can be installed, and opens feed links of other programs', async () => {
    const { page } = await openInstalled('de')
    const paths = await page.evaluate<string[]>(CACHED)
    expect(paths).toContain(`${pathname}/`)
    // Including files that were not needed yet.
    expect(paths.filter((path) => /\/a\/rest-\w+\.js$/.test(path))).toHaveLength(1)
    const isOwn = (path: string) =>
      path.startsWith(`${pathname}/`) && /^\/(?:a\/.*|icon\.svg)?$/.test(path.slice(pathname.length))
    expect(paths.filter((path) => !isOwn(path))).toEqual([])

    const session = await page.context().newCDPSession(page)
    const { errors, url, data } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(url).toEndWith('/manifest-de.webmanifest')
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    // The browser of the tests cannot install anything.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])

    const { protocol_handlers: handlers } = JSON.parse(data ?? '{}') as {
      protocol_handlers: { protocol: string; url: string }[]
    }
    const handler = handlers.find(({ protocol }) => protocol === 'web+feed')
    const feed = `${home.feeds()}/kitchen.xml`
    const plain = feed.replace('http://', '')
    for (const link of [`web+feed:${feed}`, `web+feed://${plain}`, `feed:${feed}`, `feed://${plain}`]) {
      await page.goto(new URL((handler?.url ?? '').replace('%s', encodeURIComponent(link)), `${home.url}/`).href)
      await settle(page)
      await page.getByRole('button', { name: /: Kitchen Stories$/ }).waitFor()
    }
  })
})
