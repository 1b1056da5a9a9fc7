import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic, type Client } from '../support/client.ts'
import { recordAt } from '../support/openapi.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { signInAs } from '../web/support/web-browser.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { goLive, NO_POLLS } from './support/watch.ts'

const DESK = '/api/2/subscriptions/ida/ida-desk.json'

/** Scroll offset of the first carousel, once the page is painted. */
const SCROLLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(document.querySelector('.carousel-list').scrollLeft))))`

describeInBrowser('open pages', () => {
  const ida = demoBrowser()
  let phone: Client

  beforeAll(() => {
    phone = remoteClient(ida.demo.url, { ...basic('ida', 'seaglass'), 'user-agent': 'AntennaPod/3.9' })
  })

  /** Opens a page that learns of changes only through hints, and waits until it receives them. */
  async function openAt(path: string, ...more: readonly string[]): Promise<Page> {
    const { page } = await ida.open()
    await page.context().addInitScript(NO_POLLS)
    await goLive(page, ida.demo.url + path, ...more)
    return page
  }

  const feed = (slug: string) => `${ida.demo.feeds}/${slug}.xml`
  const link = (page: Page, title: string) => page.getByRole('link', { name: title }).first()

  const rename = (caption: string) => succeed(phone.post('/api/2/devices/ida/ida-laptop.json', { caption }))

  test('show in two browsers that an app has subscribed, with titles, and unsubscribed', async () => {
    const pages = [await openAt('/'), await openAt('/')]
    for (const page of pages) await link(page, 'Harbour Talk').waitFor()
    // The feed of weather2 is new to the server.
    await succeed(phone.post(DESK, { add: [feed('weather2'), feed('choir')], remove: [] }))
    for (const page of pages) await link(page, 'Choir Practice').waitFor()
    for (const page of pages) await link(page, 'Weather Permitting').waitFor()
    await succeed(phone.post(DESK, { add: [], remove: [feed('choir'), feed('weather2')] }))
    for (const page of pages) await link(page, 'Choir Practice').waitFor({ state: 'detached' })
  })

  test('update the buttons of a podcast and of search results when an app subscribes and unsubscribes', async () => {
    const podcast = await openAt(`/podcast?url=${encodeURIComponent(feed('choir'))}`, '/me/holders')
    const found = await openAt('/discover?q=choir', '/me/holders')
    // For a moment, the podcast is both in the user's own list and in the results.
    const button = (page: Page) =>
      page.getByRole('button', { name: `${t('subscribe.subscribe')}: Choir Practice`, exact: true }).first()
    for (const page of [podcast, found]) await button(page).waitFor()
    await succeed(phone.post(DESK, { add: [feed('choir')], remove: [] }))
    for (const page of [podcast, found]) await button(page).waitFor({ state: 'detached' })
    await succeed(phone.post(DESK, { add: [], remove: [feed('choir')] }))
    for (const page of [podcast, found]) await button(page).waitFor()
  })

  test('show first what a phone has just played', async () => {
    const podcast = feed('harbour')
    const about = await succeed(
      phone.get(`/api/2/data/podcast/episodes.json?url=${encodeURIComponent(podcast)}&per_page=30`),
    )
    const { title, url } = recordAt([recordAt(about.json)['episodes']].flat()[25])
    const page = await openAt('/')
    const first = page
      .getByRole('region', { name: t('home.continue') })
      .getByRole('listitem')
      .first()
    await first.waitFor()
    expect(await first.getByText(String(title)).count()).toBe(0)
    const heard = { action: 'play', timestamp: Math.floor(Date.now() / 1000), started: 0, position: 300, total: 1800 }
    await succeed(phone.post('/api/2/episodes/ida.json', [{ podcast, episode: url, device: 'ida-pixel', ...heard }]))
    await first.getByText(String(title)).waitFor()
    // Scroll snapping would push the new card out of sight.
    expect(await page.evaluate<number>(SCROLLED)).toBe(0)
  })

  test('share one stream between tabs, and another tab takes over when its tab is closed', async () => {
    const page = await openAt('/devices')
    const context = page.context()
    const leaders = [page]
    context.on('request', (request) => {
      if (request.url().endsWith('/events')) leaders.push(request.frame().page())
    })
    const others = await Promise.all(Array.from({ length: 2 }, () => context.newPage()))
    for (const tab of others) {
      await tab.goto(`${ida.demo.url}/devices`)
      await tab.getByText('Laptop').first().waitFor()
    }
    await rename('Laptop in the attic')
    for (const tab of [page, ...others]) await tab.getByText('Laptop in the attic').first().waitFor()
    expect(leaders.length).toBe(1)
    await page.close()
    await rename('Laptop in the shed')
    for (const tab of others) await tab.getByText('Laptop in the shed').first().waitFor()
    expect(leaders.length).toBe(2)
  })

  test('go to the sign-in page when their session is ended elsewhere', async () => {
    // Not as Ida, whose session other tests use.
    const { page } = await ida.open({}, true)
    const streaming = page.waitForResponse((response) => response.url().endsWith('/me/events'))
    await signInAs(page, ida.demo.url, 'ole', 'driftwood')
    await streaming
    await link(page, 'Harbour Talk').waitFor()
    await succeed(phone.post('/api/admin/users/ole/password', { password: 'driftwood' }))
    await page.waitForURL((url) => url.pathname.endsWith('/login'))
  })
})
