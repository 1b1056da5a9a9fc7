import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser, signInAs } from '../web/support/web-browser.ts'
import { violationsAtAllWidths, violationsOn } from './support/axe.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { closeAfterEach, settle, untilSame, type WatchedPage, watchedPage } from './support/watch.ts'

const TABLET = 'tablet'
const PASSWORD = 'seaglass'
/** Podcasts of a long list. */
const IMPORTED = 300

describeInBrowser('moving in', () => {
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()

  beforeAll(async () => {
    demo = await startBinary({ env: { SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.0/8' } })
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  /** Opens the page as a new user with a phone. */
  async function openPage(username: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    await succeed(remoteClient(demo.url).post('/api/2/register', { username, password: PASSWORD }))
    await succeed(
      clientOf(username).post(`/api/2/devices/${username}/phone.json`, { caption: 'Phone', type: 'mobile' }),
    )
    const watched = await watchedPage(
      closed(await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...options })),
      demo.url,
    )
    await signInAs(watched.page, demo.url, username, PASSWORD)
    await watched.page.goto(`${demo.url}/transfer`)
    await settle(watched.page)
    return watched
  }

  const clientOf = (username: string, password = PASSWORD) => remoteClient(demo.url, basic(username, password))

  const listOf = async (username: string) =>
    (await clientOf(username).get(`/subscriptions/${username}/phone.json`)).json as string[]

  test('from another server: a wrong password is told, what was typed stays, and the report says what came', async () => {
    const { page, complaints } = await openPage('uma')
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
    expect(await violationsAtAllWidths(page)).toEqual([])
    const exported = page.getByRole('link', { name: new RegExp(TABLET) }).first()
    await exported.waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    // The report of the first try is next.
    await page.getByText(t('transfer.causes.password')).waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    await page.getByText(t('transfer.causes.password')).waitFor({ state: 'detached' })
    await page.goto(demo.url)
    await page.getByRole('button', { name: t('home.keepUnplayed') }).waitFor()
    expect(await violationsAtAllWidths(page)).toEqual([])
    expect(complaints()).toEqual([])
  })

  test('on a phone the sources are one field, and the report comes into view with the focus', async () => {
    const { page } = await openPage('tess', { viewport: { width: 360, height: 740 } })
    await page.getByLabel(t('transfer.from')).selectOption({ label: 'podstep' })
    await page.getByLabel(t('transfer.address')).fill(demo.url)
    await page.getByLabel(t('transfer.username')).fill('ole')
    await page.getByLabel(t('transfer.password'), { exact: true }).fill('wrong')
    await page.getByRole('button', { name: t('transfer.import'), exact: true }).click()
    await page.getByText(t('transfer.causes.password')).waitFor()
    const reported = JSON.stringify(t('transfer.causes.password'))
    await untilSame(page, `document.activeElement.textContent.includes(${reported})`, true)
    const box = await page.getByText(t('transfer.causes.password')).boundingBox()
    expect(box?.y).toBeWithin(0, 740)
  })

  test('is cancelled, and what came over stays', async () => {
    const silent = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: () => new Promise<Response>(() => {}),
    })
    const { page, complaints } = await openPage('olaf')
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
    await silent.stop(true)
  })

  test('from a damaged database fails with the reason, and another file can be chosen', async () => {
    const { page } = await openPage('otto')
    const buffer = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])
    const file = { name: 'AntennaPod.db', mimeType: 'application/octet-stream', buffer }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole('button', { name: t('transfer.start') }).click()
    await page.getByText(t('transfer.causes.damaged')).waitFor()
    const list = `<opml><body><outline text="Tide" xmlUrl="${demo.feeds}/tide.xml"/></body></opml>`
    const other = { name: 'other.opml', mimeType: 'text/x-opml', buffer: Buffer.from(list) }
    await page.locator('input[type="file"]').setInputFiles(other)
    await page.getByRole('rowheader', { name: 'Tide' }).waitFor()
    expect(await violationsAtAllWidths(page)).toEqual([])
  })

  test('from the file of another account, which says before what is in it', async () => {
    const { page, complaints } = await openPage('vera')
    const archive = await succeed(clientOf('ole', 'driftwood').get('/api/2/me/export'))
    const file = { name: 'podstep-ole.json', mimeType: 'application/json', buffer: Buffer.from(archive.text) }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText(t('transfer.contents.archive')).waitFor()
    expect(await violationsAtAllWidths(page)).toEqual([])
    await page.getByRole('button', { name: t('transfer.start') }).click()
    await page.getByText(t('transfer.imported', { name: file.name })).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('from a file that is no list, or a damaged one: the one is rejected, of the other the readable part is shown', async () => {
    const { page, complaints } = await openPage('nils')
    const input = page.locator('input[type="file"]')
    await input.setInputFiles({ name: 'tide.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG\r\n\0\0') })
    await page.getByText(t('transfer.unreadable')).waitFor()
    await page.getByRole('button', { name: t('transfer.chooseOther') }).click()
    const damaged = `<opml><body><outline text="Tide" xmlUrl="${demo.feeds}/tide.xml"></opml>`
    await input.setInputFiles({ name: 'old.opml', mimeType: 'text/x-opml', buffer: Buffer.from(damaged) })
    await page.getByText(t('transfer.damaged')).waitFor()
    await page.getByRole('rowheader', { name: 'Tide' }).waitFor()
    expect(complaints()).toEqual([expect.stringContaining('400')])
  })

  test('from a list of hundreds of podcasts, after a preview', async () => {
    const { page, complaints } = await openPage('eva')
    const urls = Array.from({ length: IMPORTED }, (_, n) => `${demo.feeds}/none/${n}.xml`)
    const outlines = urls.map((url, n) => `<outline type="rss" text="Show ${n}" xmlUrl="${url}"/>`)
    const text = `<?xml version="1.0"?><opml version="2.0"><body>${outlines.join('\n')}</body></opml>`
    const file = { name: 'list.opml', mimeType: 'text/x-opml', buffer: Buffer.from(text) }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText(`${IMPORTED} entries in “list.opml”`).waitFor()
    expect(await listOf('eva')).toEqual([])
    await page.getByRole('button', { name: `Add ${IMPORTED} podcasts` }).click()
    await page.getByText(t('transfer.imported', { name: 'list.opml' })).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).click()
    await page.getByLabel(t('home.filter')).fill('show 299')
    await page.getByRole('heading', { name: 'Show 299', exact: true }).waitFor()
    expect(new Set(await listOf('eva'))).toEqual(new Set(urls))
    expect(complaints()).toEqual([])
  })
})
