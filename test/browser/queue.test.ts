import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Client } from '../support/client.ts'
import { serveSilence } from '../web/support/audio.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { goLive, NO_POLLS, untilEqual } from './support/watch.ts'

/** Seconds of each episode. */
const LENGTH = 600

/** Newest first, as on the page of the podcast. */
const TITLES = ['Fog', 'Bell', 'Tide', 'Gull']

const item = (title: string, index: number, base: string) =>
  `<item><title>${title}</title><guid>${title}</guid><pubDate>${new Date(Date.UTC(2025, 2, 9 - index)).toUTCString()}</pubDate>
<enclosure url="${base}/${title}.mp3" type="audio/mpeg"/></item>`

describeInBrowser('the queue', () => {
  const publisher: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (!request.url.endsWith('/feed.xml')) return serveSilence(request, LENGTH)
      const items = TITLES.map((title, index) => item(title, index, publisher.url.origin)).join('')
      return new Response(`<rss version="2.0"><channel><title>Harbour Talk</title>${items}</channel></rss>`)
    },
  })
  const home = openHome()
  afterAll(() => publisher.stop(true))

  const feed = `${publisher.url.origin}/feed.xml`
  const podcastPath = `/podcast?url=${encodeURIComponent(feed)}`
  const urlOf = (title: string) => `${publisher.url.origin}/${title}.mp3`
  let ida: Client

  async function addUser(username: string): Promise<Client> {
    const client = await home.addUser(username)
    await succeed(client.post(`/api/2/devices/${username}/pixel.json`, { caption: 'Pixel 8', type: 'mobile' }))
    await succeed(client.post(`/api/2/subscriptions/${username}/pixel.json`, { add: [feed] }))
    return client
  }

  beforeAll(async () => {
    ida = await addUser('ida')
  })

  const player = (page: Page) => page.getByRole('region', { name: t('player.title') })
  const button = (page: Page, name: string) => player(page).getByRole('button', { name, exact: true })
  const undo = (page: Page) => page.locator('.toast button', { hasText: t('common.undo') })
  const handle = (page: Page, title: string) => page.getByRole('button', { name: t('queue.move', { title }) })

  async function choose(page: Page, title: string, item: string): Promise<void> {
    await page.getByRole('button', { name: t('common.pair', { what: t('episodes.more'), value: title }) }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  async function expectQueue(pages: readonly Page[], ...titles: readonly string[]): Promise<void> {
    for (const page of pages) await untilEqual(() => page.locator('.queue-rows h3').allTextContents(), [...titles])
  }

  async function queueOf(client: Client): Promise<string[]> {
    const { json } = await succeed(client.get('/api/2/me/queue'))
    return [Object(json).items].flat().map(({ episode }) => episode.title)
  }

  test('stays the same in two browsers, and loses episodes that a phone finishes', async () => {
    const { page: one, complaints } = await home.visitAs('ida', podcastPath, { script: NO_POLLS })
    const { page: other } = await home.visitAs('ida', '/', { script: NO_POLLS })
    await goLive(other, `${home.url}/queue`, '/me/queue')
    await other.getByText(t('queue.emptyTitle')).waitFor()
    for (const title of ['Bell', 'Tide']) {
      await choose(one, title, t('queue.playLast'))
      await one.getByText(t('queue.addedLast', { title })).waitFor()
    }
    await choose(one, 'Fog', t('queue.playNext'))
    await expectQueue([other], 'Fog', 'Bell', 'Tide')
    expect(await violationsOn(other)).toEqual([])

    // Moving by keyboard announces the new position to screen readers and keeps the focus.
    await handle(other, 'Tide').press('ArrowUp')
    await other
      .getByRole('status')
      .getByText(t('queue.moved', { title: 'Tide', n: 2, total: 3 }))
      .waitFor()
    const focused = `document.activeElement?.getAttribute('aria-label')`
    await untilEqual(() => other.evaluate(focused), t('queue.move', { title: 'Tide' }))
    await goLive(one, `${home.url}/queue`, '/me/queue')
    await expectQueue([one, other], 'Fog', 'Tide', 'Bell')

    // Moving by dragging.
    const [from, to] = [await handle(one, 'Bell').boundingBox(), await handle(one, 'Fog').boundingBox()]
    if (!from || !to) throw new Error('there is no handle')
    await one.mouse.move(from.x + 10, from.y + 10)
    await one.mouse.down()
    await one.mouse.move(from.x + 10, from.y - 20, { steps: 4 })
    await one.mouse.move(from.x + 10, to.y - 10, { steps: 4 })
    await expectQueue([one], 'Bell', 'Fog', 'Tide')
    await one.mouse.up()
    await expectQueue([one, other], 'Bell', 'Fog', 'Tide')

    const heard = { started: 0, position: LENGTH, total: LENGTH, timestamp: '2026-03-02T10:00:00' }
    const action = { podcast: feed, episode: urlOf('Bell'), device: 'pixel', action: 'play', ...heard }
    await succeed(ida.post('/api/2/episodes/ida.json', [action]))
    await expectQueue([one, other], 'Fog', 'Tide')

    await choose(one, 'Fog', t('queue.remove'))
    await expectQueue([one], 'Tide')
    await undo(one).click()
    await expectQueue([one, other], 'Fog', 'Tide')
    await other.getByRole('button', { name: t('queue.clear') }).click()
    await one.getByText(t('queue.emptyTitle')).waitFor()
    await undo(other).click()
    await expectQueue([other], 'Fog', 'Tide')
    expect(complaints()).toEqual([])
  })

  test('plays its episodes in order, then the list if the user has chosen so, and reports each end', async () => {
    const client = await addUser('ole')
    await succeed(client.post('/api/2/me/queue', { at: 'last', episodes: [{ podcast: feed, episode: urlOf('Gull') }] }))
    const { page } = await home.visitAs('ole', podcastPath)
    await page.getByRole('button', { name: `${t('player.play')}: Fog` }).click()
    await button(page, t('player.pause')).waitFor()
    await button(page, t('queue.title')).click()
    const sheet = page.getByRole('dialog', { name: t('queue.title') })
    await sheet.getByRole('link', { name: 'Gull' }).waitFor()
    await sheet.getByRole('switch', { name: t('queue.keepPlaying') }).click()
    await sheet.getByRole('switch', { name: t('queue.keepPlaying'), checked: true }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Escape')

    const plays = async (title: string) => {
      await untilEqual(() => player(page).locator('.player-title').textContent(), title)
      await button(page, t('player.pause')).waitFor()
    }
    const skipToEnd = () =>
      player(page)
        .getByRole('slider', { name: t('player.seek') })
        .press('End')
    await skipToEnd()
    await plays('Gull')
    await skipToEnd()
    // The list continues below the episode that was started there.
    await plays('Bell')
    await untilEqual(() => queueOf(client), [])
    const { json } = await succeed(client.get(`/api/2/episodes/ole.json?aggregated=true`))
    const done = [Object(json).actions].flat().filter(({ position, total }) => position === total)
    expect(done.map(({ episode }) => episode).toSorted()).toEqual([urlOf('Fog'), urlOf('Gull')])

    // The button for the next episode leads to one that a phone has added.
    await succeed(client.post('/api/2/me/queue', { at: 'next', episodes: [{ podcast: feed, episode: urlOf('Tide') }] }))
    await button(page, t('common.pair', { what: t('queue.next'), value: 'Tide' })).click()
    await plays('Tide')
  })
})
