import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach, goLive, watchedPage } from './support/watch.ts'

/** The first hour of a user, starting with an empty folder. It is one test, since each step continues where the one before has ended. */
describeInBrowser('the first hour', () => {
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  test('works step by step', async () => {
    const { page, complaints } = await watchedPage(
      closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce' })),
      demo.url,
    )

    // The first account is created, and becomes administrator. What is wrong is said at its field, which gets the focus.
    await page.goto(demo.url)
    await page.getByRole('heading', { name: t('auth.firstTitle') }).waitFor()
    await page.getByText(t('auth.firstLead')).waitFor()
    await page.locator('input[name="username"]:focus').fill('ida lund')
    await page.locator('input[name="password"]').fill('sea')
    await page.locator('button[type="submit"]').click()
    await page.getByText(t('common.invalid.short').replace('{n}', '4')).waitFor()
    await page.locator('input[name="password"]:focus').fill('seaglass')
    await page.locator('button[type="submit"]').click()
    await page.getByText(t('auth.fields.username')).waitFor()
    expect(complaints()).toEqual([expect.stringContaining('400')])
    await page.locator('input[name="username"]:focus').fill('ida')
    await page.getByRole('button', { name: t('common.reveal') }).click()
    expect(await page.locator('input[name="password"]').getAttribute('type')).toBe('text')
    await page.locator('button[type="submit"]').click()
    await page.waitForURL(`${demo.url}/`)
    await page.getByRole('link', { name: 'Users' }).waitFor()

    // The page for apps shows the address, and that an app has connected.
    await goLive(page, `${demo.url}/connect`, '/api/2/devices/ida.json')
    await page.getByText(demo.url, { exact: true }).first().waitFor()
    await page.getByText(t('connect.waiting')).waitFor()
    // Like AntennaPod: signs in, names its device, and uploads its subscriptions.
    await post('/api/2/auth/ida/login.json')
    await post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' })
    await post('/api/2/subscriptions/ida/phone.json', { add: [`${demo.feeds}/kitchen.xml`], remove: [] })
    await page.getByText(t('connect.connected').replace('{device}', 'Phone')).waitFor()
    await page.locator('.connection[data-connected="true"]').waitFor()

    // A podcast is found by its feed URL, and subscribed to on the phone.
    await page.goto(`${demo.url}/discover`)
    await page.getByLabel(t('discover.searchLabel')).fill(`${demo.feeds}/harbour.xml`)
    await page.keyboard.press('Enter')
    const found = page.locator('main li', { hasText: 'Harbour Talk' }).first()
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribe')) }).click()
    await page.getByText(t('subscribe.done').replace('{title}', 'Harbour Talk')).waitFor()
    expect(await listOf('phone')).toContain(`${demo.feeds}/harbour.xml`)

    // Two devices become a sync group after a preview.
    await post('/api/2/devices/ida/laptop.json', { caption: 'Laptop', type: 'laptop' })
    await post('/api/2/subscriptions/ida/laptop.json', { add: [`${demo.feeds}/night.xml`], remove: [] })
    await page.goto(`${demo.url}/devices`)
    await page.getByRole('button', { name: t('devices.newGroup') }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['Phone', 'Laptop']) await dialog.getByRole('checkbox', { name }).check()
    const preview = dialog.locator('.preview')
    await preview.locator('li', { hasText: 'Laptop' }).getByText('gets 2 podcasts').waitFor()
    await preview.locator('li', { hasText: 'Phone' }).getByText('gets 1 podcast').waitFor()
    expect(await listOf('laptop')).toHaveLength(1)
    await dialog.getByRole('button', { name: t('devices.group.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await listOf('laptop')).toHaveLength(3)
    expect(await listOf('phone')).toHaveLength(3)
    expect(complaints()).toEqual([])
  })

  const ida = () => remoteClient(demo.url, basic('ida', 'seaglass'))

  const post = (path: string, body?: unknown) => succeed(ida().post(path, body))

  const listOf = async (device: string) => (await ida().get(`/subscriptions/ida/${device}.json`)).json
})
