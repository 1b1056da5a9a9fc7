import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { basic } from '../support/client.ts'
import { type Demo, remoteClient, succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { openBrowser } from '../web/support/web-browser.ts'
import { describeInBrowser, startBinary } from './support/browser-test.ts'
import { watchedPage } from './support/watch.ts'

const IMPORTED = 300

/** Notes that there was a progress bar, since it may be gone before the test looks for it. */
const NOTE_PROGRESS = `new MutationObserver(() => {
  window.hasProgress ||= document.querySelector('progress') !== null
}).observe(document.body, { childList: true, subtree: true })`

/** The first hour of a user, starting with an empty folder. It is one test, since each step continues where the one before has ended. */
describeInBrowser('the first hour', () => {
  let demo: Demo
  let browser: Browser

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true })
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  test('works step by step', async () => {
    const { page, complaints } = await watchedPage(
      await browser.newContext({ locale: 'en', reducedMotion: 'reduce' }),
      demo.url,
    )

    // The first account is created, and becomes administrator. What is wrong is said at its field, which gets the focus.
    await page.goto(demo.url)
    await page.getByRole('heading', { name: t('auth.firstTitle') }).waitFor()
    await page.getByText(t('auth.firstLead')).waitFor()
    await page.locator('input[name="username"]:focus').fill('ida lund')
    await page.locator('input[name="password"]').fill('sea')
    await page.locator('button[type="submit"]').click()
    await page.getByText(t('common.invalid.short').replace('{n}', '4')).waitFor()
    await page.locator('input[name="password"]:focus').fill('seaglass')
    await page.locator('button[type="submit"]').click()
    await page.getByText(t('auth.fields.username')).waitFor()
    expect(complaints()).toEqual([expect.stringContaining('400')])
    await page.locator('input[name="username"]:focus').fill('ida')
    await page.getByRole('button', { name: t('common.reveal') }).click()
    expect(await page.locator('input[name="password"]').getAttribute('type')).toBe('text')
    await page.locator('button[type="submit"]').click()
    await page.waitForURL(`${demo.url}/`)
    await page.getByRole('link', { name: 'Users' }).waitFor()

    // The page for apps shows the address, and that an app has connected.
    const isListed = page.waitForResponse((response) => response.url().endsWith('/api/2/devices/ida.json'))
    await page.goto(`${demo.url}/connect`)
    await page.getByText(demo.url, { exact: true }).first().waitFor()
    await page.getByText(t('connect.waiting')).waitFor()
    await isListed
    // Like AntennaPod: signs in, names its device, and uploads its subscriptions.
    await post('/api/2/auth/ida/login.json')
    await post('/api/2/devices/ida/phone.json', { caption: 'Phone', type: 'mobile' })
    await post('/api/2/subscriptions/ida/phone.json', { add: [`${demo.feeds}/kitchen.xml`], remove: [] })
    await page.getByText(t('connect.connected').replace('{device}', 'Phone')).waitFor()
    await page.locator('.connection[data-connected="true"]').waitFor()

    // A podcast is found by its feed URL, and subscribed to on the phone.
    await page.goto(`${demo.url}/discover`)
    await page.getByLabel(t('discover.searchLabel')).fill(`${demo.feeds}/harbour.xml`)
    await page.keyboard.press('Enter')
    const found = page.locator('main li', { hasText: 'Harbour Talk' }).first()
    await found.getByRole('button', { name: new RegExp(t('subscribe.subscribe')) }).click()
    await page.getByText(t('subscribe.done').replace('{title}', 'Harbour Talk')).waitFor()
    expect(await listOf('phone')).toContain(`${demo.feeds}/harbour.xml`)

    // Two devices become a sync group after a preview.
    await post('/api/2/devices/ida/laptop.json', { caption: 'Laptop', type: 'laptop' })
    await post('/api/2/subscriptions/ida/laptop.json', { add: [`${demo.feeds}/night.xml`], remove: [] })
    await page.goto(`${demo.url}/devices`)
    await page.getByRole('button', { name: t('devices.newGroup') }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['Phone', 'Laptop']) await dialog.getByRole('checkbox', { name }).check()
    const preview = dialog.locator('.preview')
    await preview.locator('li', { hasText: 'Laptop' }).getByText('gets 2 podcasts').waitFor()
    await preview.locator('li', { hasText: 'Phone' }).getByText('gets 1 podcast').waitFor()
    expect(await listOf('laptop')).toHaveLength(1)
    await dialog.getByRole('button', { name: t('devices.group.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await listOf('laptop')).toHaveLength(3)
    expect(await listOf('phone')).toHaveLength(3)

    // A file that is no list is rejected, and of a damaged list the readable part is shown.
    await page.goto(`${demo.url}/transfer`)
    const input = page.locator('input[type="file"]')
    await input.setInputFiles({ name: 'tide.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG\r\n\0\0') })
    await page.getByText(t('transfer.unreadable').replace('{name}', 'tide.png')).waitFor()
    const damaged = `<opml><body><outline text="Tide" xmlUrl="${demo.feeds}/tide.xml"></opml>`
    await input.setInputFiles({ name: 'old.opml', mimeType: 'text/x-opml', buffer: Buffer.from(damaged) })
    await page.getByText(t('transfer.damaged')).waitFor()
    await page.getByRole('rowheader', { name: 'Tide' }).waitFor()

    // A list of hundreds of podcasts is previewed and imported.
    await page.goto(`${demo.url}/transfer`)
    const urls = Array.from({ length: IMPORTED }, (_, n) => `${demo.feeds}/none/${n}.xml`)
    const outlines = urls.map((url, n) => `<outline type="rss" text="Show ${n}" xmlUrl="${url}"/>`)
    const text = `<?xml version="1.0"?><opml version="2.0"><body>${outlines.join('\n')}</body></opml>`
    const file = { name: 'list.opml', mimeType: 'text/x-opml', buffer: Buffer.from(text) }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText(`${IMPORTED} entries in “list.opml”`).waitFor()
    expect(await listOf('phone')).toHaveLength(3)
    await page.getByRole('button', { name: `Add ${IMPORTED} podcasts` }).click()
    await page.getByText(t('transfer.doneLead')).waitFor()
    await page.getByRole('link', { name: t('transfer.toPodcasts') }).click()
    await page.getByLabel(t('home.filter')).fill('show 299')
    await page.getByRole('heading', { name: 'Show 299', exact: true }).waitFor()
    expect(await listOf('phone')).toHaveLength(3 + IMPORTED)
    // Leaves few feeds for the refresh.
    await post('/api/2/subscriptions/ida/phone.json', { add: [], remove: urls })

    // A user is created, deactivated, activated and deleted.
    const told = (text: string) => page.getByText(text.replace('{name}', 'ole')).first().waitFor()
    await page.goto(`${demo.url}/admin/users`)
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    const creation = page.getByRole('dialog')
    await creation.getByLabel(t('admin.users.username')).fill('ole')
    await creation.getByLabel(t('admin.users.ownPassword')).check()
    await creation.getByLabel(t('admin.users.password'), { exact: true }).fill('driftwood')
    await creation.getByRole('button', { name: t('admin.users.createSubmit') }).click()
    await told(t('admin.users.created'))
    expect(await signIn('ole', 'driftwood')).toBe(200)

    await page.getByRole('button', { name: /^Manage.*ole$/ }).click()
    await page.getByRole('button', { name: t('admin.users.deactivate') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('admin.users.deactivate') })
      .click()
    await told(t('admin.users.deactivated'))
    expect(await signIn('ole', 'driftwood')).not.toBe(200)
    await page.getByRole('button', { name: t('admin.users.activate'), exact: true }).click()
    await told(t('admin.users.activated'))
    expect(await signIn('ole', 'driftwood')).toBe(200)

    await page.getByRole('button', { name: t('admin.users.remove') }).click()
    const removal = page.getByRole('dialog')
    await removal.getByLabel(t('admin.users.removeName').replace('{name}', 'ole')).fill('ole')
    await removal.getByRole('button', { name: t('admin.users.removeConfirm') }).click()
    await told(t('admin.users.removed'))
    expect(await signIn('ole', 'driftwood')).toBe(401)

    // All feeds are refreshed.
    await page.goto(`${demo.url}/admin/feeds`)
    await page.evaluate(NOTE_PROGRESS)
    await page.getByRole('button', { name: t('admin.feeds.refreshAll') }).click()
    const refreshed = page.getByText(/feeds? refreshed/)
    await refreshed.first().waitFor()
    expect(complaints()).toEqual([])
  })

  const ida = () => remoteClient(demo.url, basic('ida', 'seaglass'))

  const post = (path: string, body?: unknown) => succeed(ida().post(path, body))

  const listOf = async (device: string) => (await ida().get(`/subscriptions/ida/${device}.json`)).json

  async function signIn(username: string, password: string): Promise<number> {
    return (await remoteClient(demo.url, basic(username, password)).post(`/api/2/auth/${username}/login.json`)).status
  }
})
