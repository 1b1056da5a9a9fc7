import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startDemo } from '../test/web/support/demo.ts'
import { openBrowser, signInAs } from '../test/web/support/web-browser.ts'
import { drawCovers } from './covers.ts'

/**
 * Pictures of the web client's pages: for the documentation, or, with paths, of these pages in both themes and for both widths from top to
 * bottom.
 *
 *   bun scripts/screenshots.ts [--to FOLDER] [--source] [PATH…]     default: docs/pictures, the executable, all pages
 */

/** For people who are not signed in. */
const DOORS = ['/login', '/register']
const PAGES = [
  '/',
  '/inbox',
  '/podcast?url={feeds}%2Fharbour.xml',
  '/episode?podcast={feeds}%2Fharbour.xml&url={feeds}%2Fharbour%2F34.mp3',
  '/add',
  '/discover',
  '/listening',
  '/year',
  '/favorites',
  '/devices',
  '/connect',
  '/upgrades',
  '/activity',
  '/transfer',
  '/account',
  '/outlets',
  '/admin/users',
  '/admin/feeds',
  '/admin/server',
  '/admin/log',
]
/** There is next to nothing on them here, so the documentation does without them. */
const WITHOUT_PICTURE = ['/add', '/admin/log']
const LOOKS = [
  { width: 1280, theme: 'light', isForDocs: true },
  { width: 1280, theme: 'dark', isForDocs: false },
  { width: 360, theme: 'light', isForDocs: false },
  { width: 360, theme: 'dark', isForDocs: true },
] as const

const words = process.argv.slice(2)
const toAt = words.indexOf('--to')
const folder = toAt === -1 ? join(import.meta.dir, '../docs/pictures') : (words[toAt + 1] ?? '.')
const paths = words.filter((word, index) => word.startsWith('/') && index !== toAt + 1)
const unknown = words.find(
  (word, index) => !paths.includes(word) && !['--to', '--source'].includes(word) && (toAt === -1 || index !== toAt + 1),
)
// Before anything is written over.
if (unknown !== undefined) throw new Error(`what is ${unknown} for?`)
const program = words.includes('--source')
  ? { program: [process.execPath, join(import.meta.dir, '../src/main.ts')] }
  : {}

mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
const demo = await startDemo({ ...program, covers: await drawCovers(browser) })
try {
  for (const { width, theme } of LOOKS.filter(({ isForDocs }) => isForDocs || paths.length > 0)) {
    const context = await browser.newContext({
      viewport: { width, height: width < 600 ? 780 : 860 },
      colorScheme: theme,
      locale: 'en',
    })
    const page = await context.newPage()
    const picture = async (path: string) => {
      await page.goto(demo.url + path.replaceAll('{feeds}', encodeURIComponent(demo.feeds)), {
        waitUntil: 'networkidle',
      })
      const name = `${path.replace(/\?.*/, '').replaceAll('/', '-').slice(1) || 'home'}-${width}-${theme}.png`
      await page.screenshot({ path: join(folder, name), fullPage: paths.length > 0 })
      process.stdout.write(`${name}\n`)
    }
    if (paths.length === 0) for (const path of DOORS) await picture(path)
    await signInAs(page, demo.url, 'ida', 'seaglass')
    if (paths.length === 0) await hideOffers(page)
    for (const path of paths.length > 0 ? paths : PAGES.filter((each) => !WITHOUT_PICTURE.includes(each)))
      await picture(path)
    await context.close()
  }
} finally {
  await browser.close()
  await demo.stop()
}

/** What Home shows only in the first days. The visit also has the server fetch the covers. */
async function hideOffers(page: Page): Promise<void> {
  await page.goto(demo.url, { waitUntil: 'networkidle' })
  for (const name of ['Hide', 'Not now']) {
    const button = page.getByRole('button', { name, exact: true }).first()
    if (await button.isVisible()) await button.click()
  }
  await page.waitForLoadState('networkidle')
}
