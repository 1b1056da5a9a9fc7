import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { t } from '../web/support/texts.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { type Home, openHome, PASSWORD } from './support/home.ts'

const CHUNKS = '**/a/part-*.js'
const EVERYTHING = '**/*'

describeInBrowser('a page whose server is not there', () => {
  let home: Home

  beforeAll(async () => {
    home = await openHome()
    await home.addUser('ida')
  }, PATIENCE)

  afterAll(() => home.stop(), PATIENCE)

  test(
    'says so instead of a page it cannot fetch, and fetches it when asked again',
    async () => {
      const { page } = await home.visitAs('ida')
      await page.route(EVERYTHING, (route) => route.abort())
      await page.getByRole('link', { name: t('common.nav.account') }).click()
      await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
      const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/2/server'))
      await page.getByRole('button', { name: t('common.retry') }).click()
      await refused
      await page.locator('[role=alert] button:not([aria-busy=true])').waitFor()
      await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
      expect(await page.locator('.shell').count()).toBe(1)
      await page.unroute(EVERYTHING)
      await page.getByRole('button', { name: t('common.retry') }).click()
      await page.getByRole('heading', { name: t('account.title'), level: 1 }).waitFor()
      expect(await page.locator('.shell').count()).toBe(1)
    },
    PATIENCE,
  )

  test(
    'tries again by itself when the page is looked at once more',
    async () => {
      const { page } = await home.visitAs('ida')
      await page.route(EVERYTHING, (route) => route.abort())
      await page.getByRole('link', { name: t('common.nav.account') }).click()
      await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
      await page.unroute(EVERYTHING)
      await page.getByRole('link', { name: t('common.nav.home') }).click()
      await page.getByRole('heading', { name: t('common.nav.home'), level: 1 }).waitFor()
      await page.getByRole('link', { name: t('common.nav.account') }).click()
      await page.getByRole('heading', { name: t('account.title'), level: 1 }).waitFor()
    },
    PATIENCE,
  )

  test(
    'is loaded anew, once, where the files of its version are gone',
    async () => {
      const { page } = await home.visitAs('ida')
      let isGone = true
      let loads = 0
      page.on('load', () => loads++)
      await page.route(CHUNKS, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
      await page.route('**/account', async (route) => {
        isGone = false
        await route.continue()
      })
      await page.getByRole('link', { name: t('common.nav.account') }).click()
      await page.getByRole('heading', { name: t('account.title'), level: 1 }).waitFor()
      expect(loads).toBe(1)
    },
    PATIENCE,
  )

  test(
    'says that a page cannot be fetched where loading anew does not help',
    async () => {
      const { page } = await home.visitAs('ida')
      const own = await ownChunks(page)
      let loads = 0
      page.on('load', () => loads++)
      await page.route(CHUNKS, (route) =>
        own.has(new URL(route.request().url()).pathname) ? route.continue() : route.fulfill({ status: 404 }),
      )
      await page.getByRole('link', { name: t('common.nav.account') }).click()
      await page.getByRole('alert').getByText(t('common.errors.unloadable')).waitFor()
      expect(loads).toBe(1)
      await page.unroute(CHUNKS)
      await page.getByRole('button', { name: t('common.retry') }).click()
      await page.getByRole('heading', { name: t('account.title'), level: 1 }).waitFor()
    },
    PATIENCE,
  )

  test(
    'leaves somebody who cannot sign out signed in, and says so',
    async () => {
      const { page, complaints } = await home.visitAs('ida')
      await page.route('**/logout.json', (route) => route.abort())
      await page.getByRole('button', { name: t('common.signOut') }).click()
      await page.getByRole('status').getByText(t('common.errors.offline')).waitFor()
      await page.getByRole('button', { name: t('common.signOut') }).waitFor()
      expect(complaints().filter((text) => text.startsWith('uncaught'))).toEqual([])
      await page.unroute('**/logout.json')
      await page.getByRole('button', { name: t('common.signOut') }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/login'))
    },
    PATIENCE,
  )

  test(
    'puts the focus on the field that is to blame for a refusal',
    async () => {
      const { page } = await home.visitAs('ida')
      await page.goto(`${home.url}/account`)
      await page.getByLabel(t('account.newPassword.old')).fill('a guess')
      await page.getByLabel(t('account.newPassword.label')).fill(PASSWORD)
      await page.getByRole('button', { name: t('account.newPassword.save') }).press('Enter')
      await page.locator('input[name="old-password"]:focus').waitFor()
    },
    PATIENCE,
  )

  /** What the pages that were looked at so far are made of. */
  async function ownChunks(page: Page): Promise<ReadonlySet<string>> {
    const list = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
    )
    return new Set(list)
  }
})
