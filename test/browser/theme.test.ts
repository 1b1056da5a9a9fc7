import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { COLORS } from '../../src/brand.ts'
import { t, textsIn } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome } from './support/home.ts'
import { untilSame } from './support/watch.ts'

const [LIGHT, DARK] = COLORS.ground

/** The background of the page. */
const GROUND = 'getComputedStyle(document.body).backgroundColor'
/** The colour of the browser's toolbars: the first tag whose media query matches. */
const TOOLBAR = `[...document.querySelectorAll('meta[name="theme-color"]')].find(({ media }) => matchMedia(media).matches).content`
const COLORS_SHOWN = `[${GROUND}, ${TOOLBAR}]`
/** Records the background at the first paint. */
const WATCH_FIRST = `new PerformanceObserver((_, observer) => {
  window.firstGround = ${GROUND}
  observer.disconnect()
}).observe({ type: 'paint', buffered: true })`

describeInBrowser('the chosen theme', () => {
  const home = openHome()

  test.each([
    ['dark', 'light', DARK],
    ['light', 'dark', LIGHT],
  ] as const)('%s overrides a %s system from the first paint', async (chosen, colorScheme, ground) => {
    const { page, complaints } = await home.visit({ colorScheme })
    await page.addInitScript(WATCH_FIRST)
    await page.goto(`${home.url}/login`)
    const system = colorScheme === 'light' ? LIGHT : DARK
    await lookMenu(page).waitFor()
    await untilSame(page, COLORS_SHOWN, [rgb(system), system])

    await choose(page, t(`common.theme.${chosen}`))
    await untilSame(page, COLORS_SHOWN, [rgb(ground), ground])
    await page.reload()
    await lookMenu(page).waitFor()
    await untilSame(page, COLORS_SHOWN, [rgb(ground), ground])
    // The menu may be in the DOM before the first paint.
    await untilSame(page, 'window.firstGround', rgb(ground))

    await choose(page, t('common.theme.auto'))
    await untilSame(page, COLORS_SHOWN, [rgb(system), system])
    expect(complaints()).toEqual([])
  })

  test('applies to all tabs, like the chosen language', async () => {
    const { page } = await home.visit({ colorScheme: 'light' })
    await page.goto(`${home.url}/login`)
    const other = await page.context().newPage()
    await other.goto(`${home.url}/login`)
    await choose(other, t('common.theme.dark'))
    await page.locator('html[data-theme="dark"]').waitFor()
    await untilSame(page, COLORS_SHOWN, [rgb(DARK), DARK])
    await other.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await page.locator('html[lang="de"]').waitFor()
    await lookMenu(page).click()
    const german = textsIn('de')
    for (const name of ['Deutsch', german('common.theme.dark')])
      await page.getByRole('menuitemradio', { name, checked: true }).waitFor()
  })
})

const lookMenu = (page: Page) => page.locator('.auth-choices').getByRole('button')

/** Chooses an item of the menu, which stays open. */
async function choose(page: Page, name: string): Promise<void> {
  await lookMenu(page).click()
  await page.getByRole('menuitemradio', { name, exact: true }).click()
}

/** A colour as browsers report it. */
function rgb(hex: string): string {
  return `rgb(${[1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)).join(', ')})`
}
