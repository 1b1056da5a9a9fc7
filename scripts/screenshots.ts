import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { basic } from '../test/support/client.ts'
import { remoteClient, startDemo, succeed } from '../test/web/support/demo.ts'
import { openWholeBrowser, signInAs } from '../test/web/support/web-browser.ts'
import { drawCovers } from './covers.ts'

/**
 * Takes pictures of the web client: by default those of the documentation; with paths, full-height pictures of these
 * pages in both themes and at both widths.
 *
 *   bun scripts/screenshots.ts [--to FOLDER] [--source] [PATH…]     default: docs/pictures, the executable, all pages
 */

/** Pages for people who are not signed in. */
const DOORS = ['/login', '/register']
const PAGES = [
  '/',
  '/inbox',
  '/queue',
  '/podcast?url={feeds}%2Fharbour.xml',
  '/episode?podcast={feeds}%2Fharbour.xml&url={feeds}%2Fharbour%2F34.mp3',
  '/add',
  '/discover',
  '/listening',
  '/year',
  '/favorites',
  '/devices',
  '/connect',
  '/activity',
  '/transfer',
  '/account',
  '/outlets',
  '/admin/users',
  '/admin/feeds',
  '/admin/server',
  '/admin/log',
]
/** Pages that are nearly empty in the demo, so the documentation has no pictures of them. */
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
// Check before overwriting any file.
if (unknown !== undefined) throw new Error(`what is ${unknown} for?`)
const program = words.includes('--source')
  ? { program: [process.execPath, join(import.meta.dir, '../src/main.ts')] }
  : {}

const players: (() => Promise<void>)[] = []
mkdirSync(folder, { recursive: true })
const browser = await openWholeBrowser()
const demo = await startDemo({ ...program, covers: await drawCovers(browser) })
try {
  await addFavorites()
  await fillQueue()
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
    if (paths.length === 0) players.push(() => picturePlayer(page, width, theme))
    else await context.close()
  }
  // Last, because playback registers the browser as a device, which would appear on the pages about devices.
  for (const picturePlaying of players) await picturePlaying()
} finally {
  await browser.close()
  await demo.stop()
}

/** Dismisses the offers that Home shows in the first days. The visit also makes the server fetch the covers. */
async function hideOffers(page: Page): Promise<void> {
  await page.goto(demo.url, { waitUntil: 'networkidle' })
  for (const name of ['Hide', 'Not now']) {
    const button = page.getByRole('button', { name, exact: true }).first()
    if (await button.isVisible()) await button.click()
  }
  await page.waitForLoadState('networkidle')
}

async function fillQueue(): Promise<void> {
  const names = ['kitchen/33', 'night/32', 'moss/31', 'orbit/30']
  const episodes = names.map((name) => ({
    podcast: `${demo.feeds}/${name.split('/')[0]}.xml`,
    episode: `${demo.feeds}/${name}.mp3`,
  }))
  await succeed(remoteClient(demo.url, basic('ida', 'seaglass')).put('/api/2/me/queue', { episodes }))
}

/** Takes a picture of the player: with its chapters on narrow screens, below a page on wide ones. */
async function picturePlayer(page: Page, width: number, theme: string): Promise<void> {
  await page.goto(demo.url, { waitUntil: 'networkidle' })
  await page
    .getByRole('button', { name: /^(?:Continue|Play).*: 34: Fog$/ })
    .first()
    .click()
  const player = page.getByRole('region', { name: 'Player', exact: true })
  await player.getByRole('button', { name: 'Close', exact: true }).click()
  await player.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  if (width < 600) {
    await player.getByRole('button', { name: 'Show everything' }).click()
    await page.locator('.player-sheet-cover img').evaluate('(picture) => picture.decode()')
  }
  const name = `player-${width}-${theme}.png`
  // Skip the opening animation of the sheet.
  await page.screenshot({ path: join(folder, name), animations: 'disabled' })
  process.stdout.write(`${name}\n`)
}

async function addFavorites(): Promise<void> {
  const ida = remoteClient(demo.url, basic('ida', 'seaglass'))
  for (const episode of ['harbour/34', 'night/33', 'kitchen/31']) {
    const [slug = ''] = episode.split('/')
    const [podcast, url] = [`${demo.feeds}/${slug}.xml`, `${demo.feeds}/${episode}.mp3`].map(encodeURIComponent)
    await succeed(
      ida.post(`/api/2/settings/ida/episode.json?podcast=${podcast}&episode=${url}`, { set: { is_favorite: true } }),
    )
  }
}
