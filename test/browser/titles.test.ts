import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { goLive, settle } from './support/watch.ts'

/** A podcast whose titles are written from right to left. */
const NIGHTS = `<rss version="2.0"><channel><title>ليال</title><description>قصص قصيرة</description><item><title>الأولى</title>
<guid>1</guid><pubDate>Mon, 03 Mar 2025 09:00:00 GMT</pubDate><enclosure url="https://nights.example/1.mp3" length="1" type="audio/mpeg"/></item></channel></rss>`

/** How far lines that are written from right to left begin from the left edge of what they are in, in pixels. */
const AWAY = `[...document.querySelectorAll('main [dir="auto"]')]
  .filter((line) => line.checkVisibility() && getComputedStyle(line).direction === 'rtl')
  .map((line) => {
    const text = document.createRange()
    text.selectNodeContents(line)
    return Math.round(text.getBoundingClientRect().left - line.parentElement.getBoundingClientRect().left)
  })`

/** A feed that answers only when it is released, one that is gone, and a directory that always finds the latter. */
function serveFeeds() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = '<rss version="2.0"><channel><title>Late Bell</title><link>https://late.example/</link></channel></rss>'
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/nights.xml': () => new Response(NIGHTS),
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

  test('of another writing direction stay beside their pictures', async () => {
    const nur = await home.addUser('nur')
    const { page, complaints } = await home.visitAs('nur')
    const url = `${feeds.url}/nights.xml`
    await succeed(nur.post('/api/2/subscriptions/nur/phone.json', { add: [url] }))
    // Before the page is opened: it does not learn of what arrives while it loads.
    const search = () => nur.get(`/search.json?q=${encodeURIComponent('ليال')}`)
    await eventually(search, ({ text }) => text.includes(url))
    for (const path of ['/', `/podcast?url=${encodeURIComponent(url)}`, '/discover?q=ليال', '/inbox']) {
      await page.goto(home.url + path)
      await page
        .locator('main [dir="auto"]:visible', { hasText: /ليال|الأولى/ })
        .first()
        .waitFor()
      await settle(page)
      expect([path, ...new Set(await page.evaluate<number[]>(AWAY))]).toEqual([path, 0])
    }
    expect(complaints()).toEqual([])
  })

  test('appear as soon as the server knows them', async () => {
    const uma = await home.addUser('uma')
    const { page, complaints } = await home.visitAs('uma')
    const url = `${feeds.url}/bell.xml`
    await succeed(uma.post('/api/2/subscriptions/uma/phone.json', { add: [url] }))
    await goLive(page, `${home.url}/`)
    await page.locator('.home-card', { hasText: '/bell.xml' }).getByText(t('home.isNew')).waitFor()
    feeds.release()
    await page.getByRole('heading', { name: 'Late Bell' }).waitFor()
    expect(complaints()).toEqual([])
  })
})
