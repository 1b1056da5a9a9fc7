import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, until } from './support/watch.ts'

/** Waits until changes have a time of their own: restores know seconds. */
const nextSecond = (page: Page) => until(page, `Date.now() >= ${1000 * (Math.floor(Date.now() / 1000) + 1)}`)

/** A demo whose list of Ida's phone can be read, and emptied by an app. */
function demoWithPhone() {
  const ida = demoBrowser()
  const client = () => remoteClient(ida.demo.url, basic('ida', 'seaglass'))
  return {
    ida,
    listOfPixel: async () => (await client().get('/subscriptions/ida/ida-pixel.json')).json as readonly string[],
    wipe: () => succeed(client().put('/subscriptions/ida/ida-pixel.json', [])),
  }
}

describeInBrowser('activity', () => {
  const { ida, listOfPixel, wipe } = demoWithPhone()

  test('a list that an app has wiped comes back with one click, and a click on Undo takes that back', async () => {
    const { demo } = ida
    const { page } = await ida.open()
    const before = await listOfPixel()
    expect(before.length).toBeGreaterThan(5)
    await wipe()

    await page.addInitScript(NO_POLLS)
    await page.goto(`${demo.url}/activity`)
    await settle(page)
    const removal = t('activity.kinds.removed', { device: 'Pixel in the kitchen', n: before.length })
    const item = page.getByRole('listitem').filter({ hasText: removal })
    await item.getByText('Harbour Talk').waitFor()
    await nextSecond(page)
    await item.getByRole('button', { name: t('common.undo') }).click()
    await page.getByText(t('activity.undone')).waitFor()
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())

    await page
      .locator('.toast')
      .getByRole('button', { name: t('common.undo') })
      .click()
    await page
      .getByRole('listitem')
      .filter({ hasText: t('activity.kinds.restored') })
      .nth(1)
      .waitFor()
    expect(await listOfPixel()).toEqual([])

    // An older change takes the later ones back as well, and says so first.
    await page
      .getByRole('listitem')
      .filter({ hasText: removal })
      .getByRole('button', { name: t('common.undo') })
      .click()
    const dialog = page.getByRole('dialog', { name: t('activity.undoTitle') })
    await dialog.getByText(removal).waitFor()
    await dialog.getByRole('button', { name: t('common.undo') }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())
  })

  test('the apps of the user are told with what they did', async () => {
    const { page } = await ida.open()
    await page.goto(`${ida.demo.url}/activity`)
    await page.getByRole('button', { name: t('activity.timelines.apps') }).click()
    await page.getByText(t('activity.did.sent_changes')).first().waitFor()
  })
})

// A server of its own: the page of activity shows what other tests have wiped.
describeInBrowser('activity on Home', () => {
  const { ida, listOfPixel, wipe } = demoWithPhone()

  test('a list that an app has wiped is brought back from Home', async () => {
    const { page } = await ida.open()
    const before = await listOfPixel()
    await page.goto(ida.demo.url)
    await settle(page)
    await nextSecond(page)
    await wipe()
    await page.getByText(t('home.removed', { n: before.length, when: t('common.justNow') })).waitFor()
    await page.getByRole('button', { name: t('home.getBack') }).click()
    await page.getByText(t('home.broughtBack')).waitFor()
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())
  })
})
