import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The same engine without browser windows, whose cost exceeds that of most tests. */
const SHELL = '/usr/bin/chromium-headless-shell'

/** The path of a browser for tests; undefined if there is none. */
export const BROWSER = PLACES.find((path) => existsSync(path))

/** Opens a browser with `more` command-line arguments, without windows if possible. It cannot install web apps then. */
export function openBrowser(...more: readonly string[]): Promise<Browser> {
  return launch(existsSync(SHELL) ? SHELL : BROWSER, more)
}

/** Opens a full browser with `more` command-line arguments. */
export function openWholeBrowser(...more: readonly string[]): Promise<Browser> {
  return launch(BROWSER, more)
}

function launch(path: string | undefined, more: readonly string[]): Promise<Browser> {
  if (path === undefined) throw new Error(`there is no browser at ${PLACES.join(' or ')}`)
  return chromium.launch({
    executablePath: path,
    // A process for each tab and worker would cost a fifth of the processor time of the tests.
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--renderer-process-limit=1',
      ...more,
    ],
  })
}

/** Signs in with the form. */
export async function signInAs(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login`)
  await page.locator('input[name="username"]').fill(username)
  await page.locator('input[name="password"]').fill(password)
  await page.locator('button[type="submit"]').click()
  await page.waitForURL((address) => !address.pathname.endsWith('/login'))
}
