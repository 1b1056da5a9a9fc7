import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE, startBinary } from './support/browser-test.ts'
import {
  type HostileShows,
  hostileOutlines,
  INTRUDERS,
  named,
  serveHostileShows,
  VECTORS,
} from './support/hostile-shows.ts'
import { goWithin, settle, type WatchedPage, watchedPage } from './support/watch.ts'

/** Pages that show many of the texts together. */
const LISTS = [
  '/',
  '/discover',
  '/discover?q=N',
  '/discover?q=zebra',
  '/listening',
  '/devices',
  '/upgrades',
  '/transfer',
  '/connect',
  '/account',
  '/admin/users',
  '/admin/feeds',
  '/admin/server',
]

/** Those on which the names must be there, as text. */
const NAMED = ['/', '/devices', '/upgrades', '/admin/feeds', '/discover?q=zebra']

describeInBrowser('hostile texts', () => {
  let shows: HostileShows
  let demo: Demo
  let browser: Browser
  let watched: WatchedPage

  beforeAll(async () => {
    shows = serveHostileShows()
    demo = await startBinary({ isEmpty: true, env: { SVC_DIRECTORY_URL: `${shows.url}/directory` } })
    await fill(demo.url, shows)
    browser = await openBrowser()
    watched = await watchedPage(await browser.newContext({ locale: 'en', reducedMotion: 'reduce' }), demo.url)
    await signInAs(watched.page, demo.url, 'ida', 'seaglass')
  }, PATIENCE * 2)

  afterAll(async () => {
    await browser.close()
    await demo.stop()
    await shows.stop()
  })

  test('are more than a hundred', () => expect(VECTORS.length).toBeGreaterThan(100))

  test.each(LISTS)('do nothing on %s', async (path) => {
    await watched.page.goto(demo.url + path)
    await settle(watched.page)
    await expectCalm()
    if (NAMED.includes(path))
      await watched.page
        .getByText(/\bN\d+ /)
        .first()
        .waitFor()
  })

  test('do nothing as names in a list to import', async () => {
    await watched.page.goto(`${demo.url}/transfer`)
    const file = { name: named(0), mimeType: 'text/x-opml', buffer: Buffer.from(hostileOutlines()) }
    await watched.page.locator('input[type="file"]').setInputFiles(file)
    await watched.page.locator('main', { hasText: `${VECTORS.length} entries` }).waitFor()
    await expectCalm()
  })

  test(
    'do nothing on the page of a podcast and of an episode',
    async () => {
      const { page } = watched
      await page.goto(demo.url)
      for (const [index, feed] of shows.feeds.entries()) {
        if (index % 6 !== 0) continue
        const podcast = encodeURIComponent(feed)
        await goWithin(page, `/podcast?url=${podcast}`)
        await page.locator('h1', { hasText: `N${index} ` }).waitFor()
        await page
          .locator('main h3, main li', { hasText: `N${index} ` })
          .first()
          .waitFor()
        await expectCalm()
        await goWithin(page, `/episode?podcast=${podcast}&url=${encodeURIComponent(`${shows.url}/${index}.mp3`)}`)
        await page.locator('h1', { hasText: `N${index} ` }).waitFor()
        await page
          .locator('header a', { hasText: `N${index} ` })
          .first()
          .waitFor()
        await expectCalm()
      }
    },
    PATIENCE * 3,
  )

  async function expectCalm(): Promise<void> {
    expect(await watched.page.evaluate<string[]>(INTRUDERS)).toEqual([])
    expect(watched.complaints()).toEqual([])
  }
})

/** Creates a user with a device for each vector, who has subscribed and listened to every hostile podcast. */
async function fill(url: string, { feeds, url: origin }: HostileShows): Promise<void> {
  const ida = remoteClient(url, basic('ida', 'seaglass'))
  await succeed(remoteClient(url).post('/api/2/register', { username: 'ida', password: 'seaglass' }))
  const captions = VECTORS.map((_, index) => [`/api/2/devices/ida/d${index}.json`, named(index)] as const)
  await Promise.all(captions.map(([path, caption]) => succeed(ida.post(path, { caption, type: 'other' }))))
  await succeed(ida.post('/api/2/subscriptions/ida/d0.json', { add: feeds }))
  const refresh = (feed: string) => ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(feed)}`)
  await Promise.all(feeds.map((feed) => succeed(refresh(feed))))
  const timestamp = new Date().toISOString().slice(0, 19)
  const heard = { action: 'play', device: 'd0', timestamp, started: 0, position: 600, total: 1200 }
  const actions = feeds.map((podcast, index) => ({ ...heard, podcast, episode: `${origin}/${index}.mp3` }))
  await succeed(ida.post('/api/2/episodes/ida.json', actions))
}
