import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { parseMail, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { ADMIN, emailOf, mailSettings, openHome, providerSettings } from './support/home.ts'
import { NO_POLLS, untilEqual, untilSame, type WatchedPage } from './support/watch.ts'

/** More than one page of the list, which has 50 rows. */
const FEEDS = 53

describeInBrowser('an administrator', () => {
  let smtp: TestSmtpServer
  let provider: OidcProvider
  let watched: WatchedPage
  const home = openHome(async () => {
    smtp = await startSmtpServer({ security: 'none' })
    provider = await startOidcProvider()
    // No scheduled refresh changes the order of the feeds during a test.
    return { ...mailSettings(smtp), ...providerSettings(provider), SVC_FEED_REFRESH_CRON: '0 0 1 1 *' }
  })

  beforeEach(async () => {
    watched = await home.visitAs(ADMIN, '/', { script: NO_POLLS })
  })

  afterAll(async () => {
    await provider.stop()
    await smtp[Symbol.asyncDispose]()
  })

  test('invites a user on a phone, who opens the link and chooses a password', async () => {
    const { page, complaints } = watched
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${home.url}/admin/users`)
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('admin.users.username')).fill('nils')
    await dialog.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    const card = page.getByRole('dialog', { name: t('admin.users.invitation.title').replace('{name}', 'nils') })
    await card.getByRole('img', { name: t('admin.users.invitation.qr') }).waitFor()
    const text = (await card.locator('code').textContent()) ?? ''
    expect(text).toContain(`server ${home.url.replace('https://', '')}, user name nils`)
    const [link = ''] = /http\S+#invitation=\S+/.exec(text) ?? []
    // The back key closes the card, although it has replaced another dialog.
    await untilSame(page, '[document.querySelectorAll("dialog").length, "overlay" in history.state]', [1, true])
    await page.goBack()
    await card.waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${home.url}/admin/users`)
    const row = page.locator('li.user', { hasText: 'nils' })
    await row.getByText(t('admin.users.states.invited'), { exact: true }).waitFor()

    const nils = await home.visit()
    await nils.page.goto(link)
    await nils.page.getByRole('heading', { name: t('auth.invitation.title', { name: 'nils' }) }).waitFor()
    expect(nils.page.url()).toBe(`${home.url}/activate`)
    await nils.page.getByLabel(t('auth.newPassword'), { exact: true }).fill('driftwood')
    await nils.page.getByRole('button', { name: t('auth.invitation.accept') }).click()
    await nils.page.getByRole('button', { name: t('common.person', { name: 'nils' }) }).waitFor()
    expect(nils.page.url()).toBe(`${home.url}/`)
    expect(nils.complaints()).toEqual([])
    expect(await home.statusOf('nils', 'driftwood')).toBe(200)

    // The link works once.
    const late = await home.visit()
    await late.page.goto(link)
    await late.page.getByText(t('auth.invitation.bad')).waitFor()

    await page.reload()
    await row.waitFor()
    await row.getByText(t('admin.users.states.invited'), { exact: true }).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('creates, promotes, deactivates, activates and deletes a user', async () => {
    const { page, complaints } = watched
    const waitForText = (text: string) => page.getByText(text.replace('{name}', 'uma')).first().waitFor()
    await page.goto(`${home.url}/admin/users`)
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    const creation = page.getByRole('dialog')
    await creation.getByLabel(t('admin.users.username')).fill('uma')
    await creation.getByLabel(t('admin.users.ownPassword')).check()
    await creation.getByLabel(t('admin.users.password'), { exact: true }).fill('driftwood')
    await creation.getByRole('button', { name: t('admin.users.createSubmit') }).click()
    await waitForText(t('admin.users.created'))
    expect(await home.statusOf('uma', 'driftwood')).toBe(200)

    await page.getByRole('button', { name: /^Manage.*uma$/ }).click()
    const promote = page.getByRole('button', { name: t('admin.users.promote') })
    await promote.click()
    const uma = page.locator('li.user', { hasText: 'uma' })
    await uma.getByText(t('admin.users.administrator'), { exact: true }).waitFor()
    await page.getByRole('button', { name: t('common.undo') }).click()
    await promote.waitFor()

    await page.getByRole('button', { name: t('admin.users.deactivate') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('admin.users.deactivate') })
      .click()
    await waitForText(t('admin.users.deactivated'))
    expect(await home.statusOf('uma', 'driftwood')).toBe(403)
    await page.getByRole('button', { name: t('admin.users.activate'), exact: true }).click()
    await waitForText(t('admin.users.activated'))
    expect(await home.statusOf('uma', 'driftwood')).toBe(200)

    await page.getByRole('button', { name: t('admin.users.remove') }).click()
    const removal = page.getByRole('dialog')
    await removal.getByLabel(t('admin.users.removeName').replace('{name}', 'uma')).fill('uma')
    await removal.getByRole('button', { name: t('admin.users.removeConfirm') }).click()
    await waitForText(t('admin.users.removed'))
    expect(await home.statusOf('uma', 'driftwood')).toBe(401)
    expect(complaints()).toEqual([])
  })

  test('sends a test email and makes a backup on the server page', async () => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/server`)
    await page.locator('summary', { hasText: t('admin.server.mail.send') }).click()
    await page.getByText(t('admin.server.mail.lastNone')).waitFor()
    expect(await page.getByLabel(t('admin.server.mail.to')).inputValue()).toBe(emailOf(ADMIN))
    await page.getByLabel(t('admin.server.mail.to')).fill('postmaster@home.example')
    await page.getByRole('button', { name: t('admin.server.mail.send') }).click()
    await page.getByText(t('admin.server.mail.sent', { email: 'postmaster@home.example' })).waitFor()
    const { raw } = await smtp.nextTo('postmaster@home.example')
    expect(parseMail(raw).subject).toBe('podstep can send email')
    await page.getByText(t('admin.server.mail.lastNone')).waitFor({ state: 'detached' })

    const entry = page.locator('[data-check=backup]')
    await entry.getByText(t('admin.doctor.seen.backup_none')).waitFor()
    await entry.getByRole('button', { name: t('admin.server.backups.now') }).click()
    await entry.getByText(t('admin.server.backups.made', { file: 'podstep-' }).replace(/\.$/, '')).waitFor()
    await entry.getByText(t('admin.doctor.seen.backup_none')).waitFor({ state: 'detached' })
    expect(complaints()).toEqual([])
  })

  test('sees on Home and on the server page that the identity provider is down, and how to fix it', async () => {
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/server`)
    const entry = page.locator('[data-check=sign_on]')
    const test = entry.getByRole('button', { name: t('admin.doctor.checks.sign_on') })
    await test.click()
    await entry.getByText(t('admin.server.sso.ok')).waitFor()
    await provider.stop()
    await test.click()
    await entry.getByText(t('admin.server.sso.bad')).waitFor()
    await entry.getByText(t('admin.server.sso.ok')).waitFor({ state: 'detached' })

    const section = page.getByRole('region', { name: t('admin.doctor.title') })
    await section.getByRole('button', { name: t('admin.doctor.run') }).click()
    await entry.getByText(t('admin.doctor.todo.sso_failed')).waitFor()
    await entry.locator('summary', { hasText: t('admin.doctor.how') }).click()
    await entry.getByRole('button', { name: t('admin.doctor.forms.container') }).click()
    await entry.getByText('SVC_OIDC_ISSUER').waitFor()
    expect(await section.getByText(t('admin.doctor.seen.database_ok')).isVisible()).toBe(false)
    await section.getByText(t('admin.doctor.others'), { exact: true }).click()
    await section.getByText(t('admin.doctor.seen.database_ok')).waitFor()
    expect(await section.getByText(t('admin.doctor.allGood')).count()).toBe(0)

    const count = await section
      .locator('.step-mark:is([data-state=error], [data-state=warning], [data-state=todo])')
      .count()
    await page.goto(`${home.url}/`)
    const hint = page.getByRole('region', { name: t('admin.doctor.hint', { n: count }) })
    await hint.getByText(t('admin.doctor.seen.sso_failed')).waitFor()
    expect(await hint.getByRole('listitem').count()).toBe(count)
    expect(complaints()).toEqual([])
  })

  test('pages through the feeds of the server, searches them, and refreshes all', async () => {
    const urls = Array.from({ length: FEEDS }, (_, n) => `${home.feeds()}/none/${n}.xml`)
    const ida = await home.addUser('ida')
    await succeed(ida.post('/api/2/subscriptions/ida/phone.json', { add: urls }))
    // Failures change the order, so refresh all feeds before reading the list.
    await succeed(home.admin().post('/api/admin/feeds/update'))
    const isRunning = async () => (await home.admin().get('/api/admin/feeds/status')).text.includes('"running":true')
    await untilEqual(isRunning, false)
    // Feed URLs appear once they are classified as public.
    const listed = async () => (await home.admin().get('/api/admin/feeds?per_page=100')).text
    await untilEqual(async () => (await listed()).match(/\/none\/\d+\.xml"/g)?.length, FEEDS)
    const { page, complaints } = watched
    await page.goto(`${home.url}/admin/feeds`)
    const pager = page.getByRole('navigation', { name: t('admin.pager.label') })
    const turn = (name: string) => pager.getByRole('button', { name })
    const names = async (number: number) => {
      await pager.getByText(t('admin.pager.where', { page: number, count: 2 })).waitFor()
      return await page.locator('li.feed h2').allTextContents()
    }
    const first = await names(1)
    expect(await turn(t('common.previous')).isDisabled()).toBe(true)
    await turn(t('common.next')).click()
    const second = await names(2)
    expect(await turn(t('common.next')).isDisabled()).toBe(true)
    expect(new Set([...first, ...second]).isSupersetOf(new Set(urls))).toBe(true)

    // A search starts at the first page.
    await page.getByLabel(t('admin.feeds.search')).fill('none/17.xml')
    await page.getByText(t('admin.feeds.found', { n: 1 }), { exact: true }).waitFor()
    expect(await page.locator('li.feed h2').allTextContents()).toEqual([`${home.feeds()}/none/17.xml`])
    expect(await pager.count()).toBe(0)

    await page.getByRole('button', { name: t('admin.feeds.refreshAll') }).click()
    await page
      .getByText(t('admin.feeds.finishedFailed', { n: FEEDS }))
      .first()
      .waitFor()
    expect(complaints()).toEqual([])
  })
})
