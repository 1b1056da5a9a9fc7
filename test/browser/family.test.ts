import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach, settle, watchedPage } from './support/watch.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** Seconds that the episode has, by its feed, and where the phone has stopped. */
const [LENGTH, HEARD] = [1200, 600]

/** What a family does, by what the pages say. It is one test, since each step continues where the one before has ended. */
describeInBrowser('a family', () => {
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()
  let website: Bun.Server<undefined>

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    browser = await openBrowser()
    const link = `<link rel="alternate" type="application/rss+xml" href="${demo.feeds}/harbour.xml">`
    website = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(`<!doctype html>${link}`, { headers: { 'content-type': 'text/html' } }),
    })
  })

  afterAll(async () => {
    await browser.close()
    await website.stop(true)
    await demo.stop()
  })

  test('goes from an empty folder to synced devices, brings back a wiped list, and invites a second person', async () => {
    const context = closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce' }))
    const { page, complaints } = await watchedPage(context, demo.url)
    const feed = (slug: string) => `${demo.feeds}/${slug}.xml`
    const [harbour, kitchen, night] = [feed('harbour'), feed('kitchen'), feed('night')]

    await page.goto(demo.url)
    await page.locator('input[name="username"]').fill('ida')
    await page.locator('input[name="password"]').fill('seaglass')
    // From now on the server tells the page what changes.
    const streaming = page.waitForResponse((response) => response.url().endsWith('/me/events'))
    await page.locator('button[type="submit"]').click()
    await streaming

    // The web page of a podcast is all that is known of it.
    await page.getByLabel(t('add.lead')).fill(`127.0.0.1:${website.port}/harbour`)
    await page.keyboard.press('Enter')
    await page.getByText(t('add.added', { title: 'Harbour Talk' })).waitFor()
    // The form that had the focus is gone.
    await page.locator('h1:focus').waitFor()

    // Two apps bring a list each, and everything is in sync after one click.
    await goTo(page, t('common.nav.connect'))
    await page.getByText(t('connect.waiting')).waitFor()
    await post('/api/2/auth/ida/login.json')
    await post('/api/2/devices/ida/pixel.json', { caption: 'Pixel 8', type: 'mobile' })
    await post('/api/2/subscriptions/ida/pixel.json', { add: [kitchen] })
    await page
      .locator('.connection')
      .getByText(t('common.podcasts', { n: 1 }))
      .waitFor()
    await post('/api/2/devices/ida/desk.json', { caption: 'gPodder', type: 'desktop' })
    await post('/api/2/subscriptions/ida/desk.json', { add: [night] })
    await page.locator('.sync-banner', { hasText: 'gPodder' }).waitFor()
    const keep = page.getByRole('button', { name: t('sync.keep'), exact: true })
    await keep.click()
    await keep.waitFor({ state: 'detached' })
    const all = new Set([harbour, kitchen, night])
    expect([await listOf('pixel'), await listOf('desk')]).toEqual([all, all])

    // What the phone has begun shows on Home by itself, and is finished there.
    await goTo(page, t('common.nav.home'))
    await settle(page)
    const episode = `${demo.feeds}/kitchen/34.mp3`
    const heard = { started: 0, position: HEARD, total: LENGTH, timestamp: new Date().toISOString().slice(0, 19) }
    await post('/api/2/episodes/ida.json', [{ podcast: kitchen, episode, device: 'pixel', action: 'play', ...heard }])
    const begun = page.getByRole('region', { name: t('home.continue') })
    await begun.getByRole('button', { name: new RegExp(`^${t('player.continue')}`) }).click()
    const player = page.getByRole('region', { name: t('player.title') })
    await player.getByText(t('player.fromDevice', { position: '10:00', device: 'Pixel 8' })).waitFor()
    await player.getByRole('slider', { name: t('player.seek') }).press('End')
    await begun.waitFor({ state: 'detached' })
    await player.getByRole('button', { name: t('player.close'), exact: true }).click()
    await page.locator('h1:focus').waitFor()
    expect(complaints().filter((complaint) => !complaint.includes('.mp3'))).toEqual([])

    // An app has wiped the list: Home says so, and brings it back.
    await succeed(ida().put('/subscriptions/ida/pixel.json', []))
    await page.getByText(t('home.removed', { n: 3, when: t('common.justNow') })).waitFor()
    await page.getByRole('button', { name: t('home.getBack') }).click()
    await page.getByText(t('home.broughtBack')).waitFor()
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    expect(await listOf('pixel')).toEqual(all)

    // The link of an invitation is all that a second person needs, on a phone.
    await goTo(page, t('common.nav.users'))
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('admin.users.username')).fill('ole')
    await dialog.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    const [link = ''] = /http\S+#invitation=\S+/.exec((await dialog.locator('code').textContent()) ?? '') ?? []
    const ole = await watchedPage(
      closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...PHONE })),
      demo.url,
    )
    await ole.page.goto(link)
    await ole.page.locator('input[type="password"]:focus').fill('driftwood')
    await ole.page.keyboard.press('Enter')
    await ole.page.getByLabel(t('add.lead')).fill('harbour')
    await ole.page.getByRole('button', { name: /: Harbour Talk$/ }).tap()
    await ole.page.getByText(t('add.added', { title: 'Harbour Talk' })).waitFor()
    await ole.page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    expect(await ole.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    expect([complaints(), ole.complaints()]).toEqual([[], []])
  })

  const goTo = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()

  const ida = () => remoteClient(demo.url, basic('ida', 'seaglass'))

  const post = (path: string, body?: unknown) => succeed(ida().post(path, body))

  const listOf = async (device: string) =>
    new Set((await ida().get(`/subscriptions/ida/${device}.json`)).json as string[])
})
