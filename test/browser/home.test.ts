import { beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { expectSamePlaceAfter, leaveBy, NO_POLLS, settle, until, untilEqual, untilSame } from './support/watch.ts'

/** The two devices that have Knight Moves are one sync group, which takes one upload. */
const UPLOADS = 1
/** Two clicks before the page is rendered again. */
const TWICE = `for (const _ of [1, 2]) document.querySelector('.selection .button-danger').click()`
const SCROLLED = 'window.scrollY > 100'
/** Whether the history has its entry for what lies over the page. It comes and goes a moment later than the dialog. */
const HAS_OVERLAY = `history.state?.overlay === true`
/** The accessible name of the element that has the focus. */
const FOCUSED = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`

describeInBrowser('podcasts on a phone', () => {
  const ida = demoBrowser()
  let page: Page

  beforeEach(async () => {
    page = (await ida.open({ viewport: { width: 320, height: 500 } })).page
    await page.addInitScript(NO_POLLS)
    await page.goto(ida.demo.url)
    await settle(page)
  })

  // While the filter leaves out others, all of them are there out of sight.
  const card = (title: string) => page.locator('.home-card', { hasText: title }).filter({ visible: true })

  test('the list restores its scroll position when the user goes back, but not when it is opened again', async () => {
    await card('The Ledger').scrollIntoViewIfNeeded()
    await until(page, SCROLLED)
    const placed = await leaveBy(page.getByRole('link', { name: 'The Ledger' }))
    await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await untilSame(page, 'window.scrollY', 0)
    await untilSame(page, 'document.activeElement.tagName', 'H1')
    await page.goBack()
    await page.locator('a:focus', { hasText: 'The Ledger' }).waitFor()
    await placed()
    await page.getByRole('link', { name: 'The Ledger' }).click()
    await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await page.getByRole('link', { name: 'podstep' }).first().click()
    await page.getByRole('heading', { level: 1, name: t('home.title') }).waitFor()
    await card('Harbour Talk').waitFor()
    await untilSame(page, 'window.scrollY', 0)
  })

  test('the list keeps the filter and the device when the user goes back', async () => {
    const phone = page.getByRole('button', { name: 'Pixel in the kitchen' })
    await page.getByRole('button', { name: t('home.tools') }).click()
    await page.getByLabel(t('home.filter')).fill('night')
    await phone.click()
    await page.getByRole('link', { name: 'Night Trains' }).click()
    await page.getByRole('heading', { level: 1, name: 'Night Trains' }).waitFor()
    await page.goBack()
    await card('Night Trains').waitFor()
    await untilEqual(() => page.locator('.home-card:visible').count(), 1)
    expect(await page.getByLabel(t('home.filter')).inputValue()).toBe('night')
    expect(await phone.getAttribute('aria-pressed')).toBe('true')
  })

  test('a podcast shows its episodes, and on the way back at the same position', async () => {
    await page.getByRole('link', { name: 'Harbour Talk' }).click()
    await page.getByRole('link', { name: /^1: / }).waitFor()
    const titles = await page.locator('main li h3').allTextContents()
    expect(titles.map((title) => Number.parseInt(title, 10))).toEqual(Array.from({ length: 34 }, (_, n) => 34 - n))
    // A podcast belongs to none of the tabs.
    expect(await page.locator('.tabs').locator('[aria-current], [data-current="true"]').count()).toBe(0)
    await expectSamePlaceAfter(page, /^1: /)
  })

  test('a podcast of which the server keeps only the newest episodes says so before all of them are loaded', async () => {
    let isFirst = true
    await page.route('**/api/2/me/podcast/episodes*', async (route) => {
      if (!isFirst) return
      isFirst = false
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), total: 2000, max_episodes: 2000 } })
    })
    await page.getByRole('link', { name: 'Harbour Talk' }).click()
    await page.getByText(t('podcast.keptHere').replace('{n}', '2,000')).waitFor()
  })

  test('the list selects all that match, unsubscribes once on a double click, and undoes it by keyboard', async () => {
    let uploads = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/subscriptions/')) uploads++
    })
    await page.getByRole('button', { name: t('home.tools') }).click()
    await page.getByRole('button', { name: t('common.selection.begin'), exact: true }).click()
    await page.getByLabel(t('home.filter')).fill('no such podcast')
    await page.getByText(t('home.nothingFound')).waitFor()
    expect(await page.getByRole('button', { name: t('common.selection.all') }).count()).toBe(0)
    await page.getByLabel(t('home.filter')).fill('knight')
    await page.getByRole('button', { name: t('common.selection.all') }).click()
    await page.getByText(t('common.selection.count', { n: 1 }), { exact: true }).waitFor()
    await page.evaluate(TWICE)
    await page.getByText(t('home.unsubscribed', { n: 1 })).waitFor()
    expect(uploads).toBe(UPLOADS)
    expect(await page.locator('.toast').count()).toBe(1)
    await page.locator('#podcasts:focus').waitFor()
    await page.keyboard.press('u')
    await page.locator('.toast button:focus', { hasText: t('common.undo') }).waitFor()
    const isBack = page.waitForResponse((response) => response.url().includes('/subscriptions/'))
    await page.keyboard.press('Enter')
    await card('Knight Moves').waitFor()
    await page.locator('h1:focus').waitFor()
    await isBack
    expect(uploads).toBe(2 * UPLOADS)
    await page.locator('.toast').waitFor({ state: 'detached' })
  })

  test('a podcast is found despite a typo, and subscribed to on the chosen devices', async () => {
    const { demo } = ida
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
    await page.getByText(t('subscribe.done', { title: 'Weather Permitting' })).waitFor()
    expect(await listOf('ida-desk')).toContain(weather)
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribed')) }).click()
    await page.getByRole('menuitem', { name: t('subscribe.devices') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Desktop' }).uncheck()
    await dialog.getByRole('button', { name: t('common.save'), exact: true }).click()
    await page.getByText(t('subscribe.changed').replace('{title}', 'Weather Permitting')).waitFor()
    expect(await listOf('ida-pixel')).toContain(weather)
    expect(await listOf('ida-desk')).not.toContain(weather)
  })

  test('a page that is opened by its address leaves the focus at the start, also when it is loaded', async () => {
    const address = await page.getByRole('link', { name: 'The Ledger' }).getAttribute('href')
    await page.goto(new URL(address ?? '', ida.demo.url).href)
    await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await settle(page)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    await page.keyboard.press('Tab')
    await untilSame(page, FOCUSED, t('common.skip'))
  })

  test('a dialog closes with its cross and with the back key, also the one that follows another, and the page stays', async () => {
    const dialog = page.getByRole('dialog')
    const close = dialog.getByRole('button', { name: t('common.close'), exact: true })
    // To have a page to go back to.
    await page.getByRole('link', { name: t('common.nav.inbox') }).click()
    await page.getByRole('heading', { level: 1, name: t('inbox.title') }).waitFor()
    await page
      .getByRole('link', { name: t('common.nav.home') })
      .first()
      .click()
    const add = page.getByRole('button', { name: t('home.add') })
    for (const leave of [() => close.click(), () => page.goBack(), () => page.keyboard.press('Escape')]) {
      await add.click()
      await until(page, "document.activeElement.matches('dialog input')")
      await untilSame(page, HAS_OVERLAY, true)
      await leave()
      await dialog.waitFor({ state: 'detached' })
      await untilSame(page, HAS_OVERLAY, false)
    }
    await page.getByRole('heading', { level: 1, name: t('home.title') }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: t('inbox.title') }).waitFor()
  })

  describe('the focus', () => {
    test('moves into the sheet with more pages, and is restored by Escape and by the back key', async () => {
      const more = page.getByRole('button', { name: t('common.more'), exact: true })
      const sheet = page.getByRole('dialog', { name: t('common.more'), exact: true })
      const address = page.url()
      for (const close of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
        await more.click()
        await sheet.getByRole('link', { name: t('common.nav.devices') }).waitFor()
        await until(page, "document.activeElement.closest('dialog') !== null")
        await untilSame(page, HAS_OVERLAY, true)
        await close()
        await sheet.waitFor({ state: 'hidden' })
        await untilSame(page, HAS_OVERLAY, false)
        await untilSame(page, FOCUSED, t('common.more'))
        expect(page.url()).toBe(address)
      }
    })

    test('moves through the menu of the person, and is restored', async () => {
      // On a phone there is no list of keys.
      await page.setViewportSize({ width: 1280, height: 700 })
      const button = page.getByRole('button', { name: t('common.person').replace('{name}', 'ida') })
      await button.press('ArrowDown')
      await untilSame(page, FOCUSED, t('common.nav.account'))
      await page.keyboard.press('ArrowUp')
      await untilSame(page, FOCUSED, t('common.signOut'))
      await page.keyboard.press('k')
      await untilSame(page, FOCUSED, t('common.shortcuts.title'))
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'hidden' })
      const hasFocus = () => button.evaluate((element) => element === document.activeElement)
      await untilEqual(hasFocus, true)
      // The list of shortcuts has it at its title, and gives it back.
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: t('common.shortcuts.title') }).waitFor()
      await untilSame(page, FOCUSED, t('common.shortcuts.title'))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await untilEqual(hasFocus, true)
    })

    test('stays while podcasts are selected, and afterwards', async () => {
      const select = page.getByRole('button', { name: t('common.selection.begin'), exact: true })
      await select.press('Enter')
      await page.getByRole('checkbox', { name: 'Harbour Talk' }).waitFor()
      await untilSame(page, FOCUSED, t('common.selection.begin'))
      expect(await select.getAttribute('aria-pressed')).toBe('true')
      await page.getByRole('button', { name: t('common.cancel') }).press('Enter')
      await page.locator('#podcasts:focus').waitFor()
      await page.getByRole('checkbox').first().waitFor({ state: 'detached' })
      await select.press('Enter')
      await page.getByRole('checkbox', { name: 'Harbour Talk' }).press('Space')
      await page.keyboard.press('Escape')
      await page.getByRole('checkbox').first().waitFor({ state: 'detached' })
      await page.locator('#podcasts:focus').waitFor()
    })

    test('stays on the button that scrolls a line, also at its end', async () => {
      await page.setViewportSize({ width: 1280, height: 800 })
      const next = page
        .getByRole('region', { name: t('home.newEpisodes') })
        .getByRole('button', { name: t('common.next') })
      await untilEqual(async () => {
        await next.press('Enter')
        return next.getAttribute('aria-disabled')
      }, 'true')
      await untilSame(page, FOCUSED, t('common.next'))
    })

    test.each([
      ['/', t('home.add')],
      ['/devices', t('devices.newGroup')],
    ])('can reach all of a dialog on %s on a narrow screen with large letters', async (path, button) => {
      await page.goto(ida.demo.url + path)
      await settle(page)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      const overhang = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'
      expect(await page.evaluate<number>(overhang)).toBe(0)
      expect(await dialog.evaluate<number, Element>((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    })
  })
})
