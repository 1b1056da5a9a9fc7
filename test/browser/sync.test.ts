import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser } from '../web/support/web-browser.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach, goLive, NO_POLLS, settle, watchedPage } from './support/watch.ts'

/** From an empty folder to devices that share everything. It is one test, since each step continues where the one before has ended. */
describeInBrowser('devices get in sync by themselves', () => {
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    browser = await openBrowser()
    const account = { username: 'ida', password: 'seaglass' }
    await succeed(remoteClient(demo.url).post('/api/2/register', account))
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  test('from the first podcast to two apps with one list', async () => {
    const context = closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce' }))
    const { page, complaints } = await watchedPage(context, demo.url)
    await page.addInitScript(NO_POLLS)
    const feed = (slug: string) => `${demo.feeds}/${slug}.xml`
    const [harbour, kitchen, night] = [feed('harbour'), feed('kitchen'), feed('night')]

    await page.goto(`${demo.url}/login`)
    await page.locator('input[name="username"]').fill('ida')
    await page.locator('input[name="password"]').fill('seaglass')
    await page.locator('button[type="submit"]').click()
    await page.waitForURL((url) => url.pathname !== '/login')

    // The first podcast is subscribed to without a question; the browser is its device.
    await page.goto(`${demo.url}/podcast?url=${encodeURIComponent(harbour)}`)
    await page
      .getByRole('button', { name: t('subscribe.subscribe'), exact: false })
      .first()
      .click()
    await page.getByText(t('subscribe.done', { title: 'Harbour Talk' })).waitFor()
    const [own = { id: '' }, ...others] = await devices()
    expect(own.id).toMatch(/^browser-/)
    expect(others).toEqual([])

    // The first app brings no podcasts, and is offered those.
    await goLive(page, `${demo.url}/connect`)
    await page.getByText(t('connect.waiting')).waitFor()
    await settle(page)
    await post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' })
    await page.getByText(t('connect.connected', { device: 'Phone' })).waitFor()
    await page.getByRole('heading', { name: t('sync.giveQuestion', { device: 'Phone', n: 1 }) }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('sync.give') }).click()
    await page.locator('.sync-banner').waitFor({ state: 'detached' })
    expect(await listOf('phone')).toEqual([harbour])
    expect(await isAutomatic()).toBe(true)
    await post('/api/2/settings/ida/account.json', { remove: ['auto_sync'] })

    // Later devices would join. Without that, a second app has a list of its own. The page that is open offers to keep all in sync, and does it with one click.
    await goLive(page, demo.url)
    await page.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    await settle(page)
    await post('/api/2/devices/ida/laptop.json', { caption: 'Laptop', type: 'laptop' })
    await post('/api/2/subscriptions/ida/laptop.json', { add: [kitchen, night], remove: [] })
    const keep = page.getByRole('button', { name: t('sync.keep'), exact: true })
    const offer = page.locator('.sync-banner', { hasText: t('sync.gets', { device: 'Laptop', n: 1 }) })
    await offer.waitFor()
    await keep.click()
    await keep.waitFor({ state: 'detached' })
    const all = new Set([harbour, kitchen, night])
    expect(new Set(await listOf('phone'))).toEqual(all)
    expect(new Set(await listOf('laptop'))).toEqual(all)
    expect(await isAutomatic()).toBe(true)

    // It can be taken back: the groups and lists are what they were.
    await page.getByRole('button', { name: t('common.undo') }).click()
    await offer.waitFor()
    expect(await isAutomatic()).toBe(false)
    expect(await listOf('phone')).toEqual([harbour])
    expect(new Set(await listOf('laptop'))).toEqual(new Set([kitchen, night]))

    // The switch on Devices does the same, and a device that comes later joins the others.
    await goLive(page, `${demo.url}/devices`)
    const automatic = page.getByRole('switch', { name: t('devices.auto.label') })
    await settle(page)
    await automatic.check()
    await page.getByText(t('devices.auto.isOn')).waitFor()
    await post('/api/2/devices/ida/tablet.json', { caption: 'Tablet', type: 'mobile' })
    await page.getByText('Tablet', { exact: true }).waitFor()
    expect(new Set(await listOf('tablet'))).toEqual(all)
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect(complaints()).toEqual([])
  })

  const ida = () => remoteClient(demo.url, basic('ida', 'seaglass'))

  const post = (path: string, body?: unknown) => succeed(ida().post(path, body))

  const listOf = async (device: string) => (await ida().get(`/subscriptions/ida/${device}.json`)).json as string[]

  const isAutomatic = async () =>
    Object((await ida().get('/api/2/settings/ida/account.json')).json)['auto_sync'] === true

  const devices = async () => (await ida().get('/api/2/devices/ida.json')).json as { id: string }[]
})
