import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { parseMail, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { t } from '../web/support/texts.ts'
import { signInAs } from '../web/support/web-browser.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { emailOf, mailSettings, openHome, PASSWORD } from './support/home.ts'
import { settle } from './support/watch.ts'

const NEW_PASSWORD = 'driftwood'

describeInBrowser('a mailed link', () => {
  let smtp: TestSmtpServer
  const home = openHome(async () => {
    smtp = await startSmtpServer({ security: 'none' })
    return { ...mailSettings(smtp), SVC_REGISTRATION: 'invite' }
  })
  afterAll(() => smtp[Symbol.asyncDispose]())

  test('activates an account once, when its button is clicked, so that mail scanners do not use it up', async () => {
    const { page, complaints } = await home.visit()
    await page.goto(`${home.url}/login`)
    await page.getByRole('link', { name: t('auth.register') }).click()
    // The sign-in page, which is still shown for a moment, has no field for an email address.
    await page.getByLabel(t('auth.email')).fill(emailOf('ida'))
    await page.getByLabel(t('auth.username')).fill('ida')
    await page.getByLabel(t('auth.password')).fill(PASSWORD)
    await page.getByRole('button', { name: t('auth.register') }).click()
    await page.getByText(t('auth.checkMail')).waitFor()
    const link = await linkTo('ida')

    await scan(link)
    expect(await home.statusOf('ida')).toBe(403)
    // Also in a window that shows an error about another link.
    await follow(page, `${home.url}/activate`)
    await expectExplained(page, t('auth.tokenBadActivate'))
    await page.goto(link)
    await page.waitForURL(`${home.url}/activate`)
    await activate(page)
    await page.getByText(t('auth.activated')).waitFor()
    await signInAs(page, home.url, 'ida', PASSWORD)
    expect(complaints()).toEqual([])

    await follow(page, link)
    await activate(page)
    await expectExplained(page, t('auth.tokenBadActivate'))
    expect(complaints()).toEqual([expect.stringContaining('400')])
    expect(await home.statusOf('ida')).toBe(200)
  })

  test('resets a password once, even in the window that requested it', async () => {
    await home.addUser('ole')
    const { page, complaints } = await home.visit()
    await page.goto(`${home.url}/login`)
    await page.getByRole('link', { name: t('auth.forgotten') }).click()
    await page.getByLabel(t('auth.email')).fill(emailOf('ole'))
    await page.getByRole('button', { name: t('auth.send') }).click()
    await page.getByText(t('auth.sent')).waitFor()
    const link = await linkTo('ole')
    await scan(link)
    await page.goto(link)
    await choosePassword(page)
    await page.getByText(t('auth.resetDone')).waitFor()
    expect(page.url()).toBe(`${home.url}/reset-password`)
    await signInAs(page, home.url, 'ole', NEW_PASSWORD)
    expect(complaints()).toEqual([])
    expect([await home.statusOf('ole'), await home.statusOf('ole', NEW_PASSWORD)]).toEqual([401, 200])

    await follow(page, link)
    await choosePassword(page)
    await expectExplained(page, t('auth.tokenBadReset'))
    await page.getByRole('button', { name: t('auth.forgottenTitle') }).click()
    await page.getByRole('button', { name: t('auth.send') }).waitFor()
    expect(complaints()).toEqual([expect.stringContaining('400')])
  })

  async function linkTo(username: string): Promise<string> {
    const { raw } = await smtp.nextTo(emailOf(username))
    const [link] = /http:\S+#token=\S+/.exec(parseMail(raw).text) ?? []
    if (link === undefined) throw new Error(`a mail without a link: ${raw}`)
    return link
  }

  /** Opens a link without clicking anything, like a mail scanner. */
  async function scan(link: string): Promise<void> {
    const { page } = await home.visit()
    await follow(page, link)
  }
})

/** Opens a mailed link in a tab that shows another site, like a click in an email. */
async function follow(page: Page, link: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(link)
  await settle(page)
}

function activate(page: Page): Promise<void> {
  return page.getByRole('button', { name: t('auth.activate') }).click()
}

async function choosePassword(page: Page): Promise<void> {
  await page.getByLabel(t('auth.newPassword')).fill(NEW_PASSWORD)
  await page.locator('button[type="submit"]').click()
}

async function expectExplained(page: Page, advice: string): Promise<void> {
  const alert = page.getByRole('alert')
  await alert.getByText(t('auth.tokenBad')).waitFor()
  await alert.getByText(advice).waitFor()
}
