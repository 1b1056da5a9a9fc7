import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { common } from '../../src/web/text/en/common.ts'
import { devices } from '../../src/web/text/en/devices.ts'
import { home } from '../../src/web/text/en/home.ts'
import type { Demo } from '../web/support/demo.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE, startBinary } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

/** What has the focus, as people call it. */
const FOCUSED = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`

describeInBrowser('what stands around every page', () => {
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
      viewport: { width: 320, height: 800 },
      locale: 'en',
      reducedMotion: 'reduce',
    })
    page = await context.newPage()
    await signInAs(page, demo.url, 'ida', 'seaglass')
    await settle(page)
  }, PATIENCE)

  afterEach(() => page.context().close(), PATIENCE)

  test(
    'the list of shortcuts begins at its title, and gives the focus back',
    async () => {
      const add = page.getByRole('button', { name: home.add })
      await add.focus()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: common.shortcuts.title }).waitFor()
      expect(await page.evaluate<string>(FOCUSED)).toBe(common.shortcuts.title)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(await page.evaluate<string>(FOCUSED)).toBe(home.add)
    },
    PATIENCE,
  )

  test(
    'the menu takes the focus, and gives it back on Escape',
    async () => {
      await page.getByRole('button', { name: common.menu }).click()
      await page.getByRole('navigation', { name: common.navigation }).waitFor()
      await page.locator('a:focus', { hasText: 'podstep' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('navigation', { name: common.navigation }).waitFor({ state: 'hidden' })
      expect(await page.evaluate<string>(FOCUSED)).toBe(common.menu)
    },
    PATIENCE,
  )

  test(
    'choosing podcasts keeps the focus, also when it ends',
    async () => {
      const select = page.getByRole('button', { name: home.select, exact: true })
      await select.press('Enter')
      await page.getByRole('checkbox', { name: 'Harbour Talk' }).waitFor()
      expect(await page.evaluate<string>(FOCUSED)).toBe(home.select)
      expect(await select.getAttribute('aria-pressed')).toBe('true')
      await page.getByRole('button', { name: common.cancel }).press('Enter')
      await page.locator('h1:focus').waitFor()
      expect(await page.getByRole('checkbox').count()).toBe(0)
    },
    PATIENCE,
  )

  test.each([
    ['/', home.add],
    ['/devices', devices.newGroup],
  ])(
    'a dialog on %s fits on the narrowest screens with the largest letters',
    async (path, button) => {
      await page.goto(demo.url + path)
      await settle(page)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      const overhang = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'
      expect(await page.evaluate<number>(overhang)).toBe(0)
      expect(await dialog.evaluate<number, Element>((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    },
    PATIENCE,
  )
})
