import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { expectSamePlaceAfter, settle, until } from './support/watch.ts'

/** The key of the row that has the focus. */
const FOCUSED = `document.activeElement.closest('[data-key]')?.dataset.key`

describeInBrowser('new episodes', () => {
  const ida = demoBrowser()
  let page: Page

  beforeEach(async () => {
    page = (await ida.open({ viewport: { width: 1280, height: 700 } })).page
    await page.goto(`${ida.demo.url}/inbox`)
    await settle(page)
  })

  afterEach(() => page.context().close())

  const row = (key: string) => page.locator(`[data-key="${key}"]`)
  const keys = () =>
    page.locator('[data-key]').evaluateAll((rows) => rows.map((each) => each.getAttribute('data-key') ?? ''))
  const states = async () => {
    const { json } = await remoteClient(ida.demo.url, basic('ida', 'seaglass')).get('/api/2/me/inbox?per_page=100')
    const { items } = json as { items: { podcast: { url: string }; episode: { url: string }; state: string }[] }
    return new Map(items.map(({ podcast, episode, state }) => [`${podcast.url} ${episode.url}`, state]))
  }

  test('are gone through by keyboard: marked, taken back, opened', async () => {
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const key = await page.evaluate<string>(FOCUSED)
    const [, second, third] = await keys()
    expect(key).toBe(second ?? '')
    const before = (await states()).get(key)
    await page.keyboard.press('e')
    await row(key).waitFor({ state: 'detached' })
    expect(await page.evaluate<string>(FOCUSED)).toBe(third ?? '')
    await page.getByText(t('episodes.markedPlayed', { n: 1 })).waitFor()
    expect((await states()).get(key)).toBe('played')
    await page.keyboard.press('u')
    await page.keyboard.press('Enter')
    await row(key).waitFor()
    await page.waitForLoadState('networkidle')
    expect((await states()).get(key)).toBe(before)
    await row(key).getByRole('link').focus()
    await page.keyboard.press('o')
    await page.waitForURL('**/episode?*')
  })

  test('are marked together, with all that are older', async () => {
    const [first = '', second = '', third = ''] = await keys()
    await row(first).getByRole('link').focus()
    await page.keyboard.press('x')
    await row(second).getByRole('checkbox').check()
    await page.getByText(t('common.selection.count', { n: 2 }), { exact: true }).waitFor()
    await page.getByRole('button', { name: t('episodes.markPlayed'), exact: true }).click()
    await row(first).waitFor({ state: 'detached' })
    await row(second).waitFor({ state: 'detached' })
    await page.locator('.toast button', { hasText: t('common.undo') }).click()
    await row(second).waitFor()
    await page.getByRole('button', { name: t('common.selection.begin'), exact: true }).click()
    await row(third).getByRole('checkbox').check()
    await page.getByRole('button', { name: t('inbox.markOlder') }).click()
    await row(third).waitFor({ state: 'detached' })
    await page.locator('[data-key]').nth(2).waitFor({ state: 'detached' })
    expect(await keys()).toEqual([first, second])
    await page.locator('.toast button', { hasText: t('common.undo') }).click()
    await row(third).waitFor()
  })

  test('may be of one topic, which the address remembers', async () => {
    const topic = page.getByLabel(t('inbox.topic'))
    await topic.selectOption({ label: 'Food' })
    await page.waitForURL('**/inbox?tag=food')
    const shown = page.locator('.inbox-day a[data-item]')
    await until(page, `!document.querySelector('.inbox-day')?.textContent.includes('Harbour Talk')`)
    expect(await shown.count()).toBeGreaterThan(0)
    await page.reload()
    await settle(page)
    expect(await topic.inputValue()).toBe('food')
    const podcasts = await page
      .locator('[data-key]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))
    expect(new Set(podcasts.map((key) => key?.split(' ')[0]))).toEqual(new Set([`${ida.demo.feeds}/kitchen.xml`]))
    await page.getByLabel(t('inbox.podcast')).selectOption({ label: 'Harbour Talk' })
    await page.waitForURL((url) => url.searchParams.get('podcast') !== null && !url.searchParams.has('tag'))
  })

  test('are shown at the same place when the user comes back, also far down and with a filter', async () => {
    await page.getByLabel(t('inbox.podcast')).selectOption({ label: 'Harbour Talk' })
    await page.getByRole('button', { name: t('inbox.all'), exact: true }).click()
    await expectSamePlaceAfter(page, /^2: /)
    expect(await page.getByRole('button', { name: t('inbox.all'), exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    )
  })
})
