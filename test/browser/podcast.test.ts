import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, until } from './support/watch.ts'

/** The Tab stops of the page, in order. */
const REACHED = `[...document.querySelectorAll('main :is(a[href], button, input, select)')].map((element) =>
  element.closest('.podcast-tags') ? 'topic' : element.matches('input[type="search"]') ? 'search' : '').filter(Boolean)`

const HOSTILE_NAME = '<img src=x onerror=alert(1)> "Küche" \u202e & more'

describeInBrowser('the pages of a podcast and an episode', () => {
  const ida = demoBrowser()
  const client = () => remoteClient(ida.demo.url, basic('ida', 'seaglass'))
  const feed = (slug: string) => `${ida.demo.feeds}/${slug}.xml`
  const podcastPath = (slug: string) => `${ida.demo.url}/podcast?url=${encodeURIComponent(feed(slug))}`

  const episodePath = (number: number) => {
    const { feeds } = ida.demo
    return `/episode?${new URLSearchParams({ podcast: `${feeds}/harbour.xml`, url: `${feeds}/harbour/${number}.mp3` })}`
  }

  test('put the search field before the topics in Tab order, on wide screens and phones', async () => {
    for (const viewport of [
      { width: 1280, height: 860 },
      { width: 360, height: 780 },
    ]) {
      const { page, complaints } = await ida.open({ viewport })
      await page.goto(podcastPath('harbour'))
      await page.getByRole('link', { name: '34: Fog' }).waitFor()
      await settle(page)
      const reached = await page.evaluate<string[]>(REACHED)
      expect(reached.length).toBeGreaterThan(1)
      expect(reached).toEqual(['search', ...reached.slice(1).fill('topic')])
      expect(complaints()).toEqual([])
    }
  })

  test('mark all episodes, or one and all older ones, as played, with undo', async () => {
    const unplayed = `/api/2/me/podcast/episodes?unplayed=true&url=${encodeURIComponent(feed('moss'))}`
    const left = async () => Object((await client().get(unplayed)).json).total
    const { page, complaints } = await ida.open({ viewport: { width: 1280, height: 860 } })
    const toast = (n: number) => page.getByText(t('episodes.markedPlayed', { n }), { exact: true })
    const undo = () => page.locator('.toast button', { hasText: t('common.undo') }).click()
    await page.goto(podcastPath('moss'))
    await page.getByRole('button', { name: t('inbox.markAll') }).click()
    await toast(34).waitFor()
    expect(await left()).toBe(0)
    await undo()
    await page.getByText(t('episodes.restored', { n: 34 }), { exact: true }).waitFor()
    expect(await left()).toBe(34)
    await page.getByRole('button', { name: new RegExp(`^${t('episodes.more')}: 32: `) }).click()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('menuitem', { name: t('episodes.markOlder') }).click()
    await toast(32).waitFor()
    expect(await left()).toBe(2)
    await page.getByRole('button', { name: new RegExp(`^${t('podcast.playLatest')}: 34: `) }).waitFor()
    await undo()
    await page.getByText(t('episodes.restored', { n: 32 }), { exact: true }).waitFor()
    expect(await left()).toBe(34)
    expect(complaints()).toEqual([])
  })

  test('tell who learns the IP address, until an audio file was opened', async () => {
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

  test('put a podcast into a folder, which filters Home and New in all windows and is exported', async () => {
    const { page, complaints } = await ida.open()
    const { page: other } = await ida.open()
    await other.context().addInitScript(NO_POLLS)
    await other.goto(ida.demo.url, { waitUntil: 'networkidle' })

    await page.goto(podcastPath('harbour'))
    await page.getByRole('button', { name: t('folders.assign') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('folders.newName')).fill(HOSTILE_NAME)
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await dialog.waitFor({ state: 'detached' })
    await page
      .getByRole('region', { name: t('folders.title') })
      .getByText(HOSTILE_NAME)
      .waitFor()

    // The other window learns of the folder without being reloaded.
    const chips = other.getByRole('group', { name: t('folders.title') })
    await chips.getByRole('button', { name: HOSTILE_NAME }).click()
    await until(other, `document.querySelectorAll('.home-lists > ul:last-child > li').length === 1`)

    await page.goto(`${ida.demo.url}/inbox?show=all`)
    await page.getByLabel(t('folders.title')).selectOption({ label: HOSTILE_NAME })
    await until(
      page,
      `[...document.querySelectorAll('.episode-row')].every((row) => row.textContent.includes('Harbour Talk'))`,
    )
    const { text } = await succeed(client().get('/api/2/me/export.opml'))
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;Küche&quot;')

    await chips.getByRole('button', { name: t('folders.all') }).click()
    await other.getByRole('button', { name: t('folders.edit') }).click()
    expect(await violationsOn(other)).toEqual([])
    await other.getByRole('button', { name: t('folders.remove', { name: HOSTILE_NAME }) }).click()
    await other
      .getByRole('dialog')
      .getByRole('button', { name: t('common.save') })
      .click()
    await chips.waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })
})
