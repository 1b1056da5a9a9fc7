import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, settle, until } from './support/watch.ts'

describeInBrowser('activity', () => {
  const ida = demoBrowser()
  const client = () => remoteClient(ida.demo.url, basic('ida', 'seaglass'))
  const listOfPixel = async () => (await client().get('/subscriptions/ida/ida-pixel.json')).json as readonly string[]
  const wipe = () => succeed(client().put('/subscriptions/ida/ida-pixel.json', []))

  test('a list that an app has wiped can be restored from Home, and from the activity page with undo', async () => {
    const { page } = await ida.open()
    /** Waits for the next second, since restores have a resolution of seconds. */
    const nextSecond = () => until(page, `Date.now() >= ${1000 * (Math.floor(Date.now() / 1000) + 1)}`)
    const undo = { name: t('common.undo') }
    const before = await listOfPixel()
    expect(before.length).toBeGreaterThan(5)

    await page.goto(ida.demo.url)
    await settle(page)
    await nextSecond()
    await wipe()
    await page.getByText(t('home.removed', { n: before.length, when: t('common.justNow') })).waitFor()
    await page.getByRole('button', { name: t('home.getBack') }).click()
    await page.getByText(t('home.broughtBack')).waitFor()
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())

    await nextSecond()
    await wipe()
    await page.addInitScript(NO_POLLS)
    await page.goto(`${ida.demo.url}/activity`)
    await settle(page)
    const removal = t('activity.kinds.removed', { device: 'Pixel in the kitchen', n: before.length })
    const items = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    const latest = items(removal).first()
    await latest.getByText('Harbour Talk').waitFor()
    await nextSecond()
    await latest.getByRole('button', undo).click()
    await page.getByText(t('activity.undone')).waitFor()
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())
    await page.locator('.toast').getByRole('button', undo).click()
    await items(t('activity.kinds.restored')).nth(2).waitFor()
    expect(await listOfPixel()).toEqual([])

    // Undoing an older change also undoes the later ones, after a warning.
    await latest.getByRole('button', undo).click()
    const dialog = page.getByRole('dialog', { name: t('activity.undoTitle') })
    await dialog.getByText(removal).first().waitFor()
    await dialog.getByRole('button', undo).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await listOfPixel()).toSorted()).toEqual(before.toSorted())

    await page.getByRole('button', { name: t('activity.timelines.apps') }).click()
    await page.getByText(t('activity.did.sent_changes')).first().waitFor()
  })
})
