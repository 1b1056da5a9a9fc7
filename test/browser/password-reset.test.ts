import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { emptyFolder, type Folder } from '../binary/support/folder.ts'
import { basic } from '../support/client.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { t } from '../web/support/texts.ts'
import { signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { emailOf, type Home, openHome, PASSWORD, succeed } from './support/home.ts'
import { expireLinks, follow, linkIn, mailSettings, UNKNOWN_TOKEN } from './support/mailed-link.ts'
import type { WatchedPage } from './support/watch.ts'

const NEW_PASSWORD = 'driftwood'

describeInBrowser('a forgotten password', () => {
  let folder: Folder
  let smtp: TestSmtpServer
  let home: Home
  let outside: WatchedPage

  beforeAll(async () => {
    folder = emptyFolder()
    smtp = await startSmtpServer({ security: 'none' })
    home = await openHome({ ...mailSettings(smtp), SVC_DATA_DIR: folder.path })
    outside = await home.visit()
  }, PATIENCE)

  afterAll(async () => {
    await home.stop()
    await smtp[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }, PATIENCE)

  test(
    'is replaced by way of a mailed link, which looking at does not use up, and which works once',
    async () => {
      await home.addUser('ida')
      const { page, complaints } = await home.visit()
      await page.goto(`${home.url}/login`)
      await page.getByRole('link', { name: t('auth.forgotten') }).click()
      await page.getByLabel(t('auth.email')).fill(emailOf('ida'))
      await page.getByRole('button', { name: t('auth.send') }).click()
      await page.getByText(t('auth.sent')).waitFor()
      const link = linkIn(await smtp.nextTo(emailOf('ida')))

      // As programs do that look at mails.
      const { page: looking } = await home.visit()
      await follow(looking, link)
      await looking.close()

      await follow(page, link)
      expect(page.url()).toBe(`${home.url}/reset-password`)
      await choosePassword(page)
      await page.getByText(t('auth.resetDone')).waitFor()
      expect(complaints()).toEqual([])
      await signInAs(page, home.url, 'ida', NEW_PASSWORD)
      expect(complaints()).toEqual([])
      expect([await statusFor('ida', PASSWORD), await statusFor('ida', NEW_PASSWORD)]).toEqual([401, 200])

      await follow(page, link)
      await choosePassword(page)
      await expectExplained(page)
      expect(complaints()).toEqual([expect.stringContaining('400')])
    },
    PATIENCE,
  )

  test(
    'is replaced when the link is opened in the window that asked for it, too',
    async () => {
      await home.addUser('ole')
      const { page, complaints } = outside
      await page.goto(`${home.url}/reset-password`)
      await page.getByRole('button', { name: t('auth.send') }).waitFor()
      await page.goto(await sendLink('ole'))
      await choosePassword(page)
      await page.getByText(t('auth.resetDone')).waitFor()
      expect(page.url()).toBe(`${home.url}/reset-password`)
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )

  const cases: readonly (readonly [what: string, username: string, link: () => Promise<string>])[] = [
    ['nobody was sent', 'uma', async () => `${home.url}/reset-password#token=${UNKNOWN_TOKEN}`],
    ['is too old', 'otto', () => expired('otto')],
    ['a newer one has replaced', 'ruth', () => replaced('ruth')],
  ]
  test.each(cases)(
    'stays as it is for a link that %s, and the page tells what to do',
    async (_what, username, linkFor) => {
      await home.addUser(username)
      const { page, complaints } = outside
      await follow(page, await linkFor())
      expect(page.url()).toBe(`${home.url}/reset-password`)
      await choosePassword(page)
      await expectExplained(page)
      expect(complaints()).toEqual([expect.stringContaining('400')])
      expect(await statusFor(username, PASSWORD)).toBe(200)
    },
    PATIENCE,
  )

  /** The administrator does; what strangers ask for waits some seconds. */
  async function sendLink(username: string): Promise<string> {
    await succeed(home.admin.post(`/api/admin/users/${username}/reset-password`))
    return linkIn(await smtp.nextTo(emailOf(username)))
  }

  async function expired(username: string): Promise<string> {
    const link = await sendLink(username)
    expireLinks(folder.path)
    return link
  }

  async function replaced(username: string): Promise<string> {
    const link = await sendLink(username)
    await sendLink(username)
    return link
  }

  async function statusFor(username: string, password: string): Promise<number> {
    return (await home.client(basic(username, password)).get('/api/2/me')).status
  }
})

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel(t('auth.newPassword')).fill(NEW_PASSWORD)
  await page.locator('button[type="submit"]').click()
}

/** What is wrong with the link, and a way to a new one. */
async function expectExplained(page: Page): Promise<void> {
  const told = page.getByRole('alert')
  await told.getByText(t('auth.tokenBad')).waitFor()
  await told.getByText(t('auth.tokenBadReset')).waitFor()
  await page.getByRole('button', { name: t('auth.forgottenTitle') }).click()
  await page.getByRole('button', { name: t('auth.send') }).waitFor()
}
