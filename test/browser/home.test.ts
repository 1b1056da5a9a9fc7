import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { asIda } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'

/** The two devices that have Knight Moves are one sync group, which takes one upload. */
const UPLOADS = 1
/** Two clicks before the page is rendered again. */
const TWICE = `for (const _ of [1, 2]) document.querySelector('.home-selection .button-danger').click()`
const SCROLLED = 'window.scrollY > 100'

describeInBrowser('podcasts on a phone', () => {
  const ida = asIda({ width: 360, height: 500 })

  const card = (title: string) => ida.page.locator('.home-card', { hasText: title })
  const top = (text: string) =>
    ida.page.getByRole('link', { name: text }).evaluate<number, Element>((link) => link.getBoundingClientRect().top)

  test('the list restores its scroll position when the user goes back, but not when it is opened again', async () => {
    await card('The Ledger').scrollIntoViewIfNeeded()
    await ida.page.waitForFunction(SCROLLED)
    const before = await top('The Ledger')
    await ida.page.getByRole('link', { name: 'The Ledger' }).click()
    await ida.page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await ida.page.waitForFunction('window.scrollY === 0')
    expect(await ida.page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
    await ida.page.goBack()
    await ida.page.locator('a:focus', { hasText: 'The Ledger' }).waitFor()
    expect(Math.abs((await top('The Ledger')) - before)).toBeLessThanOrEqual(2)
    await ida.page.getByRole('link', { name: 'The Ledger' }).click()
    await ida.page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await ida.page.getByRole('link', { name: 'podstep' }).first().click()
    await ida.page.getByRole('heading', { level: 1, name: t('home.title') }).waitFor()
    await card('Harbour Talk').waitFor()
    expect(await ida.page.evaluate<number>('window.scrollY')).toBe(0)
  })

  test('the list keeps the filter and the device when the user goes back', async () => {
    const phone = ida.page.getByRole('button', { name: 'Pixel in the kitchen' })
    await ida.page.getByLabel(t('home.filter')).fill('night')
    await phone.click()
    await ida.page.getByRole('link', { name: 'Night Trains' }).click()
    await ida.page.getByRole('heading', { level: 1, name: 'Night Trains' }).waitFor()
    await ida.page.goBack()
    await card('Night Trains').waitFor()
    expect(await ida.page.locator('.home-card').count()).toBe(1)
    expect(await ida.page.getByLabel(t('home.filter')).inputValue()).toBe('night')
    expect(await phone.getAttribute('aria-pressed')).toBe('true')
  })

  test('a podcast shows as many episodes as before at the same position', async () => {
    await ida.page.getByRole('link', { name: 'Harbour Talk' }).click()
    await ida.page.getByRole('button', { name: t('podcast.moreEpisodes') }).click()
    const last = ida.page.getByRole('link', { name: /^1: / })
    await last.scrollIntoViewIfNeeded()
    const before = await last.evaluate<number, Element>((link) => link.getBoundingClientRect().top)
    await last.click()
    await ida.page.getByRole('heading', { level: 1, name: /^1: / }).waitFor()
    await ida.page.goBack()
    await ida.page.locator('a:focus', { hasText: /^1: / }).waitFor()
    const after = await last.evaluate<number, Element>((link) => link.getBoundingClientRect().top)
    expect(Math.abs(after - before)).toBeLessThanOrEqual(2)
  })

  test('the list selects all that match, unsubscribes once on a double click, and undoes it by keyboard', async () => {
    let uploads = 0
    ida.page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/subscriptions/')) uploads++
    })
    await ida.page.getByRole('button', { name: t('home.select'), exact: true }).click()
    await ida.page.getByLabel(t('home.filter')).fill('no such podcast')
    await ida.page.getByText(t('home.nothingFound')).waitFor()
    expect(await ida.page.getByRole('button', { name: t('home.selectAll') }).count()).toBe(0)
    await ida.page.getByLabel(t('home.filter')).fill('knight')
    await ida.page.getByRole('button', { name: t('home.selectAll') }).click()
    await ida.page.getByText(t('home.selected', { n: 1 }), { exact: true }).waitFor()
    await ida.page.evaluate(TWICE)
    await ida.page.getByText(t('home.unsubscribed', { n: 1 })).waitFor()
    expect(uploads).toBe(UPLOADS)
    expect(await ida.page.locator('.toast').count()).toBe(1)
    await ida.page.locator('h1:focus').waitFor()
    await ida.page.keyboard.press('u')
    await ida.page.locator('.toast button:focus', { hasText: t('common.undo') }).waitFor()
    await ida.page.keyboard.press('Enter')
    await card('Knight Moves').waitFor()
    await ida.page.locator('h1:focus').waitFor()
    expect(uploads).toBe(2 * UPLOADS)
    expect(await ida.page.locator('.toast').count()).toBe(0)
  })

  test('the list loads titles again when the tab becomes visible', async () => {
    const renamed = async () => {
      const answer = await ida.page.request.get(`${ida.demo.url}/api/2/me/subscriptions`)
      const list: unknown = await answer.json()
      return JSON.stringify(list).replace('"Knight Moves"', '"A New Name"')
    }
    const body = await renamed()
    await ida.page.route('**/api/2/me/subscriptions', (route) =>
      route.fulfill({ body, contentType: 'application/json' }),
    )
    expect(await card('A New Name').count()).toBe(0)
    await ida.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await card('A New Name').waitFor()
  })

  test('a podcast is found despite a typo, and subscribed to on the chosen devices', async () => {
    const { page, demo } = ida
    const client = remoteClient(demo.url, basic('ida', 'seaglass'))
    const listOf = async (device: string) => (await client.get(`/subscriptions/ida/${device}.json`)).json
    const weather = `${demo.feeds}/weather.xml`

    await page.goto(`${demo.url}/discover`)
    await page.getByLabel(t('discover.searchLabel')).fill('permiting weather')
    await page.keyboard.press('Enter')
    // The page may show the podcast before the search, too, but removes that when the results arrive.
    const results = page.getByRole('region', { name: t('discover.here') })
    const found = results.getByRole('listitem').filter({ hasText: 'Weather Permitting' }).first()
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribe')) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Desktop' }).uncheck()
    await dialog.getByRole('button', { name: t('subscribe.subscribe'), exact: true }).click()
    await page.getByText(t('subscribe.changed').replace('{title}', 'Weather Permitting')).waitFor()
    expect(await listOf('ida-pixel')).toContain(weather)
    expect(await listOf('ida-desk')).not.toContain(weather)
  })
})
