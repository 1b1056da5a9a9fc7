import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of a browser for tests; undefined if there is none. */
export const BROWSER = PLACES.find((path) => existsSync(path))

/** Opens the browser, with `more` command-line arguments. */
export function openBrowser(...more: readonly string[]): Promise<Browser> {
  if (BROWSER === undefined) throw new Error(`there is no browser at ${PLACES.join(' or ')}`)
  return chromium.launch({
    executablePath: BROWSER,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', ...more],
  })
}

/** Signs in by the form. */
export async function signInAs(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login`)
  await page.locator('input[name="username"]').fill(username)
  await page.locator('input[name="password"]').fill(password)
  await page.locator('button[type="submit"]').click()
  await page.waitForURL((address) => !address.pathname.endsWith('/login'))
}
