import { afterAll, beforeAll, expect, test } from 'bun:test'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, untilSame, type WatchedPage } from './support/watch.ts'

const addButton = (title: string) => new RegExp(`^${t('add.submit')}\\s*: ${title}$`)

describeInBrowser('adding a podcast', () => {
  const ida = demoBrowser()
  let website: Bun.Server<undefined>

  /** The web page of a podcast, which only names its feed. */
  beforeAll(() => {
    const page = () =>
      `<!doctype html><title>Choir</title><link rel="alternate" type="application/rss+xml" href="${ida.demo.feeds}/choir.xml">`
    website = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.endsWith('/nothing')
          ? new Response('', { status: 404 })
          : new Response(page(), { headers: { 'content-type': 'text/html' } }),
    })
  })

  afterAll(() => website.stop(true))

  async function openDialog(): Promise<WatchedPage> {
    const watched = await ida.open()
    await watched.page.addInitScript(NO_POLLS)
    await watched.page.goto(ida.demo.url)
    await settle(watched.page)
    await watched.page.getByRole('button', { name: t('home.add') }).click()
    return watched
  }

  test('the address of its web page and Enter put it on Home by its name, and undo takes it back', async () => {
    const { page, complaints } = await openDialog()
    await page.getByLabel(t('add.lead')).fill(`127.0.0.1:${website.port}/choir`)
    await page.keyboard.press('Enter')
    await page.getByText(t('add.added', { title: 'Choir Practice' })).waitFor()
    await page.getByRole('link', { name: 'Choir Practice' }).waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page
      .locator('.toast')
      .getByRole('button', { name: t('common.undo') })
      .click()
    await page.getByText(t('add.undone', { title: 'Choir Practice' })).waitFor()
    await page.getByRole('link', { name: 'Choir Practice' }).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('its name finds it, and the arrow keys and Enter add it', async () => {
    const { page, complaints } = await openDialog()
    await page.getByLabel(t('add.lead')).fill('weather')
    await page.getByRole('button', { name: addButton('Weather Permitting') }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(t('add.added', { title: 'Weather Permitting' })).waitFor()
    await page.getByRole('link', { name: 'Weather Permitting' }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('a dead end names the address, the reason and what to do next', async () => {
    const { page, complaints } = await openDialog()
    const address = `http://127.0.0.1:${website.port}/nothing`
    await page.getByLabel(t('add.lead')).fill(address)
    await page.keyboard.press('Enter')
    await page.getByText(t('add.reasons.not_found')).waitFor()
    await page.getByText(address).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('add.byName') }).click()
    await untilSame(page, 'document.activeElement.value', '')
    expect(complaints()).toEqual([])
  })

  test('the page of an address without a podcast names it, and leads to why that is', async () => {
    const { page } = await ida.open()
    const url = `http://127.0.0.1:${website.port}/nothing`
    await page.goto(`${ida.demo.url}/podcast?url=${encodeURIComponent(url)}`)
    await page.getByRole('heading', { name: t('podcast.missingTitle') }).waitFor()
    await page.locator('main').getByText(url, { exact: true }).waitFor()
    await page
      .locator('main')
      .getByRole('link', { name: t('add.title') })
      .click()
    await page.getByText(t('add.reasons.not_found')).waitFor()
  })

  test('what another app shares is looked up, and added by a press only', async () => {
    const { page, complaints } = await ida.open()
    const text = `Listen to this: ${ida.demo.feeds}/local.xml`
    await page.goto(`${ida.demo.url}/add?text=${encodeURIComponent(text)}`)
    const add = page.locator('main').getByRole('button', { name: new RegExp(`^${t('add.submit')}`) })
    await page.getByRole('button', { name: addButton('Town Hall Tapes') }).waitFor()
    expect(await add.count()).toBe(1)
    expect(await violationsOn(page)).toEqual([])
    await add.click()
    await page.getByText(t('add.added', { title: 'Town Hall Tapes' })).waitFor()
    await page.getByRole('link', { name: 'Town Hall Tapes' }).waitFor()
    await page.waitForURL(`${ida.demo.url}/`)
    expect(complaints()).toEqual([])
  })

  test('where the server connects to no other, neither this nor Discover says that a directory finds the rest', async () => {
    const { page } = await ida.open()
    await page.route('**/api/2/server', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), outbound: false } })
    })
    await page.route('**/api/2/search/all*', (route) =>
      route.fulfill({ headers: { 'x-external-directory': 'off' }, json: { local: [], external: [] } }),
    )
    await page.goto(`${ida.demo.url}/discover?q=nowhere`)
    await page.getByText(t('errors.codes.outbound_off')).waitFor()
    expect(await page.getByText(t('add.onlyHere')).count()).toBe(0)
    await page.goto(`${ida.demo.url}/add`)
    await page.getByLabel(t('add.lead')).fill('nowhere')
    await page.getByText(t('errors.codes.outbound_off')).waitFor()
    expect(await page.getByText(t('add.onlyHere')).count()).toBe(0)
  })
})
