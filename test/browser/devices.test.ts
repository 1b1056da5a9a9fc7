import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { qrPath } from '../../src/web/components/qr-path.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle, untilEqual } from './support/watch.ts'

const LAN = ['http://192.168.1.20:8080', 'http://10.0.0.7:8080']
const LOOPBACK = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']

describeInBrowser('devices', () => {
  const home = openHome()

  test('browsers that only play are collapsed, unlike devices with podcasts', async () => {
    const ole = await home.addUser('ole')
    const add = [`${home.feeds()}/harbour.xml`]
    for (const app of ['Phone', 'Tablet']) {
      const id = app.toLowerCase()
      await succeed(ole.post(`/api/2/devices/ole/${id}.json`, { caption: app, type: 'mobile' }))
      await succeed(ole.post(`/api/2/subscriptions/ole/${id}.json`, { add, remove: [] }))
    }
    for (const n of [1, 2, 3]) {
      const browser = { caption: 'Firefox on Linux', type: 'other' }
      await succeed(ole.post(`/api/2/devices/ole/browser-${n}.json`, browser))
    }

    const { page } = await home.visitAs('ole', '/devices')
    await page.getByText('Tablet').first().waitFor()
    expect(await page.getByText('Firefox on Linux').filter({ visible: true }).count()).toBe(0)
    await page.getByText(t('devices.browsers', { n: 3 })).click()
    for (const name of ['Firefox on Linux', 'Firefox on Linux (2)', 'Firefox on Linux (3)'])
      await page.getByText(name, { exact: true }).filter({ visible: true }).waitFor()
    expect(await violationsOn(page)).toEqual([])

    await page.goto(home.url)
    await page.getByRole('button', { name: 'Tablet' }).waitFor()
    expect(await page.getByRole('button', { name: /Firefox/ }).count()).toBe(0)
  })

  test('apps are offered the addresses of the local network, each with its QR code', async () => {
    /** Addresses that the server reports for itself. */
    let addresses: readonly string[] = [...LOOPBACK, ...LAN]
    await home.addUser('ida')
    const { page } = await home.visitAs('ida')
    await page.route('**/api/2/server', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), base_url: '', addresses } })
    })
    await copySession(page)
    await page.goto(`${home.localUrl()}/connect`)
    await settle(page)

    const choice = page.getByLabel(t('connect.whichAddress'))
    const qr = (address: string) => page.getByRole('img', { name: t('connect.qr', { address }) })
    const shown = page.locator('.copy-field', { hasText: t('connect.address') }).locator('code')
    expect(await choice.locator('option').allInnerTexts()).toEqual(LAN)
    for (const address of LAN) {
      await choice.selectOption(address)
      await untilEqual(() => shown.textContent(), address)
      await qr(address)
        .locator(`path[d="${qrPath(address).path}"]`)
        .waitFor()
      await page.locator('.app-steps code', { hasText: address }).first().waitFor()
    }
    expect(await page.locator('main').textContent()).not.toMatch(/127\.0\.0\.1|localhost/)

    addresses = LOOPBACK
    await page.reload()
    await page.getByText(t('connect.loopback')).waitFor()
    expect(await choice.count()).toBe(0)
    expect(await page.locator('.qr').count()).toBe(0)
  })

  /** Makes the session valid at the local address of the server as well. */
  async function copySession(page: Page): Promise<void> {
    const [session] = await page.context().cookies()
    if (!session) throw new Error('there is no session')
    const { name, value, path } = session
    await page.context().addCookies([{ name, value, path, domain: '127.0.0.1', httpOnly: true }])
  }
})
