import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { BLUE, png } from '../support/pictures.ts'
import { serveSilence } from '../web/support/audio.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle, until } from './support/watch.ts'

/** A podcast whose titles are written from right to left. */
const NIGHTS = `<rss version="2.0"><channel><title>ليال</title><description>قصص قصيرة</description><item><title>الأولى</title>
<guid>1</guid><pubDate>Mon, 03 Mar 2025 09:00:00 GMT</pubDate><enclosure url="https://nights.example/1.mp3" length="1" type="audio/mpeg"/></item></channel></rss>`

/** Distances of right-to-left lines from the left edge of their parents, in pixels. */
const OFFSETS = `[...document.querySelectorAll('main [dir="auto"]')]
  .filter((line) => line.checkVisibility() && getComputedStyle(line).direction === 'rtl')
  .map((line) => {
    const text = document.createRange()
    text.selectNodeContents(line)
    return Math.round(text.getBoundingClientRect().left - line.parentElement.getBoundingClientRect().left)
  })`

/** Title and picture URL of each episode. */
const EPISODES = [
  ['Fog', (base: string) => `${base}/fog.png`],
  ['Gulls', (base: string) => `${base}/gone.png`],
  ['Ropes', () => ''],
  ['Tide', () => 'javascript:alert(1)'],
] as const

/** Serves a feed whose pictures are held back until `release`, and records the requests for them. */
function servePublisher() {
  const asked: string[] = []
  const released = Promise.withResolvers<void>()
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/nights.xml') return new Response(NIGHTS)
      if (pathname === '/feed.xml') return new Response(feedOf(server.url.origin))
      if (pathname.endsWith('.mp3')) return serveSilence(request, 60)
      asked.push(pathname)
      await released.promise
      if (pathname === '/cover.png') return new Response(new Uint8Array(png(64, 64)))
      return pathname === '/fog.png'
        ? new Response(new Uint8Array(png(64, 64, () => BLUE)))
        : new Response('gone', { status: 404 })
    },
  })
  return { url: server.url.origin, asked, release: () => released.resolve(), stop: () => server.stop(true) }
}

function feedOf(base: string): string {
  const items = EPISODES.map(
    (
      [title, image],
      n,
    ) => `<item><title>${title}</title><guid>${title}</guid><pubDate>${20 - n} Feb 2025 10:00:00 GMT</pubDate>
<enclosure url="${base}/${title}.mp3" type="audio/mpeg"/><itunes:image href="${image(base)}"/></item>`,
  )
  return `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Harbour Talk</title>
<itunes:image href="${base}/cover.png"/>${items.join('')}</channel></rss>`
}

describeInBrowser('pictures', () => {
  const publisher = servePublisher()
  const home = openHome()
  afterAll(() => publisher.stop())

  const feed = `${publisher.url}/feed.xml`
  const cover = `${home.url}/artwork/SIZE?url=${encodeURIComponent(feed)}`
  const own = (title: string) => `${cover}&episode=${encodeURIComponent(`${publisher.url}/${title}.mp3`)}`
  const sized = (address: string, size: number) => address.replace('SIZE', String(size))

  /** Waits until an element shows the picture at an address. */
  const shows = (page: Page, selector: string, address: string) =>
    until(
      page,
      `[...document.querySelectorAll(${JSON.stringify(`${selector} .artwork img`)})].some((image) =>
         image.src === ${JSON.stringify(address)} && image.complete && image.naturalWidth > 0)`,
    )
  const row = (n: number) => `.episode:nth-child(${n + 1})`
  const boxes = (page: Page) =>
    page.evaluate<number[][]>(
      `[...document.querySelectorAll('.episode, .episode .artwork, .episode h3')]
         .map((each) => each.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])`,
    )

  test('of episodes come from the server, with the cover as fallback, without layout shifts', async () => {
    const client = await home.addUser('ida')
    await succeed(client.post('/api/2/devices/ida/pixel.json', { caption: 'Pixel 8', type: 'mobile' }))
    await succeed(client.post('/api/2/subscriptions/ida/pixel.json', { add: [feed] }))
    const { page, complaints } = await home.visitAs('ida', `/podcast?url=${encodeURIComponent(feed)}`)
    await page.getByRole('link', { name: 'Tide' }).waitFor()
    const before = await boxes(page)
    publisher.release()
    const expected = [own('Fog'), cover, cover, cover]
    for (const [n, address] of expected.entries()) await shows(page, row(n), sized(address, 128))
    expect(await boxes(page)).toEqual(before)
    expect(publisher.asked.toSorted()).toEqual(['/cover.png', '/fog.png', '/gone.png'])
    expect(complaints()).toEqual([])

    await page.getByRole('button', { name: `${t('player.play')}: Fog` }).click()
    await shows(page, '.player', sized(own('Fog'), 64))
    const systemArtwork = `navigator.mediaSession.metadata?.artwork.map(({ src }) => src).join(' ')`
    const allSizes = (address: string) => [128, 300, 600].map((size) => sized(address, size)).join(' ')
    await until(page, `${systemArtwork} === ${JSON.stringify(allSizes(own('Fog')))}`)
    await page.getByRole('button', { name: `${t('player.play')}: Gulls` }).click()
    await shows(page, '.player', sized(cover, 64))
    expect(await page.evaluate(systemArtwork)).toBe(allSizes(cover))

    await page.getByRole('link', { name: 'Fog', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Fog', level: 1 }).waitFor()
    await shows(page, '.hero-cover', sized(own('Fog'), 600))
    await page.goto(`${home.url}/inbox`)
    await shows(page, `.episode-row[data-key*="Fog.mp3"]`, sized(own('Fog'), 128))
    // Pictures were fetched once, and missing ones were not requested again.
    expect(publisher.asked).toHaveLength(3)
    expect(complaints().filter((complaint) => !complaint.includes('.mp3'))).toEqual([])
  })

  test('of right-to-left titles stay next to the text', async () => {
    const nur = await home.addUser('nur')
    const { page, complaints } = await home.visitAs('nur')
    const url = `${publisher.url}/nights.xml`
    await succeed(nur.post('/api/2/subscriptions/nur/phone.json', { add: [url] }))
    // Pages may miss changes that happen while they load.
    const search = () => nur.get(`/search.json?q=${encodeURIComponent('ليال')}`)
    await eventually(search, ({ text }) => text.includes(url))
    for (const path of ['/', `/podcast?url=${encodeURIComponent(url)}`, '/discover?q=ليال', '/inbox']) {
      await page.goto(home.url + path)
      await page
        .locator('main [dir="auto"]:visible', { hasText: /ليال|الأولى/ })
        .first()
        .waitFor()
      await settle(page)
      expect([path, ...new Set(await page.evaluate<number[]>(OFFSETS))]).toEqual([path, 0])
    }
    expect(complaints()).toEqual([])
  })
})
