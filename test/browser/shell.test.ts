import { expect, test } from 'bun:test'
import { t } from '../web/support/texts.ts'
import { asIda } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

/** The accessible name of the element that has the focus. */
const FOCUSED = `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`

describeInBrowser('the focus', () => {
  const ida = asIda({ width: 320, height: 800 })

  test('starts at the title of the list of shortcuts, and is restored afterwards', async () => {
    const add = ida.page.getByRole('button', { name: t('home.add') })
    await add.focus()
    await ida.page.keyboard.press('?')
    await ida.page.getByRole('dialog', { name: t('common.shortcuts.title') }).waitFor()
    expect(await ida.page.evaluate<string>(FOCUSED)).toBe(t('common.shortcuts.title'))
    await ida.page.keyboard.press('Escape')
    await ida.page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await ida.page.evaluate<string>(FOCUSED)).toBe(t('home.add'))
  })

  test('moves into the menu, and is restored by Escape', async () => {
    await ida.page.getByRole('button', { name: t('common.menu') }).click()
    await ida.page.getByRole('navigation', { name: t('common.navigation') }).waitFor()
    await ida.page.locator('a:focus', { hasText: 'podstep' }).waitFor()
    await ida.page.keyboard.press('Escape')
    await ida.page.getByRole('navigation', { name: t('common.navigation') }).waitFor({ state: 'hidden' })
    expect(await ida.page.evaluate<string>(FOCUSED)).toBe(t('common.menu'))
  })

  test('stays while podcasts are selected, and afterwards', async () => {
    const select = ida.page.getByRole('button', { name: t('home.select'), exact: true })
    await select.press('Enter')
    await ida.page.getByRole('checkbox', { name: 'Harbour Talk' }).waitFor()
    expect(await ida.page.evaluate<string>(FOCUSED)).toBe(t('home.select'))
    expect(await select.getAttribute('aria-pressed')).toBe('true')
    await ida.page.getByRole('button', { name: t('common.cancel') }).press('Enter')
    await ida.page.locator('h1:focus').waitFor()
    expect(await ida.page.getByRole('checkbox').count()).toBe(0)
  })

  test.each([
    ['/', t('home.add')],
    ['/devices', t('devices.newGroup')],
  ])('can reach all of a dialog on %s on a narrow screen with large letters', async (path, button) => {
    await ida.page.goto(ida.demo.url + path)
    await settle(ida.page)
    await ida.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await ida.page.getByRole('button', { name: button }).click()
    const dialog = ida.page.getByRole('dialog')
    await dialog.waitFor()
    const overhang = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'
    expect(await ida.page.evaluate<number>(overhang)).toBe(0)
    expect(await dialog.evaluate<number, Element>((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })
})
