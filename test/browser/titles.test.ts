import { afterAll, beforeAll, expect, test } from 'bun:test'
import { home as texts } from '../../src/web/text/en/home.ts'
import { transfer } from '../../src/web/text/en/transfer.ts'
import { plural } from '../../src/web/text/fill.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { ADMIN, type Home, openHome, succeed } from './support/home.ts'
import { settle, type WatchedPage } from './support/watch.ts'

/** Milliseconds in which the page shows what the server has just learned. */
const SOON = 5000

/** A feed that does not answer before it is let. */
function serveHeldFeed() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const document =
    '<rss version="2.0"><channel><title>Late Bell</title><link>https://late.example/</link></channel></rss>'
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      await promise
      return new Response(document)
    },
  })
  return { url: `http://127.0.0.1:${server.port}/bell.xml`, release: resolve, stop: () => server.stop(true) }
}

describeInBrowser('names of podcasts', () => {
  let home: Home
  let watched: WatchedPage

  beforeAll(async () => {
    home = await openHome({ SVC_FEED_REFRESH_CRON: '0 0 1 1 *' })
    watched = await home.visitAs(ADMIN)
  }, PATIENCE)

  afterAll(() => home.stop(), PATIENCE)

  test(
    'from an imported list are those of podcasts whose feeds cannot be had, in the list that is exported as well',
    async () => {
      const { page, complaints } = watched
      const names = ['Dead Air', 'Lost & Found Tapes', '港の霧']
      const urls = names.map((_, n) => `${home.feeds}/none/${n}.xml`)
      const outlines = names.map((name, n) => `<outline text="${name.replace('&', '&amp;')}" xmlUrl="${urls[n]}"/>`)
      const buffer = Buffer.from(`<opml version="2.0"><body>${outlines.join('')}</body></opml>`)
      await page.goto(`${home.url}/transfer`)
      await page.locator('input[type="file"]').setInputFiles({ name: 'list.opml', mimeType: 'text/x-opml', buffer })
      await page.getByRole('button', { name: plural(transfer.add, names.length, 'en') }).click()
      await page.getByRole('link', { name: transfer.toPodcasts }).click()
      for (const name of names) await page.getByRole('heading', { name, exact: true }).waitFor()

      for (const url of urls) {
        const { status } = await home.admin.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(url)}`)
        expect(status).toBe(502)
      }
      await page.reload()
      await settle(page)
      expect((await page.locator('.home-card h2').allTextContents()).toSorted()).toEqual(names.toSorted())
      await page.getByRole('link', { name: 'Dead Air' }).click()
      await page.getByRole('heading', { level: 1, name: 'Dead Air' }).waitFor()
      const { text } = await succeed(home.admin.get(`/subscriptions/${ADMIN}.opml`))
      expect(text).toContain('title="Lost &amp; Found Tapes"')
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )

  test(
    'come to the page by themselves as soon as the server knows them',
    async () => {
      const { page, complaints } = watched
      const feed = serveHeldFeed()
      try {
        await succeed(home.admin.post(`/api/2/subscriptions/${ADMIN}/phone.json`, { add: [feed.url] }))
        await page.goto(`${home.url}/`)
        await page
          .locator('.home-card', { hasText: new URL(feed.url).host })
          .getByText(texts.isNew)
          .waitFor()
        const fetched = home.admin.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(feed.url)}`)
        feed.release()
        await succeed(fetched)
        await page.getByRole('heading', { name: 'Late Bell' }).waitFor({ timeout: SOON })
        expect(complaints()).toEqual([])
      } finally {
        await feed.stop()
      }
    },
    PATIENCE,
  )
})
