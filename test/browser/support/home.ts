import type { Browser, BrowserContextOptions } from 'playwright-core'
import { BASE_URL } from '../../support/browser.ts'
import { basic, type Client, cookieOf } from '../../support/client.ts'
import { remoteClient, succeed } from '../../web/support/demo.ts'
import { openBrowser } from '../../web/support/web-browser.ts'
import { startBinary } from './browser-test.ts'
import { settle, type WatchedPage, watchedPage } from './watch.ts'

/** A server with an administrator, and a browser that reaches it at its public address, which has a sub-path. */
export interface Home {
  /** Without a slash at the end. */
  readonly url: string
  /** The web server of the sample podcasts. */
  readonly feeds: string
  /** The API with the credentials of the administrator. */
  readonly admin: Client
  /** The API with these headers. */
  client(headers?: Record<string, string>): Client
  /** Creates a user with the password `PASSWORD`. */
  addUser(username: string): Promise<Client>
  /** Opens a new browser without cookies. */
  visit(options?: BrowserContextOptions): Promise<WatchedPage>
  /** Opens a page in a new browser in which a user is signed in. */
  visitAs(username: string, path?: string): Promise<WatchedPage>
  stop(): Promise<void>
}

export const ADMIN = 'ada'
export const PASSWORD = 'seaglass'

export function emailOf(username: string): string {
  return `${username}@home.example`
}

/** `env` are settings of the server besides its address. */
export async function openHome(env: Readonly<Record<string, string>> = {}): Promise<Home> {
  const demo = await startBinary({ isEmpty: true, env: { SVC_BASE_URL: BASE_URL, ...env } })
  const { pathname, hostname } = new URL(BASE_URL)
  const client = (headers?: Record<string, string>) => remoteClient(demo.url + pathname, headers)
  const names = `MAP ${hostname} ${new URL(demo.url).host}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`
  const browser: Browser = await openBrowser(`--host-resolver-rules=${names}`)
  const admin = client(basic(ADMIN, PASSWORD))
  await succeed(client().post('/api/2/register', account(ADMIN)))

  async function visit(options?: BrowserContextOptions): Promise<WatchedPage> {
    const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...options })
    return await watchedPage(context, BASE_URL)
  }

  return {
    url: BASE_URL,
    feeds: demo.feeds,
    admin,
    client,
    async addUser(username) {
      await succeed(admin.post('/api/admin/users', account(username)))
      return client(basic(username, PASSWORD))
    },
    visit,
    async visitAs(username, path = '/') {
      const watched = await visit()
      const answer = await succeed(client(basic(username, PASSWORD)).post(`/api/2/auth/${username}/login.json`))
      const [name = '', value = ''] = String(cookieOf(answer)['cookie']).split('=')
      await watched.page.context().addCookies([{ name, value, domain: hostname, path: pathname, httpOnly: true }])
      await watched.page.goto(BASE_URL + path)
      await settle(watched.page)
      return watched
    },
    async stop() {
      await browser.close()
      await demo.stop()
    },
  }
}

function account(username: string) {
  return { username, password: PASSWORD, email: emailOf(username) }
}
