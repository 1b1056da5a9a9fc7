import { afterAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { t } from '../web/support/texts.ts'
import { violationsOn } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { openHome, PROVIDER_NAME, providerSettings } from './support/home.ts'
import { settle, untilEqual, type WatchedPage } from './support/watch.ts'

const SIGN_IN = t('auth.signInWith', { provider: PROVIDER_NAME })
const OTHER_ACCOUNT = t('auth.otherAccount', { provider: PROVIDER_NAME })
const LINK = t('account.identities.link', { provider: PROVIDER_NAME })

interface Flow {
  readonly poll: { readonly token: string; readonly endpoint: string }
  readonly login: string
}

describeInBrowser('single sign-on', () => {
  let provider: OidcProvider
  const home = openHome(async () => {
    provider = await startOidcProvider()
    return providerSettings(provider)
  })
  afterAll(() => provider.stop())

  test('creates an account, returns to the page, and confirms the deletion of the account with the user name', async () => {
    const watched = await home.visit()
    const { page } = watched
    await page.goto(`${home.url}/account`)
    await enterAs(page, 'ole-24')
    await page.waitForURL(`${home.url}/account`)
    await page.getByText(t('account.lead', { username: 'ole' })).waitFor()
    await settle(page)

    expect(await page.getByLabel(t('account.newPassword.old')).count()).toBe(0)
    expect(await page.getByLabel(t('account.password'), { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: t('account.newPassword.set') }).waitFor()
    await page.getByRole('button', { name: t('account.removal.button') }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: t('account.removal.confirm') })
    await dialog.getByLabel(t('account.removal.name', { username: 'ole' })).fill('ol')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel(t('account.removal.name', { username: 'ole' })).fill('ole')
    await confirm.click()
    await page.waitForURL(`${home.url}/login`)
    await page.getByText(t('auth.deleted')).waitFor()
    expect((await home.admin().get('/api/admin/users')).text).not.toContain('"ole"')
    expect(complaintsOf(watched)).toEqual([])
  })

  test('tells users once that they are no longer administrators', async () => {
    await home.addUser('per')
    const { page } = await home.visitAs('per', '/#role-removed')
    await page.getByRole('alert').getByText(t('auth.roleRemoved')).waitFor()
    await untilEqual(async () => page.url(), `${home.url}/`)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: t('home.title') }).waitFor()
    expect(await page.getByText(t('auth.roleRemoved')).count()).toBe(0)
  })

  test('can be linked with one account, signs in to it, and can be unlinked', async () => {
    await home.addUser('vera')
    const vera = await home.visitAs('vera', '/account')
    await link(vera.page)
    await vera.page.getByText(new URL(provider.issuer).host, { exact: true }).waitFor()

    const later = await home.visit()
    await later.page.goto(`${home.url}/account`)
    await enterAs(later.page, 'ida')
    await later.page.getByText(t('account.lead', { username: 'vera' })).waitFor()

    await later.page.getByRole('button', { name: t('account.identities.unlink') }).click()
    const asked = later.page.getByRole('dialog')
    await asked.getByRole('button', { name: t('account.identities.unlink') }).click()
    await later.page.getByText(t('account.identities.unlinked')).waitFor()
    await later.page.getByText(t('account.identities.none')).waitFor()
    for (const watched of [vera, later]) expect(complaintsOf(watched)).toEqual([])
  })

  test('can authorize an app without a password', async () => {
    const app = home.client({ 'user-agent': 'AntennaPod/3.8.0' })
    const { poll, login } = (await app.post('/index.php/login/v2')).json as Flow
    const collect = () => app.post('/index.php/login/v2/poll', `token=${poll.token}`)
    expect(poll.endpoint).toBe(`${home.url}/index.php/login/v2/poll`)
    const watched = await home.visit()
    const { page } = watched
    await page.goto(login)
    await page.getByText('AntennaPod/3.8.0').waitFor()
    await page.getByRole('link', { name: t('auth.signIn') }).click()
    await enterAs(page, 'uma-8')
    await page.waitForURL(login)
    await page.getByText(t('auth.grant.as', { username: 'uma' })).waitFor()
    await settle(page)
    expect(await violationsOn(page)).toEqual([])
    expect((await collect()).status).toBe(404)
    await page.getByRole('button', { name: t('auth.grant.button') }).click()
    await page.getByText(t('auth.grant.back')).waitFor()
    const { loginName, appPassword } = (await collect()).json as Record<string, string>
    expect(await home.statusOf(String(loginName), String(appPassword))).toBe(200)
    await page.reload()
    await page.getByRole('alert').getByText(t('auth.grant.gone')).waitFor()

    await page.goto(`${home.url}/connect`)
    await page.getByText(t('connect.passwordSso', { provider: PROVIDER_NAME })).waitFor()
    await page.getByText(t('connect.passwordNone'), { exact: true }).waitFor()
    expect(complaintsOf(watched).filter((text) => !text.includes('404'))).toEqual([])
  })

  test('explains errors on the sign-in page, and ignores unknown error codes in the URL', async () => {
    const { page, complaints } = await home.visit()
    for (const code of ['sso_state', 'constructor', '<script>alert(1)</script>']) {
      await page.goto(`${home.url}/login?error=${encodeURIComponent(code)}`)
      await settle(page)
      const text = code === 'sso_state' ? t('auth.errors.sso_state') : t('auth.errorUnknown')
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([text])
      expect(await page.getByRole('link', { name: OTHER_ACCOUNT }).count()).toBe(0)
    }
    await page.goto(`${home.url}/login?error=registration_closed`)
    const href = await page.getByRole('link', { name: OTHER_ACCOUNT }).getAttribute('href')
    expect(new URL(href ?? '', home.url).searchParams.get('prompt')).toBe('select_account')
    expect(complaints()).toEqual([])

    // The form takes user names, not email addresses.
    await page.getByLabel(t('auth.username')).fill('ida@pods.example')
    await page.getByLabel(t('auth.password')).fill('seaglass')
    await page.getByRole('button', { name: t('auth.signIn'), exact: true }).click()
    await page.getByRole('alert').getByText(t('auth.wrongEmail')).waitFor()
  })

  async function enterAs(page: Page, login: string): Promise<void> {
    await page.getByRole('link', { name: SIGN_IN }).click()
    await agree(page, login)
  }

  async function link(page: Page): Promise<void> {
    await page.getByRole('link', { name: LINK }).click()
    // Without Sec-Fetch-Site, which browsers send only over HTTPS, the server asks for confirmation.
    await page.getByRole('button', { name: `Go on to ${PROVIDER_NAME}` }).click()
    await agree(page, 'ida')
    await page.waitForURL((url) => url.href.startsWith(`${home.url}/account`))
  }

  /** Signs in at the provider, confirms, and waits until the browser is back. */
  async function agree(page: Page, login: string): Promise<void> {
    await page.waitForURL(`${provider.issuer}/**`)
    await page.locator('input[name="login"]').fill(login)
    await page.locator('input[name="password"]').fill('any')
    await page.locator('button[type="submit"]').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL((url) => url.origin !== new URL(provider.issuer).origin)
  }

  /** Complaints except those about pages of the provider, which load a font from another site. */
  function complaintsOf({ complaints }: WatchedPage): readonly string[] {
    return complaints().filter((text) => !text.includes(provider.issuer) && !text.includes('fonts.googleapis.com'))
  }
})
