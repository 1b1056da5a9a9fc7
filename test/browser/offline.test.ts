import { beforeAll, expect, test } from 'bun:test'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, signOut } from './support/home.ts'

const REST = '**/a/rest-*.js'
const EVERYTHING = '**/*'
/** The files loaded so far. */
const VISITED = `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`

describeInBrowser('a page whose server is unreachable', () => {
  const home = openHome()
  beforeAll(async () => {
    await home.addUser('ida')
    // Home with a podcast needs only the first script.
    const eva = await home.addUser('eva')
    await succeed(eva.post('/api/2/subscriptions/eva/phone.json', { add: ['https://feeds.example/fog'] }))
  })

  test('shows an error, and loads when the user retries', async () => {
    const { page } = await home.visitAs('ida')
    await page.route(EVERYTHING, (route) => route.abort())
    await page.getByRole('link', { name: t('common.nav.listening') }).click()
    await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
    const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/2/server'))
    await page.getByRole('button', { name: t('common.retry') }).click()
    await refused
    await page.locator('[role=alert] button:not([aria-busy=true])').waitFor()
    await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
    expect(await page.locator('.shell').count()).toBe(1)
    await page.unroute(EVERYTHING)
    await page.getByRole('button', { name: t('common.retry') }).click()
    await page.getByRole('heading', { name: t('listening.title'), level: 1 }).waitFor()
    expect(await page.locator('.shell').count()).toBe(1)
  })

  test('reloads the client once when the files of its version are gone', async () => {
    const { page } = await home.visitAs('eva')
    let isGone = true
    let loads = 0
    page.on('load', () => loads++)
    await page.route(REST, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
    await page.route('**/listening', async (route) => {
      isGone = false
      await route.continue()
    })
    await page.getByRole('link', { name: t('common.nav.listening') }).click()
    await page.getByRole('heading', { name: t('listening.title'), level: 1 }).waitFor()
    await page.waitForLoadState('load')
    expect(loads).toBe(1)
  })

  test('shows an error when reloading does not help', async () => {
    const { page } = await home.visitAs('eva')
    const own = new Set(await page.evaluate<string[]>(VISITED))
    let loads = 0
    page.on('load', () => loads++)
    await page.route(REST, (route) =>
      own.has(new URL(route.request().url()).pathname) ? route.continue() : route.fulfill({ status: 404 }),
    )
    await page.getByRole('link', { name: t('common.nav.listening') }).click()
    await page.getByRole('alert').getByText(t('common.errors.unloadable')).waitFor()
    await page.waitForLoadState('load')
    expect(loads).toBe(1)
    await page.unroute(REST)
    await page.getByRole('button', { name: t('common.retry') }).click()
    await page.getByRole('heading', { name: t('listening.title'), level: 1 }).waitFor()
  })

  test('shows an error if signing out fails, and stays signed in', async () => {
    const { page, complaints } = await home.visitAs('ida')
    await page.route('**/logout.json', (route) => route.abort())
    await signOut(page, 'ida')
    await page.getByRole('alert').getByText(t('common.errors.offline')).waitFor()
    expect(complaints().filter((text) => text.startsWith('uncaught'))).toEqual([])
    await page.unroute('**/logout.json')
    await signOut(page, 'ida')
    await page.waitForURL((url) => url.pathname.endsWith('/login'))
  })
})
