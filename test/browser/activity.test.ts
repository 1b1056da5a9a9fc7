import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, until } from './support/watch.ts'

describeInBrowser('activity', () => {
  const ida = demoBrowser()

  test('a list that an app has wiped comes back with one click, and a click on Undo takes that back', async () => {
    const { demo } = ida
    const client = remoteClient(demo.url, basic('ida', 'seaglass'))
    const { page } = await ida.open()
    const listOfPixel = async () => (await client.get('/subscriptions/ida/ida-pixel.json')).json as readonly string[]
    const before = await listOfPixel()
    expect(before.length).toBeGreaterThan(5)
    await succeed(client.put('/subscriptions/ida/ida-pixel.json', []))

    await page.addInitScript(NO_POLLS)
    await page.goto(`${demo.url}/activity`)
    await settle(page)
    const removal = t('activity.kinds.removed', { device: 'Pixel in the kitchen', n: before.length })
    const item = page.getByRole('listitem').filter({ hasText: removal })
    await item.getByText('Harbour Talk').waitFor()
    // What a restore does in the second of the change before it cannot be taken back by itself: restores know seconds.
    await until(page, `Date.now() >= ${1000 * (Math.floor(Date.now() / 1000) + 1)}`)
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
