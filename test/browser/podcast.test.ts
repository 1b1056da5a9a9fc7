import { expect, test } from 'bun:test'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

/** What the Tab key reaches in the page, in order. */
const REACHED = `[...document.querySelectorAll('main :is(a[href], button, input, select)')].map((element) =>
  element.closest('.podcast-tags') ? 'topic' : element.matches('input[type="search"]') ? 'search' : '').filter(Boolean)`

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

  test('say who sees the address of the browser above transcript and audio, until one was opened', async () => {
    const { page, complaints } = await ida.open()
    const transcript = `${ida.demo.feeds}/harbour.xml?transcript`
    await page.route(/\/me\/podcast\/episode\?/, async (route) => {
      const answer: unknown = await (await route.fetch()).json()
      await route.fulfill({ json: { ...Object(answer), transcript_url: transcript } })
    })
    const note = page.getByText(t('podcast.filesPrivacy'))
    const link = page.getByRole('link', { name: t('podcast.transcript') })
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
