import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle, untilEqual } from './support/watch.ts'

describeInBrowser('Discover', () => {
  const ida = demoBrowser()

  test('shows what three people listen to, and of what one or two do no number (D113)', async () => {
    const { url, feeds } = ida.demo
    const paths = ['/discover', '/discover?q=harbour', `/podcast?url=${encodeURIComponent(`${feeds}/harbour.xml`)}`]
    /** By page, in a browser that has cached nothing: how many podcasts are popular, and how many numbers are shown. */
    const look = async () => {
      const { page, complaints } = await ida.open()
      const seen: [popular: number, numbers: number][] = []
      for (const path of paths) {
        await page.goto(url + path)
        await page.locator('main :is(.podcast-item, .episode)').first().waitFor()
        await settle(page)
        const items = page.getByRole('region', { name: t('discover.popular') }).getByRole('listitem')
        seen.push([await items.count(), await page.getByText(/\d+ (?:listener|subscriber)/).count()])
      }
      expect(complaints()).toEqual([])
      return seen
    }
    // The indexer counts once a second.
    const highest = async () => {
      const { json } = await remoteClient(url).get('/toplist/1.json')
      return (json as { subscribers: number }[])[0]?.subscribers
    }
    await untilEqual(highest, 3)
    expect(await look()).toEqual([
      [3, 3],
      [0, 1],
      [0, 1],
    ])

    const tove = remoteClient(url, basic('tove', 'samphire'))
    const remove = ['harbour', 'night', 'moss'].map((slug) => `${feeds}/${slug}.xml`)
    await succeed(tove.post('/api/2/subscriptions/tove/tablet.json', { remove }))
    await untilEqual(highest, 2)
    expect(await look()).toEqual(paths.map(() => [0, 0]))
  })
})
