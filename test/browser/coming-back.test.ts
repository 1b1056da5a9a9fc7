import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { common } from '../../src/web/text/en/common.ts'
import { home, podcast } from '../../src/web/text/en/home.ts'
import { plural } from '../../src/web/text/fill.ts'
import type { Demo } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE, startBinary } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

/** Devices that have Knight Moves. */
const HOLDERS = 2
/** Faster than any page is drawn. */
const TWICE = `for (const _ of [1, 2]) document.querySelector('.home-selection .button-danger').click()`
const SCROLLED = 'window.scrollY > 100'

describeInBrowser('the own podcasts', () => {
  let demo: Demo
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    demo = await startBinary()
    browser = await openBrowser()
  }, PATIENCE)

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  }, PATIENCE)

  beforeEach(async () => {
    const context = await browser.newContext({
      viewport: { width: 360, height: 500 },
      locale: 'en',
      reducedMotion: 'reduce',
    })
    page = await context.newPage()
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await settle(page)
  }, PATIENCE)

  afterEach(() => page.context().close(), PATIENCE)

  const card = (title: string) => page.locator('.home-card', { hasText: title })
  const top = (text: string) =>
    page.getByRole('link', { name: text }).evaluate<number, Element>((link) => link.getBoundingClientRect().top)

  test(
    'are where they were when somebody comes back from one, and at the top by another way',
    async () => {
      await card('The Ledger').scrollIntoViewIfNeeded()
      await page.waitForFunction(SCROLLED)
      const before = await top('The Ledger')
      await page.getByRole('link', { name: 'The Ledger' }).click()
      await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
      await page.waitForFunction('window.scrollY === 0')
      expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
      await page.goBack()
      await page.locator('a:focus', { hasText: 'The Ledger' }).waitFor()
      expect(Math.abs((await top('The Ledger')) - before)).toBeLessThanOrEqual(2)
      await page.getByRole('link', { name: 'The Ledger' }).click()
      await page.getByRole('heading', { level: 1, name: 'The Ledger' }).waitFor()
      await page.getByRole('link', { name: 'podstep' }).first().click()
      await page.getByRole('heading', { level: 1, name: home.title }).waitFor()
      await card('Harbour Talk').waitFor()
      expect(await page.evaluate<number>('window.scrollY')).toBe(0)
    },
    PATIENCE,
  )

  test(
    'keep the filter and the device when somebody comes back',
    async () => {
      const phone = page.getByRole('button', { name: 'Pixel in the kitchen' })
      await page.getByLabel(home.filter).fill('night')
      await phone.click()
      await page.getByRole('link', { name: 'Night Trains' }).click()
      await page.getByRole('heading', { level: 1, name: 'Night Trains' }).waitFor()
      await page.goBack()
      await card('Night Trains').waitFor()
      expect(await page.locator('.home-card').count()).toBe(1)
      expect(await page.getByLabel(home.filter).inputValue()).toBe('night')
      expect(await phone.getAttribute('aria-pressed')).toBe('true')
    },
    PATIENCE,
  )

  test(
    'a podcast shows as many episodes as before, at the same place',
    async () => {
      await page.getByRole('link', { name: 'Harbour Talk' }).click()
      await page.getByRole('button', { name: podcast.moreEpisodes }).click()
      const last = page.getByRole('link', { name: /^1: / })
      await last.scrollIntoViewIfNeeded()
      const before = await last.evaluate<number, Element>((link) => link.getBoundingClientRect().top)
      await last.click()
      await page.getByRole('heading', { level: 1, name: /^1: / }).waitFor()
      await page.goBack()
      await page.locator('a:focus', { hasText: /^1: / }).waitFor()
      const after = await last.evaluate<number, Element>((link) => link.getBoundingClientRect().top)
      expect(Math.abs(after - before)).toBeLessThanOrEqual(2)
    },
    PATIENCE,
  )

  test(
    'that are shown are selected at once; unsubscribing happens once, and is taken back by keys alone',
    async () => {
      let uploads = 0
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('/subscriptions/')) uploads++
      })
      await page.getByRole('button', { name: home.select, exact: true }).click()
      await page.getByLabel(home.filter).fill('no such podcast')
      await page.getByText(home.nothingFound).waitFor()
      expect(await page.getByRole('button', { name: home.selectAll }).count()).toBe(0)
      await page.getByLabel(home.filter).fill('knight')
      await page.getByRole('button', { name: home.selectAll }).click()
      await page.getByText(plural(home.selected, 1, 'en'), { exact: true }).waitFor()
      await page.evaluate(TWICE)
      await page.getByText(plural(home.unsubscribed, 1, 'en')).waitFor()
      expect(uploads).toBe(HOLDERS)
      expect(await page.locator('.toast').count()).toBe(1)
      await page.locator('h1:focus').waitFor()
      await page.keyboard.press('u')
      await page.locator('.toast button:focus', { hasText: common.undo }).waitFor()
      await page.keyboard.press('Enter')
      await card('Knight Moves').waitFor()
      await page.locator('h1:focus').waitFor()
      expect(uploads).toBe(2 * HOLDERS)
      expect(await page.locator('.toast').count()).toBe(0)
    },
    PATIENCE,
  )

  test(
    'learn what a new one is called when the tab is looked at again',
    async () => {
      const renamed = async () => {
        const answer = await page.request.get(`${demo.url}/api/2/me/subscriptions`)
        const list: unknown = await answer.json()
        return JSON.stringify(list).replace('"Knight Moves"', '"A New Name"')
      }
      const body = await renamed()
      await page.route('**/api/2/me/subscriptions', (route) => route.fulfill({ body, contentType: 'application/json' }))
      expect(await card('A New Name').count()).toBe(0)
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      await card('A New Name').waitFor()
    },
    PATIENCE,
  )
})
