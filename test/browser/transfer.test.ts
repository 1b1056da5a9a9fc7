import { beforeAll, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { succeed } from '../web/support/demo.ts'
import { SHOWS } from '../web/support/demo-shows.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, PASSWORD } from './support/home.ts'
import { untilSame } from './support/watch.ts'

const IMPORTED = 30

describeInBrowser('an import', () => {
  const home = openHome(() => ({ SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.0/8' }))
  /** The account that other users import. */
  let ole: Client

  beforeAll(async () => {
    ole = await home.addUser('ole')
    const add = SHOWS.slice(0, 7).map(({ slug }) => `${home.feeds()}/${slug}.xml`)
    await succeed(ole.post('/api/2/subscriptions/ole/tablet.json', { add }))
  })

  /** Opens the page as a new user with a phone. */
  async function openPage(username: string, options: Parameters<typeof home.visitAs>[2] = {}) {
    const client = await home.addUser(username)
    await succeed(client.post(`/api/2/devices/${username}/phone.json`, { caption: 'Phone', type: 'mobile' }))
    return { client, ...(await home.visitAs(username, '/transfer', options)) }
  }

  const fileOf = (name: string, content: string | Buffer) => ({
    ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) },
  })

  test('from another server reports a wrong password, keeps the form, and lists what was imported', async () => {
    // Phones have one field for the source.
    const { page, complaints } = await openPage('uma', { viewport: { width: 360, height: 740 } })
    await page.getByLabel(t('transfer.from')).selectOption({ label: 'podstep' })
    await page.getByLabel(t('transfer.address')).fill(home.localUrl())
    await page.getByLabel(t('transfer.username')).fill('ole')
    const password = page.getByLabel(t('transfer.password'), { exact: true })
    await password.fill('wrong')
    await page.getByRole('button', { name: t('transfer.import'), exact: true }).click()
    // The report is scrolled into view and gets the focus.
    const cause = t('transfer.causes.password')
    await page.getByText(cause).waitFor()
    await untilSame(page, `document.activeElement.textContent.includes(${JSON.stringify(cause)})`, true)
    const box = await page.getByText(cause).boundingBox()
    expect(box?.y).toBeWithin(0, 740)
    expect(await page.getByLabel(t('transfer.username')).inputValue()).toBe('ole')
    await password.fill(PASSWORD)
    await password.press('Enter')
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).waitFor()
    await page.getByRole('row', { name: new RegExp(`^${t('transfer.kinds.subscriptions')} 7 0 0$`) }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    const exported = page.getByRole('link', { name: /tablet/ }).first()
    await exported.waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    // The report of the first attempt follows.
    await page.getByText(t('transfer.causes.password')).waitFor()
    await page.getByRole('button', { name: t('transfer.forget') }).click()
    await page.getByText(t('transfer.causes.password')).waitFor({ state: 'detached' })
    await page.goto(`${home.url}/`)
    await page.getByRole('button', { name: t('home.keepUnplayed') }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(complaints()).toEqual([])
  })

  test('can be cancelled', async () => {
    const fetch = () => new Promise<Response>(() => {})
    const silent = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
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

  test('from an account archive shows its contents first', async () => {
    const { page, complaints } = await openPage('vera')
    const file = fileOf('podstep-ole.json', (await succeed(ole.get('/api/2/me/export'))).text)
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText(t('transfer.contents.archive')).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.getByRole('button', { name: t('transfer.start') }).click()
    await page.getByText(t('transfer.imported', { name: file.name })).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('explains files that are unreadable or damaged, and lets the user choose another', async () => {
    const { page, complaints } = await openPage('nils')
    const input = page.locator('input[type="file"]')
    await input.setInputFiles(fileOf('tide.png', '\x89PNG\r\n\0\0'))
    await page.getByText(t('transfer.unreadable')).waitFor()
    await page.getByRole('button', { name: t('transfer.chooseOther') }).click()
    const database = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])
    await input.setInputFiles(fileOf('AntennaPod.db', database))
    await page.getByRole('button', { name: t('transfer.start') }).click()
    await page.getByText(t('transfer.causes.damaged')).waitFor()
    const cut = `<opml><body><outline text="Tide" xmlUrl="${home.feeds()}/tide.xml"></opml>`
    await input.setInputFiles(fileOf('old.opml', cut))
    await page.getByText(t('transfer.damaged')).waitFor()
    await page.getByRole('rowheader', { name: 'Tide' }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(complaints()).toEqual([expect.stringContaining('400')])
  })

  test('from a list of podcasts starts after a preview', async () => {
    const { client, page, complaints } = await openPage('eva')
    const list = async () => (await client.get('/subscriptions/eva/phone.json')).json as string[]
    const urls = Array.from({ length: IMPORTED }, (_, n) => `${home.feeds()}/none/${n}.xml`)
    const outlines = urls.map((url, n) => `<outline type="rss" text="Show ${n}" xmlUrl="${url}"/>`)
    const text = `<?xml version="1.0"?><opml version="2.0"><body>${outlines.join('\n')}</body></opml>`
    await page.locator('input[type="file"]').setInputFiles(fileOf('list.opml', text))
    await page.getByText(`${IMPORTED} entries in “list.opml”`).waitFor()
    expect(await list()).toEqual([])
    await page.getByRole('button', { name: `Add ${IMPORTED} podcasts` }).click()
    await page.getByText(t('transfer.imported', { name: 'list.opml' })).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).click()
    await page.getByLabel(t('home.filter')).fill('show 29')
    await page.getByRole('heading', { name: 'Show 29', exact: true }).waitFor()
    expect(new Set(await list())).toEqual(new Set(urls))
    expect(complaints()).toEqual([])
  })
})
