import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { basic, type Client, cookieOf } from '../support/client.ts'
import { succeed } from '../web/support/demo.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { emailOf, openHome, PASSWORD } from './support/home.ts'

const NEW_PASSWORD = 'driftwood'

describeInBrowser('the account page', () => {
  const home = openHome()

  test('aligns the buttons of all settings, to the left on a phone and to the right on a wide screen', async () => {
    await home.addUser('tilda')
    const { page } = await home.visitAs('tilda', '/account', { locale: 'de' })
    await page.locator('.setting-row').nth(2).waitFor()
    for (const [width, child, side] of [
      [360, 'firstElementChild', 'left'],
      [1280, 'lastElementChild', 'right'],
    ] as const) {
      await page.setViewportSize({ width, height: 780 })
      const sides = await page.evaluate<number[]>(`[...document.querySelectorAll('.setting-row > .row')]
        .map((row) => Math.round(row.${child}.getBoundingClientRect().${side}))`)
      expect(sides.length).toBeGreaterThan(2)
      expect([width, new Set(sides).size]).toEqual([width, 1])
    }
  })

  test('ends one session, then all others', async () => {
    await home.addUser('ida')
    const [antenna, kasts] = [await appOf('ida', 'AntennaPod/3.5.0'), await appOf('ida', 'Kasts/24.08')]
    await appOf('ida', 'python-requests/2.32')
    const { page, complaints } = await home.visitAs('ida', '/account')
    const sessions = page.locator('.session')
    await sessions.nth(3).waitFor()
    expect(await sessions.filter({ hasText: t('account.sessions.current') }).count()).toBe(1)

    // An app without a name is identified by the time it signed in, on its button too.
    const nameless = await sessions.getByRole('heading', { name: /^App signed in on .*\d:\d\d [AP]M$/ }).textContent()
    const name = (nameless ?? '').trim()
    await page.getByRole('button', { name: `${t('account.sessions.end')}: ${name}` }).click()
    await page.getByText(t('account.sessions.ended', { client: name })).waitFor()
    await sessions.filter({ hasText: 'Kasts' }).getByRole('button').click()
    await page.getByText(t('account.sessions.ended', { client: 'Kasts' })).waitFor()
    await sessions.nth(2).waitFor({ state: 'detached' })
    expect(await sessions.count()).toBe(2)
    expect([await statusOf(antenna), await statusOf(kasts)]).toEqual([200, 401])

    await page.getByRole('button', { name: t('account.sessions.endOthers') }).click()
    await page.getByText(t('account.sessions.endedOthers')).waitFor()
    await page.getByText(t('account.sessions.onlyHere')).waitFor()
    expect(await statusOf(antenna)).toBe(401)
    expect(complaints()).toEqual([])
  })

  test('changes the email address after asking for the password', async () => {
    const ole = await home.addUser('ole')
    const { page, complaints } = await home.visitAs('ole', '/account')
    await page.getByText(emailOf('ole')).waitFor()
    await change(page, t('account.email.title'))
    const form = page.getByRole('dialog', { name: t('account.email.save') })
    expect(await form.getByLabel(t('account.email.label')).inputValue()).toBe(emailOf('ole'))
    await form.getByLabel(t('account.email.label')).fill('ole@new.example')
    await form.getByLabel(t('account.password')).fill('a guess')
    await form.locator('[type="submit"]').click()
    await form.getByText(t('account.errors.wrong_password')).waitFor()
    await form.locator('input[name="password"]:focus').waitFor()
    expect((await ole.get('/api/2/me')).json).toMatchObject({ email: emailOf('ole') })
    expect(complaints()).toEqual([expect.stringContaining('403')])

    await form.getByLabel(t('account.password')).fill(PASSWORD)
    await form.locator('[type="submit"]').click()
    await page.getByText(t('account.email.saved', { email: 'ole@new.example' })).waitFor()
    expect((await ole.get('/api/2/me')).json).toMatchObject({ email: 'ole@new.example' })
    expect(complaints()).toEqual([])
  })

  test('changes the password, which ends all other sessions', async () => {
    await home.addUser('vera')
    const app = await appOf('vera', 'AntennaPod/3.5.0')
    const { page, complaints } = await home.visitAs('vera', '/account')
    await change(page, t('account.newPassword.title'))
    const old = page.getByLabel(t('account.newPassword.old'))
    const fresh = page.getByLabel(t('account.newPassword.label'))
    // The fields have autocomplete hints and accept pasting, for password managers.
    expect(await old.getAttribute('autocomplete')).toBe('current-password')
    expect(await fresh.getAttribute('autocomplete')).toBe('new-password')
    for (const field of [old, fresh]) expect(await field.evaluate(takesPaste)).toBe(true)
    await old.fill(PASSWORD)
    await fresh.fill(NEW_PASSWORD)
    await page.getByRole('button', { name: t('account.newPassword.save') }).click()
    await page.getByText(t('account.newPassword.saved')).waitFor()
    await page.getByText(t('account.sessions.onlyHere')).waitFor()
    expect([await statusOf(app), await home.statusOf('vera', NEW_PASSWORD)]).toEqual([401, 200])
    await page.reload()
    await page.locator('.session', { hasText: t('account.sessions.current') }).waitFor()
    expect(complaints()).toEqual([])
  })

  test('shows one retry button when several sections fail to load, which reloads them all', async () => {
    await home.addUser('kim')
    const { page } = await home.visitAs('kim', '/')
    const lists = /\/api\/2\/me\/(?:app-passwords|sessions|second-factor)$/
    await page.route(lists, (route) => route.fulfill({ status: 503, json: { code: 'unavailable', message: 'busy' } }))
    await page.goto(`${home.url}/account`)
    await page.getByText(t('errors.part')).nth(1).waitFor()
    expect(await page.getByRole('button', { name: t('common.retry') }).count()).toBe(1)
    await page.unroute(lists)
    await page.getByRole('button', { name: t('common.retry') }).click()
    await page.getByText(t('account.appPasswords.none')).waitFor()
    await page.getByText(t('account.secondFactor.off')).waitFor()
    await page.locator('.session').waitFor()
    expect(await page.getByText(t('errors.part')).count()).toBe(0)
  })

  test('creates an app password, shows it once, and revokes it', async () => {
    await home.addUser('eva')
    const { page, complaints } = await home.visitAs('eva', '/account')
    await page.getByText(t('account.appPasswords.none')).waitFor()
    await page.getByRole('button', { name: t('account.appPasswords.make') }).click()
    const dialog = page.getByRole('dialog', { name: t('account.appPasswords.makeTitle') })
    await dialog.getByLabel(t('account.appPasswords.name')).fill('My phone')
    await dialog.getByRole('button', { name: t('account.appPasswords.make') }).click()
    await page.getByText(t('account.appPasswords.made', { name: 'My phone' })).waitFor()
    const password = String(await page.locator('.copy-field code').textContent())
    expect(await home.statusOf('eva', password)).toBe(200)
    expect(await violationsOn(page)).toEqual([])
    await page.reload()
    const item = page.locator('li:not(.session)', { hasText: 'My phone' })
    await item.getByText(t('account.appPasswords.revoke')).waitFor()
    expect(await page.getByText(password).count()).toBe(0)
    await item.getByRole('button').click()
    const asked = page.getByRole('dialog')
    await asked.getByRole('button', { name: t('account.appPasswords.revoke') }).click()
    await page.getByText(t('account.appPasswords.none')).waitFor()
    expect(await home.statusOf('eva', password)).toBe(401)
    expect(complaints()).toEqual([])
  })

  test('deletes the account after asking for the password', async () => {
    await home.addUser('nils')
    const { page, complaints } = await home.visitAs('nils', '/account')
    await page.getByRole('button', { name: t('account.removal.button') }).click()
    const dialog = page.getByRole('dialog', { name: t('account.removal.ask', { username: 'nils' }) })
    const confirm = dialog.getByRole('button', { name: t('account.removal.confirm') })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel(t('account.password')).fill(PASSWORD)
    await confirm.click()
    await page.waitForURL(`${home.url}/login`)
    await page.getByText(t('auth.deleted')).waitFor()
    expect(await home.statusOf('nils', PASSWORD)).toBe(401)
    // The page may react to the hint about the changed account before it gets its own answer.
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([])
  })

  /** Signs an app in with a session. */
  async function appOf(username: string, userAgent: string): Promise<Client> {
    const headers = { ...basic(username, PASSWORD), 'user-agent': userAgent }
    return home.client(cookieOf(await succeed(home.client(headers).post(`/api/2/auth/${username}/login.json`))))
  }

  const change = (page: Page, value: string) =>
    page.getByRole('button', { name: t('common.pair', { what: t('account.change'), value }) }).click()

  const statusOf = async (client: Client) => (await client.get('/api/2/me')).status
})

function takesPaste(field: Element): boolean {
  return field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true }))
}
