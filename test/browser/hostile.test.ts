import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { succeed } from '../web/support/demo.ts'
import { VECTORS } from '../worker/parse/hostile-texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { ADMIN, openHome } from './support/home.ts'
import { hostileOutlines, INTRUDERS, named, serveHostileShows } from './support/hostile-shows.ts'
import { goWithin, settle, type WatchedPage } from './support/watch.ts'

/** Pages that show many of the texts at once. */
const LISTS =
  '/ /inbox /queue /discover /discover?q=N /discover?q=zebra /listening /year /favorites /activity /devices /transfer /connect /account ' +
  '/admin/users /admin/feeds /admin/server /admin/log'

/** Pages that must show the names, as text. */
const NAMED = ['/', '/devices', '/admin/feeds', '/discover?q=zebra']

/** The podcasts whose own pages are opened. */
const SOME = [...VECTORS.keys()].filter((index) => index % 6 === 0)

describeInBrowser('hostile texts are harmless', () => {
  const shows = serveHostileShows()
  const home = openHome(() => ({ SVC_DIRECTORY_URL: `${shows.url}/directory`, SVC_MAX_DEVICES: '500' }))
  let first: WatchedPage
  let watched: WatchedPage

  beforeAll(async () => {
    expect(VECTORS.length).toBeGreaterThan(100)
    await fill(home.admin(), shows)
    first = await home.visitAs(ADMIN)
  })

  beforeEach(async () => {
    watched = await home.openTab(first)
  })

  afterAll(() => shows.stop())

  test.each(LISTS.split(' '))('on %s', async (path) => {
    await watched.page.goto(home.url + path)
    await settle(watched.page)
    await expectCalm()
    const names = watched.page.getByText(/\bN\d+ /)
    if (path === '/inbox')
      await watched.page
        .locator('option', { hasText: /^N\d+ / })
        .first()
        .waitFor({ state: 'attached' })
    if (NAMED.includes(path)) await names.first().waitFor()
  })

  test('as names in an imported list', async () => {
    await watched.page.goto(`${home.url}/transfer`)
    const file = { name: named(0), mimeType: 'text/x-opml', buffer: Buffer.from(hostileOutlines()) }
    await watched.page.locator('input[type="file"]').setInputFiles(file)
    await watched.page.locator('main', { hasText: `${VECTORS.length} entries` }).waitFor()
    await expectCalm()
  })

  test.each([0, 1, 2, 3, 4])('on the pages of podcasts and their episodes (part %i)', async (part) => {
    const { page } = watched
    await page.goto(`${home.url}/`)
    for (const index of SOME.filter((_, n) => n % 5 === part)) {
      const podcast = encodeURIComponent(shows.feeds[index] ?? '')
      const episode = encodeURIComponent(`${shows.url}/${index}.mp3`)
      await goWithin(page, `${home.url}/podcast?url=${podcast}`)
      await seen('h1', index)
      await seen('main h3, main li', index)
      await expectCalm()
      await goWithin(page, `${home.url}/episode?podcast=${podcast}&url=${episode}`)
      await seen('h1', index)
      await seen('header a', index)
      await seen('.chapter-list', index)
      await expectCalm()
    }
  })

  async function seen(selector: string, index: number): Promise<void> {
    const found = watched.page.locator(selector, { hasText: `N${index} ` })
    await found.first().waitFor()
  }

  async function expectCalm(): Promise<void> {
    expect(await watched.page.evaluate<string[]>(INTRUDERS)).toEqual([])
    expect(watched.complaints()).toEqual([])
  }
})

/** Gives the administrator a device for each vector, and all hostile podcasts with a played episode. */
async function fill(ada: Client, { feeds, url: origin }: ReturnType<typeof serveHostileShows>): Promise<void> {
  for (const index of VECTORS.keys())
    await succeed(ada.post(`/api/2/devices/ada/d${index}.json`, { caption: named(index), type: 'other' }))
  await succeed(ada.post('/api/2/subscriptions/ada/d0.json', { add: feeds }))
  for (const index of SOME) {
    // Names with control characters are refused.
    const { status } = await ada.post('/api/2/me/folders', { name: [...named(index)].slice(0, 100).join('') })
    expect([200, 400]).toContain(status)
  }
  for (const feed of feeds) await succeed(ada.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(feed)}`))
  const timestamp = new Date().toISOString().slice(0, 19)
  const heard = { action: 'play', device: 'd0', timestamp, started: 0, position: 600, total: 1200 }
  const actions = feeds.map((podcast, index) => ({ ...heard, podcast, episode: `${origin}/${index}.mp3` }))
  await succeed(ada.post('/api/2/episodes/ada.json', actions))
}
