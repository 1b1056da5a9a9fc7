import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { parseMail, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { t } from '../web/support/texts.ts'
import { PROVIDER_NAME, providerSettings } from './support/at-provider.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { ADMIN, emailOf, type Home, openHome } from './support/home.ts'
import { mailSettings } from './support/mailed-link.ts'
import type { WatchedPage } from './support/watch.ts'

describeInBrowser('the server page', () => {
  let smtp: TestSmtpServer
  let provider: OidcProvider
  let home: Home
  let watched: WatchedPage

  beforeAll(async () => {
    smtp = await startSmtpServer({ security: 'none' })
    provider = await startOidcProvider()
    home = await openHome({ ...mailSettings(smtp), ...providerSettings(provider) })
    watched = await home.visitAs(ADMIN)
  })

  afterAll(async () => {
    await home.stop()
    await provider.stop()
    await smtp[Symbol.asyncDispose]()
  })

  test('sends a test email', async () => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/server`)
    await page.getByText(t('admin.server.mail.lastNone')).waitFor()
    expect(await page.getByLabel(t('admin.server.mail.to')).inputValue()).toBe(emailOf(ADMIN))
    await page.getByLabel(t('admin.server.mail.to')).fill('postmaster@home.example')
    await page.getByRole('button', { name: t('admin.server.mail.send') }).click()
    await page.getByText(t('admin.server.mail.sent', { email: 'postmaster@home.example' })).waitFor()
    const { raw } = await smtp.nextTo('postmaster@home.example')
    expect(parseMail(raw).subject).toBe('podstep can send mail')
    await page.getByText(t('admin.server.mail.lastNone')).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('makes a backup, and shows the last one', async () => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/server`)
    await page.getByText(t('admin.server.backups.none')).waitFor()
    await page.getByRole('button', { name: t('admin.server.backups.now') }).click()
    await page.getByText(t('admin.server.backups.made', { file: 'podstep-' }).replace(/\.$/, '')).waitFor()
    await page.getByText(t('admin.server.backups.none')).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('tests the single sign-on provider, also when it is down', async () => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/server`)
    await page.getByText(t('admin.server.sso.provider', { provider: PROVIDER_NAME })).waitFor()
    const check = page.getByRole('button', { name: t('admin.server.sso.title') })
    await check.click()
    await page.getByText(t('admin.server.sso.ok')).waitFor()
    await provider.stop()
    await check.click()
    await page.getByText(t('admin.server.sso.bad')).waitFor()
    expect(await page.getByText(t('admin.server.sso.ok')).count()).toBe(0)
    expect(complaints()).toEqual([])
  })
})
