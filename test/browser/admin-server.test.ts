import { afterAll, beforeAll, expect, test } from 'bun:test'
import { admin } from '../../src/web/text/en/admin.ts'
import { fill } from '../../src/web/text/fill.ts'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { parseMail, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { PROVIDER_NAME, providerSettings } from './support/at-provider.ts'
import { describeInBrowser, PATIENCE } from './support/browser-test.ts'
import { ADMIN, emailOf, type Home, openHome } from './support/home.ts'
import { mailSettings } from './support/mailed-link.ts'
import type { WatchedPage } from './support/watch.ts'

const texts = admin.server

describeInBrowser('the page about the server', () => {
  let smtp: TestSmtpServer
  let provider: OidcProvider
  let home: Home
  let watched: WatchedPage

  beforeAll(async () => {
    smtp = await startSmtpServer({ security: 'none' })
    provider = await startOidcProvider()
    home = await openHome({ ...mailSettings(smtp), ...providerSettings(provider) })
    watched = await home.visitAs(ADMIN)
  }, PATIENCE)

  afterAll(async () => {
    await home.stop()
    await provider.stop()
    await smtp[Symbol.asyncDispose]()
  }, PATIENCE)

  test(
    'sends a mail to see whether it arrives',
    async () => {
      const { page, complaints } = watched
      await page.goto(`${home.url}/admin/server`)
      await page.getByText(texts.mail.lastNone).waitFor()
      expect(await page.getByLabel(texts.mail.to).inputValue()).toBe(emailOf(ADMIN))
      await page.getByLabel(texts.mail.to).fill('postmaster@home.example')
      await page.getByRole('button', { name: texts.mail.send }).click()
      await page.getByText(fill(texts.mail.sent, { email: 'postmaster@home.example' })).waitFor()
      const { raw } = await smtp.nextTo('postmaster@home.example')
      expect(parseMail(raw).subject).toBe('podstep can send mail')
      await page.getByText(texts.mail.lastNone).waitFor({ state: 'detached' })
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )

  test(
    'makes a backup and shows the last one',
    async () => {
      const { page, complaints } = watched
      await page.goto(`${home.url}/admin/server`)
      await page.getByText(texts.backups.none).waitFor()
      await page.getByRole('button', { name: texts.backups.now }).click()
      await page.getByText(fill(texts.backups.made, { file: 'podstep-' }).replace(/\.$/, '')).waitFor()
      await page.getByText(texts.backups.none).waitFor({ state: 'detached' })
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )

  test(
    'asks the provider whether people can sign in with it, and tells when they no longer can',
    async () => {
      const { page, complaints } = watched
      await page.goto(`${home.url}/admin/server`)
      await page.getByText(fill(texts.sso.provider, { provider: PROVIDER_NAME })).waitFor()
      const check = page.getByRole('button', { name: texts.sso.title })
      await check.click()
      await page.getByText(texts.sso.ok).waitFor()
      await provider.stop()
      await check.click()
      await page.getByText(texts.sso.bad).waitFor()
      expect(await page.getByText(texts.sso.ok).count()).toBe(0)
      expect(complaints()).toEqual([])
    },
    PATIENCE,
  )
})
