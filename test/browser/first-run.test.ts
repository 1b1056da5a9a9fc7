import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser } from '../web/support/web-browser.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach, goLive, NO_POLLS, settle, watchedPage } from './support/watch.ts'

/** One test, because each step continues the previous one. */
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

  test('leads from an empty data folder to synced devices', async () => {
    const context = closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce' }))
    const { page, complaints } = await watchedPage(context, demo.url)
    await page.addInitScript(NO_POLLS)
    const [harbour = '', kitchen = '', night = ''] = ['harbour', 'kitchen', 'night'].map(
      (slug) => `${demo.feeds}/${slug}.xml`,
    )
    const all = new Set([harbour, kitchen, night])

    // The first account becomes the administrator. Errors are shown at their fields, and the first one gets the focus.
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

    // The first podcast goes to the device of the browser, without a question, and the form is replaced by the list.
    await page.getByLabel(t('add.lead')).fill(harbour)
    await page.keyboard.press('Enter')
    await page.getByText(t('add.added', { title: 'Harbour Talk' })).waitFor()
    await page.locator('h1:focus').waitFor()
    const [own = { id: '' }, ...others] = (await ida().get('/api/2/devices/ida.json')).json as { id: string }[]
    expect(own.id).toMatch(/^browser-/)
    expect(others).toEqual([])

    // The page for apps shows the address and notices the first app, which has no podcasts and is offered this one.
    await goLive(page, `${demo.url}/connect`, '/api/2/devices/ida.json')
    await page.getByText(demo.url, { exact: true }).first().waitFor()
    await page.getByText(t('connect.waiting')).waitFor()
    await settle(page)
    await post('/api/2/auth/ida/login.json')
    await post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' })
    await page.getByText(t('connect.connected', { device: 'Phone' })).waitFor()
    await page.locator('.connection[data-connected="true"]').waitFor()
    await page.getByRole('heading', { name: t('sync.giveQuestion', { device: 'Phone', n: 1 }) }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('sync.give') }).click()
    await page.locator('.sync-banner').waitFor({ state: 'detached' })
    expect(await listOf('phone')).toEqual(new Set([harbour]))
    expect(await isAutomatic()).toBe(true)
    await post('/api/2/settings/ida/account.json', { remove: ['auto_sync'] })

    // Without automatic sync, a second app has its own list. The open page offers to keep all in sync, with undo.
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
    expect([await listOf('phone'), await listOf('laptop'), await isAutomatic()]).toEqual([all, all, true])
    await page.getByRole('button', { name: t('common.undo') }).click()
    await offer.waitFor()
    const [phone, laptop] = [new Set([harbour]), new Set([kitchen, night])]
    expect([await listOf('phone'), await listOf('laptop'), await isAutomatic()]).toEqual([phone, laptop, false])

    // Devices are grouped by hand after a preview, or all of them with a switch that includes later devices.
    await goLive(page, `${demo.url}/devices`)
    await page.getByRole('button', { name: t('devices.newGroup') }).click()
    const dialog = page.getByRole('dialog')
    for (const name of [/^Phone/, /^Laptop/]) await dialog.getByRole('checkbox', { name }).check()
    const preview = dialog.locator('.preview')
    await preview.locator('li', { hasText: 'Laptop' }).getByText('gets 1 podcast').waitFor()
    await preview.locator('li', { hasText: 'Phone' }).getByText('gets 2 podcasts').waitFor()
    expect([await listOf('phone'), await listOf('laptop')]).toEqual([phone, laptop])
    await dialog.getByRole('button', { name: t('devices.group.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect([await listOf('phone'), await listOf('laptop')]).toEqual([all, all])
    await page.getByRole('switch', { name: t('devices.auto.label') }).check()
    await page.getByText(t('devices.auto.isOn')).waitFor()
    await post('/api/2/devices/ida/tablet.json', { caption: 'Tablet', type: 'mobile' })
    await page.getByText('Tablet', { exact: true }).waitFor()
    expect(await listOf('tablet')).toEqual(all)
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect(complaints()).toEqual([])
  })

  const ida = () => remoteClient(demo.url, basic('ida', 'seaglass'))

  const post = (path: string, body?: unknown) => succeed(ida().post(path, body))

  const listOf = async (device: string) =>
    new Set((await ida().get(`/subscriptions/ida/${device}.json`)).json as string[])

  const isAutomatic = async () =>
    Object((await ida().get('/api/2/settings/ida/account.json')).json)['auto_sync'] === true
})
