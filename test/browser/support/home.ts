import { afterAll, beforeAll } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { BASE_URL } from '../../support/browser.ts'
import { basic, type Client, cookieOf } from '../../support/client.ts'
import type { OidcProvider } from '../../support/oidc-provider.ts'
import type { TestSmtpServer } from '../../support/smtp.ts'
import { type Demo, remoteClient, succeed } from '../../web/support/demo.ts'
import { t } from '../../web/support/texts.ts'
import { openBrowser } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { closeAfterEach, openTab, settle, type WatchedPage, watchedPage } from './watch.ts'

export const ADMIN = 'ada'
export const PASSWORD = 'seaglass'
export const PROVIDER_NAME = 'Harbour ID'

type Settings = Readonly<Record<string, string>>

interface VisitOptions extends BrowserContextOptions {
  /** Runs before the scripts of the page. */
  readonly script?: string
}

/**
 * A server with an administrator, and a browser that reaches it at its public address, which has a sub-path. The tests of
 * a file share both. `open` opens the browser.
 */
export function openHome(settings: () => Settings | Promise<Settings> = () => ({}), open = openBrowser) {
  const { pathname, hostname } = new URL(BASE_URL)
  let demo: Demo
  let browser: Browser
  const closed = closeAfterEach()

  beforeAll(async () => {
    demo = await startBinary({ isEmpty: true, env: { SVC_BASE_URL: BASE_URL, ...(await settings()) } })
    const names = `MAP ${hostname} ${new URL(demo.url).host}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`
    browser = await open(`--host-resolver-rules=${names}`)
    await succeed(client().post('/api/2/register', account(ADMIN)))
  })

  afterAll(async () => {
    await browser.close()
    await demo.stop()
  })

  /** A client of the API that sends these headers. */
  const client = (headers?: Record<string, string>) => remoteClient(demo.url + pathname, headers)
  const clientOf = (username: string, password = PASSWORD) => client(basic(username, password))

  /** Opens a new browser context without cookies. */
  async function visit(options?: BrowserContextOptions): Promise<WatchedPage> {
    const common = { locale: 'en', reducedMotion: 'reduce', serviceWorkers: 'block' } as const
    return watchedPage(closed(await browser.newContext({ ...common, ...options })), BASE_URL)
  }

  return {
    /** Without a trailing slash. */
    url: BASE_URL,
    /** The address of the server that only this machine can reach. */
    localUrl: () => demo.url + pathname,
    client,
    visit,
    /** The web server of the sample podcasts. */
    feeds: () => demo.feeds,
    /** A client of the API with the credentials of the administrator. */
    admin: () => clientOf(ADMIN),
    /** The status of a request with these credentials. */
    statusOf: async (username: string, password?: string) =>
      (await clientOf(username, password).get('/api/2/me')).status,
    /** Creates a user with the password `PASSWORD`. */
    async addUser(username: string): Promise<Client> {
      await succeed(clientOf(ADMIN).post('/api/admin/users', account(username)))
      return clientOf(username)
    },
    /** Opens another page in the same browser context, which has cached the files of the client. */
    openTab: ({ page }: Pick<WatchedPage, 'page'>) => openTab(page.context(), BASE_URL, closed),
    /** Opens a page in a new browser context in which a user is signed in. */
    async visitAs(username: string, path = '/', options: VisitOptions = {}): Promise<WatchedPage> {
      const { script = '', ...context } = options
      const watched = await visit(context)
      await watched.page.addInitScript(script)
      const answer = await succeed(clientOf(username).post(`/api/2/auth/${username}/login.json`))
      const [name = '', value = ''] = String(cookieOf(answer)['cookie']).split('=')
      await watched.page.context().addCookies([{ name, value, domain: hostname, path: pathname, httpOnly: true }])
      await watched.page.goto(BASE_URL + path)
      await settle(watched.page)
      return watched
    },
  }
}

/** Signs out with the user menu. */
export async function signOut(page: Page, username: string): Promise<void> {
  await page.getByRole('button', { name: t('common.person').replace('{name}', username) }).click()
  await page.getByRole('menuitem', { name: t('common.signOut') }).click()
}

export const emailOf = (username: string) => `${username}@home.example`

const account = (username: string) => ({ username, password: PASSWORD, email: emailOf(username) })

/** Settings of a server that uses this mail server. */
export function mailSettings({ host, port }: TestSmtpServer): Settings {
  const from = 'Podcasts <podcasts@home.example>'
  return { SVC_SMTP_HOST: host, SVC_SMTP_PORT: String(port), SVC_SMTP_SECURITY: 'none', SVC_SMTP_FROM: from }
}

/** Settings of a server that uses this identity provider. */
export function providerSettings({ settings }: OidcProvider): Settings {
  const entries = Object.entries(settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, value])
  return { ...Object.fromEntries(entries), SVC_OIDC_NAME: PROVIDER_NAME }
}
