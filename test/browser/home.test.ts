import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { leaveBy, NO_POLLS, settle, until, untilEqual, untilSame, type WatchedPage } from './support/watch.ts'

/** Clicks twice before the page renders again. */
const TWICE = `for (const _ of [1, 2]) document.querySelector('.selection .button-danger').click()`
const SCROLLED = 'window.scrollY > 100'
/** Whether the history has an entry for an open dialog, which comes and goes a moment after the dialog. */
const HAS_OVERLAY = `history.state?.overlay === true`
/** The accessible name of the focused element. */
const FOCUSED = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`
/** The focused carousel, the index of the focused card, and that of the control in the card. */
const PLACE = `(() => {
  const card = document.activeElement.closest('.carousel-list > *')
  if (!card) return null
  const title = card.closest('.carousel').querySelector('h2').textContent
  const controls = [...card.querySelectorAll('a, button')]
  return [title, [...card.parentElement.children].indexOf(card), controls.indexOf(document.activeElement)]
})()`

describeInBrowser('Home', () => {
  const ida = demoBrowser()
  let first: WatchedPage
  let page: Page

  beforeAll(async () => {
    first = await ida.open({ viewport: { width: 320, height: 500 } })
  })

  beforeEach(async () => {
    page = (await ida.openTab(first)).page
    await page.addInitScript(NO_POLLS)
    await page.goto(ida.demo.url)
    await settle(page)
  })

  // The filter hides the other cards instead of removing them.
  const card = (title: string) => page.locator('.home-card', { hasText: title }).filter({ visible: true })

  test('restores its scroll position on the way back, but not when it is opened again', async () => {
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

  test('keeps the filter and the device on the way back', async () => {
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

  test('selects all matching podcasts, unsubscribes once on a double click, and undoes it by keyboard', async () => {
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
    // The devices that have it are one sync group, which takes one upload.
    expect(uploads).toBe(1)
    expect(await page.locator('.toast').count()).toBe(1)
    await page.locator('#podcasts:focus').waitFor()
    await page.keyboard.press('u')
    await page.locator('.toast button:focus', { hasText: t('common.undo') }).waitFor()
    const isBack = page.waitForResponse((response) => response.url().includes('/subscriptions/'))
    await page.keyboard.press('Enter')
    await card('Knight Moves').waitFor()
    await page.locator('h1:focus').waitFor()
    await isBack
    expect(uploads).toBe(2)
    await page.locator('.toast').waitFor({ state: 'detached' })
  })

  test('Discover finds a podcast despite a typo and subscribes to it on the chosen devices', async () => {
    const { demo } = ida
    const client = remoteClient(demo.url, basic('ida', 'seaglass'))
    const listOf = async (device: string) => (await client.get(`/subscriptions/ida/${device}.json`)).json
    const weather = `${demo.feeds}/weather.xml`

    await page.goto(`${demo.url}/discover`)
    await page.getByLabel(t('discover.searchLabel')).fill('permiting weather')
    await page.keyboard.press('Enter')
    // The podcast may also be on the page before the search, but not among the results.
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

  test('a podcast opened by its address starts with the focus at the top, and says when older episodes are missing', async () => {
    const address = await page.getByRole('link', { name: 'The Ledger' }).getAttribute('href')
    await page.route('**/api/2/me/podcast/episodes*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), total: 2000, max_episodes: 2000 } })
    })
    await page.goto(new URL(address ?? '', ida.demo.url).href)
    await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
    await page.getByText(t('podcast.keptHere').replace('{n}', '2,000')).waitFor()
    await settle(page)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    // A podcast belongs to none of the tabs.
    expect(await page.locator('.tabs').locator('[aria-current], [data-current="true"]').count()).toBe(0)
    await page.keyboard.press('Tab')
    await untilSame(page, FOCUSED, t('common.skip'))
  })

  test('a dialog closes with its cross, the back key and Escape, and the page stays', async () => {
    const dialog = page.getByRole('dialog')
    const close = dialog.getByRole('button', { name: t('common.close'), exact: true })
    // Gives the history a page to go back to.
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
    test('moves into the sheet with more pages, and back on Escape and the back key', async () => {
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

    test('moves through the user menu and the list of shortcuts, and back', async () => {
      // Phones have no list of shortcuts.
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
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: t('common.shortcuts.title') }).waitFor()
      await untilSame(page, FOCUSED, t('common.shortcuts.title'))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await untilEqual(hasFocus, true)
    })

    test('stays in the list during and after a selection', async () => {
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
  })

  test.each([
    ['/', t('home.add')],
    ['/devices', t('devices.newGroup')],
  ])('a dialog on %s fits a narrow screen with large letters', async (path, button) => {
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

  test('its carousels: each is one Tab stop that remembers its place, scrolls to the focus, and keeps it when a card is removed', async () => {
    const { page } = await ida.open({ viewport: { width: 1280, height: 800 } })
    await page.goto(ida.demo.url)
    await settle(page)
    await untilEqual(() => page.locator('.carousel-list').count(), 2)
    const press = (key: string) => page.keyboard.press(key)
    const first = (title: string) => page.locator('.carousel', { hasText: title }).locator('.carousel-list a').first()
    const [begun, newest] = [t('home.continue'), t('home.newEpisodes')]
    await first(begun).focus()
    await press('ArrowRight')
    await untilSame(page, PLACE, [begun, 1, 0])
    await press('ArrowDown')
    await untilSame(page, PLACE, [begun, 1, 1])
    await press('Tab')
    // The link to all new episodes, next to the heading of the next carousel.
    await untilSame(page, PLACE, null)
    await press('Tab')
    await untilSame(page, PLACE, [newest, 0, 0])
    await press('Shift+Tab')
    await press('Shift+Tab')
    await untilSame(page, PLACE, [begun, 1, 1])

    await first(newest).focus()
    await press('End')
    await press('ArrowDown')
    const focused = page.locator(':focus')
    await focused.waitFor()
    await untilSame(page, 'getComputedStyle(document.activeElement.parentElement).opacity', '1')
    await untilEqual(async () => {
      const box = await focused.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 1280
    }, true)

    const titles = () => page.locator('.carousel', { hasText: newest }).locator('h3').allTextContents()
    const before = await titles()
    await first(newest).focus()
    await press('ArrowRight')
    await press('ArrowDown')
    await press('Enter')
    await untilEqual(async () => (await titles())[1], before[2])
    await untilSame(page, `document.activeElement.closest('li')?.querySelector('h3').textContent`, before[2] ?? '')

    // The button that scrolls keeps the focus at the end.
    const next = page.getByRole('region', { name: newest }).getByRole('button', { name: t('common.next') })
    await untilEqual(async () => {
      await next.press('Enter')
      return next.getAttribute('aria-disabled')
    }, 'true')
    await untilSame(page, FOCUSED, t('common.next'))

    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    await first(begun).focus()
    await press('ArrowLeft')
    await untilSame(page, PLACE, [begun, 1, 0])
  })
})
