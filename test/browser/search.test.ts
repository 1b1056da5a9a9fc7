import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { asIda } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'

describeInBrowser('a podcast', () => {
  const ida = asIda({ width: 390, height: 800 })

  test('is found despite a typo, and subscribed to on the chosen devices', async () => {
    const { page, demo } = ida
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
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Desktop' }).uncheck()
    await dialog.getByRole('button', { name: t('subscribe.subscribe'), exact: true }).click()
    await page.getByText(t('subscribe.changed').replace('{title}', 'Weather Permitting')).waitFor()
    expect(await listOf('ida-pixel')).toContain(weather)
    expect(await listOf('ida-desk')).not.toContain(weather)
  })
})
