import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

/** What the Tab key reaches in the page, in order. */
const REACHED = `[...document.querySelectorAll('main :is(a[href], button, input, select)')].map((element) =>
  element.closest('.podcast-tags') ? 'topic' : element.matches('input[type="search"]') ? 'search' : '').filter(Boolean)`

/** A feed with so many episodes, one an hour. */
function longFeed(count: number): string {
  const items = Array.from(
    { length: count },
    (_, n) =>
      `<item><title>Part ${n + 1}</title><guid>${n}</guid><pubDate>${new Date(1.7e12 + n * 3.6e6).toUTCString()}</pubDate>
        <enclosure url="https://cdn.example/${n}.mp3" type="audio/mpeg"/></item>`,
  )
  return `<rss version="2.0"><channel><title>Long Haul</title>${items.join('')}</channel></rss>`
}

describeInBrowser('the pages of a podcast and an episode', () => {
  const ida = demoBrowser()

  const episodePath = (number: number) => {
    const { feeds } = ida.demo
    return `/episode?${new URLSearchParams({ podcast: `${feeds}/harbour.xml`, url: `${feeds}/harbour/${number}.mp3` })}`
  }

  test('have the search of episodes before the topics for the Tab key, on wide screens and phones', async () => {
    for (const viewport of [
      { width: 1280, height: 860 },
      { width: 360, height: 780 },
    ]) {
      const { page, complaints } = await ida.open({ viewport })
      await page.goto(`${ida.demo.url}/podcast?url=${encodeURIComponent(`${ida.demo.feeds}/harbour.xml`)}`)
      await page.getByRole('link', { name: '34: Fog' }).waitFor()
      await settle(page)
      const reached = await page.evaluate<string[]>(REACHED)
      expect(reached.length).toBeGreaterThan(1)
      expect(reached).toEqual(['search', ...reached.slice(1).fill('topic')])
      expect(complaints()).toEqual([])
    }
  })

  test('mark 1,500 episodes as played, and this one with everything older, and undo both', async () => {
    const feed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(longFeed(1500)) })
    const url = `http://127.0.0.1:${feed.port}/long.xml`
    const client = remoteClient(ida.demo.url, basic('ida', 'seaglass'))
    await succeed(client.post('/api/2/subscriptions/ida/ida-pixel.json', { add: [url] }))
    await succeed(client.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(url)}`))
    const left = async () => {
      const { json } = await client.get(`/api/2/me/podcast/episodes?unplayed=true&url=${encodeURIComponent(url)}`)
      return Number(Reflect.get(Object(json), 'total'))
    }
    const { page, complaints } = await ida.open({ viewport: { width: 1280, height: 860 } })
    const toast = (n: number) => page.getByText(t('episodes.markedPlayed', { n }), { exact: true })
    const undo = () => page.locator('.toast button', { hasText: t('common.undo') }).click()
    await page.goto(`${ida.demo.url}/podcast?url=${encodeURIComponent(url)}`)
    await page.getByRole('button', { name: t('inbox.markAll') }).click()
    await toast(1500).waitFor()
    expect(await left()).toBe(0)
    await undo()
    await page.getByText(t('episodes.restored', { n: 1500 }), { exact: true }).waitFor()
    expect(await left()).toBe(1500)
    await page.getByRole('button', { name: `${t('episodes.more')}: Part 1498`, exact: true }).click()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('menuitem', { name: t('episodes.markOlder') }).click()
    await toast(1498).waitFor()
    expect(await left()).toBe(2)
    await page.getByRole('button', { name: `${t('podcast.playLatest')}: Part 1500` }).waitFor()
    await undo()
    await page.getByText(t('episodes.restored', { n: 1498 }), { exact: true }).waitFor()
    expect(await left()).toBe(1500)
    expect(complaints()).toEqual([])
    await feed.stop(true)
  })

  test('say who sees the address of the browser above the audio, until it was opened', async () => {
    const { page, complaints } = await ida.open()
    const note = page.getByText(t('podcast.filesPrivacy'))
    const link = page.getByRole('link', { name: t('podcast.openMedia') })
    for (const number of [34, 33]) {
      await page.goto(ida.demo.url + episodePath(number))
      await link.waitFor()
      await note.waitFor()
      expect(await violationsOn(page)).toEqual([])
    }
    const opened = page.waitForEvent('popup')
    await link.click()
    await (await opened).close()
    await note.waitFor({ state: 'detached' })
    await page.goto(ida.demo.url + episodePath(34))
    await link.waitFor()
    await settle(page)
    expect(await note.count()).toBe(0)
    expect(complaints()).toEqual([])
  })
})
