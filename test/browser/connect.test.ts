import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { qrPath } from '../../src/web/components/qr-path.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle, untilEqual } from './support/watch.ts'

const LAN = ['http://192.168.1.20:8080', 'http://10.0.0.7:8080']
const LOOPBACK = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']

describeInBrowser('the addresses for apps', () => {
  const home = openHome()

  /** Addresses of its own that the server knows. */
  let addresses: readonly string[] = [...LOOPBACK, ...LAN]

  /** Opens the page on the computer of the server. */
  async function visit(username: string): Promise<Page> {
    await home.addUser(username)
    const { page } = await home.visitAs(username)
    await page.route('**/api/2/server', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), base_url: '', addresses } })
    })
    await allowLocally(page)
    await page.goto(`${home.localUrl()}/connect`)
    await settle(page)
    return page
  }

  /** The session of the public address counts on this computer as well. */
  async function allowLocally(page: Page): Promise<void> {
    const [session] = await page.context().cookies()
    if (!session) throw new Error('there is no session')
    const { name, value, path } = session
    await page.context().addCookies([{ name, value, path, domain: '127.0.0.1', httpOnly: true }])
  }

  const qr = (page: Page, address: string) => page.getByRole('img', { name: t('connect.qr', { address }) })
  const shown = (page: Page) => page.locator('.copy-field', { hasText: t('connect.address') }).locator('code')

  test('are those in the own network, of which the QR code has the chosen one', async () => {
    const page = await visit('ida')
    const choice = page.getByLabel(t('connect.whichAddress'))
    expect(await choice.locator('option').allInnerTexts()).toEqual(LAN)
    for (const address of LAN) {
      await choice.selectOption(address)
      await untilEqual(() => shown(page).textContent(), address)
      const code = qrPath(address)
      await qr(page, address).locator(`path[d="${code.path}"]`).waitFor()
      await page.locator('.app-steps code', { hasText: address }).first().waitFor()
    }
    expect(await page.locator('main').textContent()).not.toMatch(/127\.0\.0\.1|localhost/)

    // One address is no choice, and without any there is no code.
    addresses = LAN.slice(0, 1)
    await page.reload()
    await qr(page, LAN[0] ?? '').waitFor()
    expect(await choice.count()).toBe(0)
    addresses = LOOPBACK
    await page.reload()
    await page.getByText(t('connect.loopback')).waitFor()
    expect(await page.locator('.qr').count()).toBe(0)
  })
})
