import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { NO_POLLS, until } from './support/watch.ts'

const HOSTILE = '<img src=x onerror=alert(1)> "Küche" \u202e & more'

describeInBrowser('folders', () => {
  const ida = demoBrowser()

  test('are made at a podcast, filter Home and New, are there in another window, and leave with the OPML', async () => {
    const { page, complaints } = await ida.open()
    const { page: other } = await ida.open()
    await other.context().addInitScript(NO_POLLS)
    await other.goto(ida.demo.url, { waitUntil: 'networkidle' })

    const podcast = `${ida.demo.url}/podcast?url=${encodeURIComponent(`${ida.demo.feeds}/harbour.xml`)}`
    await page.goto(podcast)
    const assign = page.getByRole('button', { name: t('folders.assign') })
    await assign.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('folders.newName')).fill(HOSTILE)
    expect(await violationsOn(page)).toEqual([])
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await dialog.waitFor({ state: 'detached' })
    const filed = page.getByRole('region', { name: t('folders.title') })
    await filed.getByText(HOSTILE).waitFor()

    // Live: nothing was loaded again by the user.
    const chips = other.getByRole('group', { name: t('folders.title') })
    await chips.getByRole('button', { name: HOSTILE }).click()
    await until(other, `document.querySelectorAll('.home-lists > ul:last-child > li').length === 1`)
    expect(await violationsOn(other)).toEqual([])

    await page.goto(`${ida.demo.url}/inbox?show=all`)
    await page.getByLabel(t('folders.title')).selectOption({ label: HOSTILE })
    await until(
      page,
      `[...document.querySelectorAll('.episode-row')].every((row) => row.textContent.includes('Harbour Talk'))`,
    )

    const client = remoteClient(ida.demo.url, basic('ida', 'seaglass'))
    const { text } = await succeed(client.get('/api/2/me/export.opml'))
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;Küche&quot;')

    await chips.getByRole('button', { name: t('folders.all') }).click()
    await other.getByRole('button', { name: t('folders.edit') }).click()
    await other.getByRole('button', { name: t('folders.remove', { name: HOSTILE }) }).click()
    await other
      .getByRole('dialog')
      .getByRole('button', { name: t('common.save') })
      .click()
    await chips.waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })
})
