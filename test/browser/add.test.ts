import { afterAll, beforeAll, expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, untilEqual, untilSame, type WatchedPage } from './support/watch.ts'

const addButton = (title: string) => new RegExp(`^${t('add.submit')}\\s*: ${title}$`)

describeInBrowser('finding and adding podcasts', () => {
  const ida = demoBrowser()
  let website: Bun.Server<undefined>

  /** A web page of a podcast with a link to its feed. */
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

  test('the address of its web page adds it to Home, with undo', async () => {
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

  test('a search finds it by name, and the arrow keys and Enter add it', async () => {
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

  test('an address without a podcast is reported with the reason and the next steps, also on its own page', async () => {
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

    await page.goto(`${ida.demo.url}/podcast?url=${encodeURIComponent(address)}`)
    await page.getByRole('heading', { name: t('podcast.missingTitle') }).waitFor()
    await page.locator('main').getByText(address, { exact: true }).waitFor()
    await page
      .locator('main')
      .getByRole('link', { name: t('add.title') })
      .click()
    await page.getByText(t('add.reasons.not_found')).waitFor()
  })

  test('an address shared by another app is looked up, but added only by a click', async () => {
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

  test('Discover shows podcasts and numbers from three listeners on (docs/protocol.md#D113)', async () => {
    const { url, feeds } = ida.demo
    // Each time in a browser with an empty cache.
    const look = async () => {
      const { page, complaints } = await ida.open()
      await page.goto(`${url}/discover`)
      await page.locator('main :is(.podcast-item, .episode)').first().waitFor()
      await settle(page)
      const popular = page.getByRole('region', { name: t('discover.popular') }).getByRole('listitem')
      expect(complaints()).toEqual([])
      return [await popular.count(), await page.getByText(/\d+ (?:listener|subscriber)/).count()]
    }
    // The indexer counts once a second.
    const highest = async () => {
      const { json } = await remoteClient(url).get('/toplist/1.json')
      return (json as { subscribers: number }[])[0]?.subscribers
    }
    await untilEqual(highest, 3)
    expect(await look()).toEqual([3, 3])

    const tove = remoteClient(url, basic('tove', 'samphire'))
    const remove = ['harbour', 'night', 'moss'].map((slug) => `${feeds}/${slug}.xml`)
    await succeed(tove.post('/api/2/subscriptions/tove/tablet.json', { remove }))
    await untilEqual(highest, 2)
    expect(await look()).toEqual([0, 0])
  })
})
