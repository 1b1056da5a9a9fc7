import { afterAll, expect, test } from 'bun:test'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle } from './support/watch.ts'

/** Milliseconds within which the page shows a title that the server has just learned. */
const SOON = 5000

/** A feed that answers only when it is released, one that is gone, and a directory that always finds the latter. */
function serveFeeds() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = '<rss version="2.0"><channel><title>Late Bell</title><link>https://late.example/</link></channel></rss>'
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/bell.xml': () => promise.then(() => new Response(held)),
      '/directory/*': () =>
        Response.json({ status: 'true', feeds: [{ title: 'Radio Skerry', url: `${url}/gone.xml` }] }),
      '/*': () => new Response('gone', { status: 404 }),
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, release: resolve, stop: () => server.stop(true) }
}

describeInBrowser('titles of podcasts', () => {
  const feeds = serveFeeds()
  const home = openHome(() => ({ SVC_DIRECTORY_URL: `${feeds.url}/directory` }))
  afterAll(() => feeds.stop())

  test('of an imported list are used for podcasts whose feeds cannot be fetched, and exported again', async () => {
    const ida = await home.addUser('ida')
    const { page, complaints } = await home.visitAs('ida')
    const names = ['Dead Air', 'Lost & Found Tapes', '港の霧']
    const urls = names.map((_, n) => `${home.feeds()}/none/${n}.xml`)
    const outlines = names.map((name, n) => `<outline text="${name.replace('&', '&amp;')}" xmlUrl="${urls[n]}"/>`)
    const buffer = Buffer.from(`<opml version="2.0"><body>${outlines.join('')}</body></opml>`)
    await page.goto(`${home.url}/transfer`)
    await page.locator('input[type="file"]').setInputFiles({ name: 'list.opml', mimeType: 'text/x-opml', buffer })
    await page.getByRole('button', { name: t('transfer.add', { n: names.length }) }).click()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).click()
    for (const name of names) await page.getByRole('heading', { name, exact: true }).waitFor()

    await page.reload()
    await settle(page)
    expect(new Set(await page.locator('.home-card h2').allTextContents())).toEqual(new Set(names))
    await page.getByRole('link', { name: 'Dead Air' }).click()
    await page.getByRole('heading', { level: 1, name: 'Dead Air' }).waitFor()
    const { text } = await succeed(ida.get('/subscriptions/ida.opml'))
    expect(text).toContain('title="Lost &amp; Found Tapes"')
    expect(complaints()).toEqual([])
  })

  test('of the directory are used for podcasts that were found there', async () => {
    const ole = await home.addUser('ole')
    const { page, complaints } = await home.visitAs('ole')
    await succeed(ole.post('/api/2/devices/ole/phone.json', { type: 'mobile' }))
    await page.goto(`${home.url}/discover?q=skerry`)
    const found = page.locator('li', { hasText: 'Radio Skerry' })
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribe')) }).click()
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribed')) }).waitFor()
    await page.goto(`${home.url}/`)
    await page.getByRole('heading', { name: 'Radio Skerry' }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('appear as soon as the server knows them', async () => {
    const uma = await home.addUser('uma')
    const { page, complaints } = await home.visitAs('uma')
    const url = `${feeds.url}/bell.xml`
    await succeed(uma.post('/api/2/subscriptions/uma/phone.json', { add: [url] }))
    await page.goto(`${home.url}/`)
    await page.locator('.home-card', { hasText: '/bell.xml' }).getByText(t('home.isNew')).waitFor()
    feeds.release()
    await page.getByRole('heading', { name: 'Late Bell' }).waitFor({ timeout: SOON })
    expect(complaints()).toEqual([])
  })
})
