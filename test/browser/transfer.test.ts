import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { Demo } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { settle, type WatchedPage, watchedPage } from './support/watch.ts'

const TABLET = 'tablet'

describeInBrowser('moving in', () => {
  let demo: Demo
  let browser: Browser

  beforeAll(async () => {
    demo = await startBinary({ env: { SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.0/8' } })
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  async function openPage(username = 'ida', secret = 'seaglass'): Promise<WatchedPage> {
    const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce' })
    const watched = await watchedPage(context, demo.url)
    await signInAs(watched.page, demo.url, username, secret)
    await watched.page.goto(`${demo.url}/transfer`)
    await settle(watched.page)
    return watched
  }

  test('from another server: a wrong password is told, what was typed stays, and the report says what came', async () => {
    const { page, complaints } = await openPage()
    await page.getByRole('button', { name: 'podstep', exact: true }).click()
    await page.getByLabel(t('transfer.address')).fill(demo.url)
    await page.getByLabel(t('transfer.username')).fill('ole')
    const password = page.getByLabel(t('transfer.password'), { exact: true })
    await password.fill('wrong')
    await password.press('Enter')
    await page.getByText(t('transfer.causes.password')).waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(await page.getByLabel(t('transfer.username')).inputValue()).toBe('ole')
    await password.fill('driftwood')
    await password.press('Enter')
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).waitFor()
    await page.getByRole('row', { name: new RegExp(`^${t('transfer.kinds.subscriptions')} 7 0 0$`) }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    const exported = page.getByRole('link', { name: new RegExp(TABLET) }).first()
    await exported.waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    // The report of the first try is next.
    await page.getByText(t('transfer.causes.password')).waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    await page.getByText(t('transfer.causes.password')).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
    await page.context().close()
  })

  test('is cancelled, and what came over stays', async () => {
    const silent = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    })
    const { page, complaints } = await openPage('ole', 'driftwood')
    await page.getByRole('button', { name: 'gpodder.net', exact: true }).click()
    await page.getByLabel(t('transfer.address')).fill(silent.url.href)
    await page.getByLabel(t('transfer.username')).fill('olaf')
    const password = page.getByLabel(t('transfer.password'), { exact: true })
    await password.fill('seaglass')
    await password.press('Enter')
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('button', { name: t('common.cancel'), exact: true }).click()
    await page.getByText(t('transfer.cancelled')).waitFor()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    await page.getByText(t('transfer.cancelled')).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
    await page.context().close()
    await silent.stop(true)
  })

  test('from a damaged database says so, and the file can be another one', async () => {
    const { page } = await openPage('ole', 'driftwood')
    const buffer = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])
    const file = { name: 'AntennaPod.db', mimeType: 'application/octet-stream', buffer }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole('button', { name: t('transfer.start') }).click()
    const alert = page.getByRole('alert').filter({ hasText: t('transfer.unreadable') })
    await alert.waitFor()
    await page.getByRole('button', { name: t('transfer.chooseOther') }).click()
    await alert.waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('from the file of another account, which says before what is in it', async () => {
    const { page, complaints } = await openPage()
    const archive = await page.request.get(`${demo.url}/api/2/me/export`)
    const file = { name: 'podstep-ida.json', mimeType: 'application/json', buffer: await archive.body() }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText(t('transfer.contents.archive')).waitFor()
    await page.getByRole('button', { name: t('transfer.start') }).click()
    await page.getByText(t('transfer.imported', { name: file.name })).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).waitFor()
    expect(complaints()).toEqual([])
    await page.context().close()
  })
})
