import { beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Client } from '../support/client.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { expectSamePlaceAfter, NO_POLLS, untilEqual, untilSame } from './support/watch.ts'

/** The key of the focused row. */
const FOCUSED = `document.activeElement.closest('[data-key]')?.dataset.key`

describeInBrowser('new episodes', () => {
  const home = openHome()
  let users = 0
  let client: Client
  let page: Page

  /** Each test has its own user, who has not played anything. */
  beforeEach(async () => {
    const username = `reader${++users}`
    client = await home.addUser(username)
    const feeds = ['harbour', 'kitchen', 'night'].map((slug) => `${home.feeds()}/${slug}.xml`)
    await succeed(client.post(`/api/2/subscriptions/${username}/phone.json`, { add: feeds }))
    // The feeds are fetched once, for the first user.
    if (users === 1)
      for (const url of feeds)
        await succeed(home.admin().post(`/api/admin/feeds/update/single?url=${encodeURIComponent(url)}`))
    page = (await home.visitAs(username, '/inbox', { script: NO_POLLS })).page
    await page.setViewportSize({ width: 1280, height: 700 })
  })

  const row = (key: string) => page.locator(`[data-key="${key}"]`)
  const keys = () =>
    page.locator('[data-key]').evaluateAll((rows) => rows.map((each) => each.getAttribute('data-key') ?? ''))
  const states = async () => {
    const { json } = await client.get('/api/2/me/inbox?per_page=100')
    const { items } = json as { items: { podcast: { url: string }; episode: { url: string }; state: string }[] }
    return new Map(items.map(({ podcast, episode, state }) => [`${podcast.url} ${episode.url}`, state]))
  }

  test('can be marked, restored and opened by keyboard', async () => {
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const [, key = '', third = ''] = await keys()
    await untilSame(page, FOCUSED, key)
    const before = (await states()).get(key)
    expect(before).toBe('new')
    const [podcast, episode] = key.split(' ')
    await succeed(client.post('/api/2/me/queue', { at: 'last', episodes: [{ podcast, episode }] }))
    await page.keyboard.press('e')
    await row(key).waitFor({ state: 'detached' })
    await untilSame(page, FOCUSED, third)
    await page.getByText(t('episodes.markedPlayed', { n: 1 })).waitFor()
    await untilEqual(async () => (await states()).get(key), 'played')
    await page.keyboard.press('u')
    await page.locator('.toast button:focus').waitFor()
    await page.keyboard.press('Enter')
    await row(key).waitFor()
    await untilEqual(async () => (await states()).get(key), before)
    await untilEqual(async () => (await client.get('/api/2/me/queue')).text.includes(`"${episode}"`), true)
    // The button of a row moves the focus to the next row, too.
    await row(key)
      .getByRole('button', { name: new RegExp(`^${t('episodes.markPlayed')}`) })
      .press('Enter')
    await row(key).waitFor({ state: 'detached' })
    await untilSame(page, FOCUSED, third)
    await page.keyboard.press('o')
    await page.waitForURL('**/episode?*')
  })

  test('can be marked together, with all older ones', async () => {
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
    await untilEqual(keys, [first, second])
    await page.locator('.toast button', { hasText: t('common.undo') }).click()
    await row(third).waitFor()
  })

  test('have a menu that marks an episode and all older ones of its podcast', async () => {
    await page.getByRole('button', { name: t('inbox.unplayed'), exact: true }).click()
    await page.locator('[data-key]').nth(10).waitFor()
    const harbour = page.locator('[data-key*="/harbour.xml "]')
    const [before, key] = [await harbour.count(), (await harbour.nth(1).getAttribute('data-key')) ?? '']
    expect(before).toBeGreaterThan(2)
    await row(key)
      .getByRole('button', { name: new RegExp(`^${t('episodes.more')}`) })
      .press('Enter')
    // Letters select menu items instead of acting as shortcuts.
    await page.locator('[role="menuitem"]:focus').press('e')
    await page.getByRole('menuitem', { name: t('episodes.markOlder') }).press('Enter')
    await row(key).waitFor({ state: 'detached' })
    await untilEqual(() => harbour.count(), 1)
    expect((await states()).get(key)).toBe('played')
    await page.locator('.toast button', { hasText: t('common.undo') }).click()
    await row(key).waitFor()
    expect((await states()).get(key)).toBe('new')
  })

  test('can be filtered by topic, which is part of the URL', async () => {
    const topic = page.getByLabel(t('inbox.topic'))
    await topic.selectOption({ label: 'Food' })
    await page.waitForURL('**/inbox?tag=food')
    await page.reload()
    await untilEqual(() => topic.inputValue(), 'food')
    const podcasts = async () => [...new Set((await keys()).map((key) => key.split(' ')[0]))]
    await untilEqual(podcasts, [`${home.feeds()}/kitchen.xml`])
    await page.getByLabel(t('inbox.podcast')).selectOption({ label: 'Harbour Talk' })
    await page.waitForURL((url) => url.searchParams.get('podcast') !== null && !url.searchParams.has('tag'))
  })

  test('keep their scroll position and filters on the way back', async () => {
    await page.getByLabel(t('inbox.podcast')).selectOption({ label: 'Harbour Talk' })
    await page.getByRole('button', { name: t('inbox.all'), exact: true }).click()
    await expectSamePlaceAfter(page, /^2: /)
    expect(await page.getByRole('button', { name: t('inbox.all'), exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    )
  })

  test('starred episodes can be sorted and filtered, and stay so on the way back', async () => {
    const star = (slug: string, n: number) => {
      const [podcast, episode] = [`${home.feeds()}/${slug}.xml`, `${home.feeds()}/${slug}/${n}.mp3`].map(
        encodeURIComponent,
      )
      const path = `/api/2/settings/reader${users}/episode.json?podcast=${podcast}&episode=${episode}`
      return succeed(client.post(path, { set: { is_favorite: true } }))
    }
    await page.goto(`${home.url}/favorites`)
    await page.getByText(t('favorites.emptyTitle')).waitFor()
    for (const n of [30, 31, 32]) for (const slug of ['harbour', 'kitchen']) await star(slug, n)
    await page.reload()
    const titles = () => page.locator('main li [data-item]').allTextContents()
    await untilEqual(async () => (await titles()).length, 6)
    await page.getByRole('combobox', { name: t('home.sortBy') }).selectOption('newest')
    await page.getByRole('combobox', { name: t('inbox.podcast') }).selectOption({ label: 'Kitchen Stories (3)' })
    await untilEqual(async () => (await titles()).map((title) => title.slice(0, 2)), ['32', '31', '30'])
    await page.getByRole('searchbox').fill('32')
    await page.getByRole('link', { name: /^32: / }).click()
    await page.getByRole('heading', { level: 1, name: /^32: / }).waitFor()
    await page.goBack()
    await untilEqual(async () => (await titles()).length, 1)
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByRole('heading', { name: t('podcast.noMatch') }).waitFor()
    await page.getByRole('button', { name: t('home.showAll') }).click()
    await untilEqual(async () => (await titles()).length, 6)
  })
})
