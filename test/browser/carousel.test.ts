import { beforeEach, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle, untilEqual, untilSame } from './support/watch.ts'

/** The carousel that has the focus, and where in it: the card, and the control of that. */
const PLACE = `(() => {
  const card = document.activeElement.closest('.carousel-list > *')
  if (!card) return null
  const title = card.closest('.carousel').querySelector('h2').textContent
  const controls = [...card.querySelectorAll('a, button')]
  return [title, [...card.parentElement.children].indexOf(card), controls.indexOf(document.activeElement)]
})()`

describeInBrowser('lines of cards with the keyboard', () => {
  const ida = demoBrowser()
  let page: Page

  beforeEach(async () => {
    page = (await ida.open({ viewport: { width: 1280, height: 800 } })).page
    await page.goto(ida.demo.url)
    await settle(page)
    await untilEqual(() => page.locator('.carousel-list').count(), 2)
  })

  const press = (key: string) => page.keyboard.press(key)
  const first = (title: string) => page.locator('.carousel', { hasText: title }).locator('.carousel-list a').first()

  test('each line is one stop of Tab, and keeps its place', async () => {
    const begun = t('home.continue')
    await first(begun).focus()
    await press('ArrowRight')
    await untilSame(page, PLACE, [begun, 1, 0])
    await press('ArrowDown')
    await untilSame(page, PLACE, [begun, 1, 1])
    await press('Tab')
    // The link to all new episodes, next to the heading of the next line.
    await untilSame(page, PLACE, null)
    await press('Tab')
    await untilSame(page, PLACE, [t('home.newEpisodes'), 0, 0])
    await press('Shift+Tab')
    await press('Shift+Tab')
    await untilSame(page, PLACE, [begun, 1, 1])
  })

  test('a control that the arrow keys reach can be seen', async () => {
    const line = t('home.newEpisodes')
    await first(line).focus()
    await press('End')
    await press('ArrowDown')
    const focused = page.locator(':focus')
    await focused.waitFor()
    await untilSame(page, 'getComputedStyle(document.activeElement.parentElement).opacity', '1')
    await untilEqual(async () => {
      const box = await focused.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 1280
    }, true)
  })

  test('a card that goes leaves the focus to the one after it', async () => {
    const line = t('home.newEpisodes')
    const titles = () => page.locator('.carousel', { hasText: line }).locator('h3').allTextContents()
    const before = await titles()
    await first(line).focus()
    await press('ArrowRight')
    await press('ArrowDown')
    await press('Enter')
    await untilEqual(async () => (await titles())[1], before[2])
    await untilSame(page, `document.activeElement.closest('li')?.querySelector('h3').textContent`, before[2] ?? '')
  })

  test('from right to left the left arrow leads on', async () => {
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    await first(t('home.continue')).focus()
    await press('ArrowLeft')
    await untilSame(page, PLACE, [t('home.continue'), 1, 0])
  })
})
