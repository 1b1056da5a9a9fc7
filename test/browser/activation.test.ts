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

describeInBrowser('an account on a server that wants addresses to be proved', () => {
  let folder: Folder
  let smtp: TestSmtpServer
  let home: Home
  let outside: WatchedPage

  beforeAll(async () => {
    folder = emptyFolder()
    smtp = await startSmtpServer({ security: 'none' })
    home = await openHome({ ...mailSettings(smtp), SVC_REGISTRATION: 'invite', SVC_DATA_DIR: folder.path })
    outside = await home.visit()
  }, PATIENCE)

  afterAll(async () => {
    await home.stop()
    await smtp[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  }, PATIENCE)

  test(
    'is made, and active after the button behind the mailed link, which looking at does not use up, and which works once',
    async () => {
      const { page, complaints } = await home.visit()
      await page.goto(`${home.url}/login`)
      await page.getByRole('link', { name: t('auth.register') }).click()
      await page.getByLabel(t('auth.username')).fill('ida')
      await page.getByLabel(t('auth.password')).fill(PASSWORD)
      await page.getByLabel(t('auth.email')).fill(emailOf('ida'))
      await page.getByRole('button', { name: t('auth.register') }).click()
      await page.getByText(t('auth.checkMail')).waitFor()
      const link = await linkTo('ida')

      await page.getByRole('link', { name: t('auth.signIn') }).click()
      await page.getByLabel(t('auth.username')).fill('ida')
      await page.getByLabel(t('auth.password')).fill(PASSWORD)
      await page.getByRole('button', { name: t('auth.signIn') }).click()
      await page.getByRole('alert').getByText(t('auth.pending')).waitFor()
      expect(complaints()).toEqual([expect.stringContaining('403')])

      // As programs do that look at mails.
      const { page: looking } = await home.visit()
      await follow(looking, link)
      await looking.close()
      expect(await statusFor('ida')).toBe(403)

      await follow(page, link)
      expect(page.url()).toBe(`${home.url}/activate`)
      await page.getByRole('button', { name: t('auth.activate') }).click()
      await page.getByText(t('auth.activated')).waitFor()
      await signInAs(page, home.url, 'ida', PASSWORD)
      expect(complaints()).toEqual([])

      await follow(page, link)
      await page.getByRole('button', { name: t('auth.activate') }).click()
      await expectExplained(page)
      expect(complaints()).toEqual([expect.stringContaining('400')])
      expect(await statusFor('ida')).toBe(200)
    },
    PATIENCE,
  )

  const cases: readonly (readonly [what: string, username: string, link: () => Promise<string>])[] = [
    ['nobody was sent', 'uma', async () => `${home.url}/activate#token=${UNKNOWN_TOKEN}`],
    ['is too old', 'otto', () => expired('otto')],
  ]
  test.each(cases)(
    'stays as it is for a link that %s, and the page tells what to do',
    async (_what, username, linkFor) => {
      await register(username)
      const { page, complaints } = outside
      await follow(page, await linkFor())
      expect(page.url()).toBe(`${home.url}/activate`)
      await page.getByRole('button', { name: t('auth.activate') }).click()
      await expectExplained(page)
      expect(complaints()).toEqual([expect.stringContaining('400')])
      expect(await statusFor(username)).toBe(403)
    },
    PATIENCE,
  )

  test(
    'is active after a link that is opened where the page shows that something was wrong with another one, too',
    async () => {
      await register('vera')
      const { page, complaints } = outside
      await follow(page, `${home.url}/activate`)
      await expectExplained(page)
      await page.goto(await linkTo('vera'))
      await page.getByRole('button', { name: t('auth.activate') }).click()
      await page.getByText(t('auth.activated')).waitFor()
      expect(page.url()).toBe(`${home.url}/activate`)
      expect(await statusFor('vera')).toBe(200)
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )

  async function register(username: string): Promise<void> {
    await succeed(home.client().post('/api/2/register', { username, password: PASSWORD, email: emailOf(username) }))
  }

  async function linkTo(username: string): Promise<string> {
    return linkIn(await smtp.nextTo(emailOf(username)))
  }

  async function expired(username: string): Promise<string> {
    const link = await linkTo(username)
    expireLinks(folder.path)
    return link
  }

  async function statusFor(username: string): Promise<number> {
    return (await home.client(basic(username, PASSWORD)).get('/api/2/me')).status
  }
})

/** What is wrong with the link, and what can be done. */
async function expectExplained(page: Page): Promise<void> {
  const told = page.getByRole('alert')
  await told.getByText(t('auth.tokenBad')).waitFor()
  await told.getByText(t('auth.tokenBadActivate')).waitFor()
}
