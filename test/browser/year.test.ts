import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { settle } from './support/watch.ts'

describeInBrowser('the year in review', () => {
  const ida = demoBrowser()

  test('is saved as a picture that the browser makes, and printed without navigation and buttons', async () => {
    const { page } = await ida.open()
    await page.goto(`${ida.demo.url}/year`)
    await settle(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: t('year.save') }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^podstep-\d{4}\.png$/)
    const picture = readFileSync(await download.path())
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1080, 1350])
    // A plain surface would be far smaller.
    expect(picture.length).toBeGreaterThan(20_000)

    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: t('year.save') }).isVisible()).toBe(false)
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
  })
})
