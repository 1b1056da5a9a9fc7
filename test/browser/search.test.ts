import { afterAll, beforeAll, expect, test } from 'bun:test'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { settle, untilEqual } from './support/watch.ts'

const SEARCH = '/api/2/me/search?q=brulee'

const EPISODES = [
  { title: 'The lighthouse', notes: 'Stairs, and a lamp.', year: 2025 },
  { title: 'Boats', notes: 'Crème brûlée for the keeper of the lighthouse.', year: 2009 },
]
const SECRET = [{ title: 'Brûlée at the lighthouse', notes: 'Only for those who pay.', year: 2024 }]

const items = (list: typeof EPISODES, base: string) =>
  list
    .map(
      ({ title, notes, year }) => `<item><title>${title}</title><guid>${title}</guid><description>${notes}</description>
<pubDate>${new Date(Date.UTC(year, 1, 9)).toUTCString()}</pubDate>
<enclosure url="${base}/${year}.mp3" type="audio/mpeg"/></item>`,
    )
    .join('')

describeInBrowser('searching the user’s own podcasts', () => {
  const publisher: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const isSecret = new URL(url).searchParams.has('token')
      const [title, list] = isSecret ? ['Paid Talk', SECRET] : ['Harbour Talk', EPISODES]
      return new Response(
        `<rss version="2.0"><channel><title>${title}</title>${items(list, publisher.url.origin)}</channel></rss>`,
      )
    },
  })
  const home = openHome()
  afterAll(() => publisher.stop(true))
  const feed = `${publisher.url.origin}/feed.xml`

  beforeAll(async () => {
    const add = async (username: string, url: string) => {
      const client = await home.addUser(username)
      await succeed(client.post(`/api/2/subscriptions/${username}/pixel.json`, { add: [url] }))
      const found = async () => Object((await succeed(client.get(SEARCH))).json).episodes.length
      await untilEqual(found, 1)
      return client
    }
    await add('ole', `${feed}?token=5f8c1b7e9a2d4c6f8e0b1a3d5c7f9e2b`)
    const ida = await add('ida', feed)
    const played = { podcast: feed, episode: `${publisher.url.origin}/2009.mp3`, device: 'pixel', action: 'play' }
    await succeed(ida.post('/api/2/episodes/ida.json', [{ ...played, started: 0, position: 60, total: 600 }]))
  })

  test('finds an old episode on Home by words of its notes, despite a typo and missing accents', async () => {
    const { page, complaints } = await home.visitAs('ida')
    await page.locator('[data-search]').first().waitFor()
    await settle(page)
    await page.keyboard.press('/')
    await page.keyboard.type('lighthuose brulee')
    const row = page.getByRole('region', { name: t('discover.ownEpisodes') }).getByRole('listitem')
    await untilEqual(() => row.getByRole('heading').allTextContents(), ['Boats'])
    expect(await page.locator('[data-search]:focus').inputValue()).toBe('lighthuose brulee')
    expect(await violationsOn(page)).toEqual([])
    await row.getByRole('link', { name: 'Boats' }).click()
    await page.getByRole('heading', { name: 'Boats', level: 1 }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('shows the user’s podcast once, and no private podcast of another user', async () => {
    const { page, complaints } = await home.visitAs('ida', '/discover?q=talk')
    await page.getByText(t('discover.hereNone')).waitFor()
    const talks = page.locator('main .podcast-item').getByRole('heading', { name: /Talk/ })
    await untilEqual(() => talks.allTextContents(), ['Harbour Talk'])
    expect(complaints()).toEqual([])
  })

  test('searches the history on its page', async () => {
    const { page, complaints } = await home.visitAs('ida', '/listening')
    const box = page.getByRole('searchbox', { name: t('listening.search') })
    await box.fill('keepe')
    const titles = () => page.locator('.episode-rows h3').allTextContents()
    await untilEqual(titles, ['Boats'])
    expect(await violationsOn(page)).toEqual([])
    await box.fill('stairs')
    await page.getByText(t('listening.searchNone')).waitFor()
    await box.fill('')
    await page.locator('.episode-entries').getByText('Boats').waitFor()
    expect(complaints()).toEqual([])
  })
})
