import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { LOCALES, t } from '../web/support/texts.ts'
import { BROWSER, openBrowser, signInAs } from '../web/support/web-browser.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsInAllLooks } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { closeAfterEach, goWithin, openTab, settle, until, type WatchedPage } from './support/watch.ts'

/** Pages of signed-in users. `{feeds}` stands for the web server of the sample podcasts. */
const PAGES =
  '/ /podcast?url={feeds}/harbour.xml /podcast?url={feeds}/gone.xml /add /add?url={feeds}/harbour.xml /discover ' +
  '/episode?podcast={feeds}/harbour.xml&url={feeds}/harbour/34.mp3 /inbox /queue /discover?q=harbour /listening ' +
  '/favorites /year /devices /connect /transfer /account /outlets /activity ' +
  '/admin/users /admin/feeds /admin/server /admin/log'

/** Pages of anonymous users. */
const ANONYMOUS_PAGES =
  '/login /login?error=sso_state /register /activate /activate#token=unknown /reset-password ' +
  '/reset-password#token=unknown /login/flow/unknown'

/** German has the longest words. */
const LANGUAGE = 'de'

/** Maximum bytes of the first load, compressed with Brotli (docs/web-client.md). */
const WEIGHTS = [
  ['.js', 75_000],
  ['.css', 16_000],
] as const

if (BROWSER === undefined)
  process.stderr.write('skipped: tests of the web client, because there is no browser (chromium)\n')

const HARBOUR = '/podcast?url={feeds}/harbour.xml'
const SUBSCRIBED = t('subscribe.subscribed')

/** Pages, each with the names of the buttons and menu items that open a dialog or a menu there. */
const OPENED: readonly (readonly [string, ...string[]])[] = [
  ['/', t('home.add')],
  ['/', t('episodes.more')],
  ['/', t('home.showUpgrades')],
  [HARBOUR, SUBSCRIBED],
  [HARBOUR, SUBSCRIBED, t('subscribe.devices')],
  [HARBOUR, t('folders.assign')],
  [HARBOUR, t('podcast.changeAddress')],
  ['/devices', t('common.person', { name: 'ida' })],
  ['/devices', t('devices.newGroup')],
  ['/devices', t('devices.edit', { device: 'Desktop' })],
  ['/devices', t('devices.remove', { device: 'Desktop' })],
  ['/account', t('account.change')],
  ['/account', `${t('account.change')}: ${t('account.newPassword.title')}`],
  ['/account', t('account.secondFactor.setUp')],
  ['/account', t('account.appPasswords.make')],
  ['/account', t('account.removal.button')],
  ['/outlets', t('outlets.feeds.make')],
  ['/admin/users', t('admin.users.invite')],
  ['/admin/users', `${t('admin.users.manage')}: ole`, t('admin.users.setPassword')],
]

/** The open dialog or menu. */
const OPEN = ':is(dialog[open], .menu:popover-open)'

const HEIGHT = 900

/** Default font size of a user with low vision, in CSS pixels. */
const LARGE = 32

/** Widths of a phone, a tablet, a laptop and a large screen, in CSS pixels. */
const WIDTHS = [360, 768, 1280, 1920]

/** Records layout shifts of the list of Home. */
const WATCH_SHIFTS = `
  globalThis.shifts = []
  globalThis.noteShifts = (entries) => shifts.push(...entries
    .filter(({ sources }) => sources.some(({ node }) => node?.querySelector?.('#podcasts')))
    .map(({ value }) => value))
  globalThis.shiftObserver = new PerformanceObserver((list) => noteShifts(list.getEntries()))
  shiftObserver.observe({ type: 'layout-shift', buffered: true })`

const SHIFTS = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  noteShifts(shiftObserver.takeRecords())
  resolve(shifts)
})))`

describeInBrowser('looks', () => {
  const ida = demoBrowser()
  const closed = closeAfterEach()
  let first: WatchedPage
  let inside: WatchedPage
  let outside: WatchedPage
  let large: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    await succeed(remoteClient(ida.demo.url, basic('ida', 'seaglass')).post('/api/2/me/folders', { name: 'Work' }))
    first = await ida.open()
    inside = await ida.open({ locale: LANGUAGE })
    outside = await ida.open({ locale: LANGUAGE }, true)
    large = await openBrowser(`--blink-settings=defaultFontSize=${LARGE}`)
    const storageState = await first.page.context().storageState()
    context = closed(
      await large.newContext({ locale: LANGUAGE, reducedMotion: 'reduce', serviceWorkers: 'block', storageState }),
    )
  })
  afterAll(() => large.close())

  beforeEach(async () => {
    page = (await ida.openTab(first)).page
  })

  test.each(PAGES.split(' '))('%s is accessible and fits its screen', (path) => inspect(inside, path))

  test.each(ANONYMOUS_PAGES.split(' '))('%s is accessible and fits its screen, signed out', (path) =>
    inspect(outside, path),
  )

  test('an unknown address is accessible and fits its screen', async () => {
    await open(page, '/')
    await goWithin(page, '/no-such-page')
    await page.locator('h1', { hasText: t('common.errors.notFoundTitle') }).waitFor()
    await expectSound()
  })

  test('the first load of Home stays below its maximum size in the language with the longest texts', async () => {
    const lengths = [...LOCALES].map(([code, messages]) => [JSON.stringify(messages).length, code] as const)
    const [, locale = ''] = lengths.toSorted(([a], [b]) => b - a)[0] ?? []
    // Not as an administrator, whose files are larger.
    const { page: before } = await ida.open({ locale }, true)
    await signInAs(before, ida.demo.url, 'ole', 'driftwood')
    const { page: home } = await ida.openTab({ page: before })
    await open(home, '/')
    await home.getByRole('link', { name: 'Harbour Talk' }).first().waitFor()
    expect(await home.locator('html').getAttribute('lang')).toBe(locale)
    await until(home, FIRST_PICTURE)
    for (const [ending, max] of WEIGHTS) {
      const weight = await home.evaluate<number>(`performance.getEntriesByType('resource')
        .filter(({ name }) => new URL(name).pathname.endsWith('${ending}'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
      expect(weight).toBeWithin(1, max + 1)
    }
  })

  test.each(OPENED.map((steps) => [steps.join(' › '), steps] as const))(
    '%s is accessible and fits its screen',
    async (_title, [path, ...names]) => {
      await open(page, path)
      for (const name of names)
        await page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).first().click()
      await page.locator(OPEN).waitFor()
      await expectSound(OPEN)
      await page.keyboard.press('Escape')
      await page.locator(OPEN).waitFor({ state: 'hidden' })
    },
  )

  test('an invitation is accessible and fits its screen', async () => {
    await open(page, '/admin/users')
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    await page.getByRole('textbox', { name: t('admin.users.username') }).fill('kim')
    await page.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    await page.getByRole('dialog', { name: t('admin.users.invitation.title', { name: 'kim' }) }).waitFor()
    await expectSound(OPEN)
  })

  test('the list of shortcuts is accessible and fits its screen', async () => {
    await open(page, HARBOUR)
    await page.keyboard.press('?')
    await page.locator(OPEN).waitFor()
    await expectSound(OPEN)
  })

  test('the player and its privacy note are accessible and fit the screen', async () => {
    const player = await play()
    await expectSound('.player')
    await player.getByRole('button', { name: t('player.privacyMore') }).click()
    await page.locator(OPEN).waitFor()
    await expectSound(OPEN)
  })

  test('the sheet of the player and the queue are accessible and fit the screen', async () => {
    const sheet = await openSheet()
    await expectSound(OPEN)
    await sheet.getByRole('button', { name: t('queue.title') }).click()
    await page.getByRole('dialog', { name: t('queue.title') }).waitFor()
    await expectSound(OPEN)
  })

  test('sharing and the sleep timer are accessible and fit the screen', async () => {
    const sheet = await openSheet()
    await sheet.getByRole('button', { name: t('player.share') }).click()
    await page.getByRole('menu').waitFor()
    await expectSound(OPEN)
    await page.keyboard.press('Escape')
    await sheet.getByRole('combobox', { name: t('player.sleep.title') }).selectOption({ label: t('player.sleep.own') })
    await page.getByLabel(t('player.sleep.minutes')).waitFor()
    await expectSound(OPEN)
  })

  test.each([360, 1280])('the list of Home does not shift while Home loads, %i pixels wide', async (width) => {
    const visit = await ida.open({ viewport: { width, height: HEIGHT } })
    await visit.page.addInitScript(WATCH_SHIFTS)
    // The list has to load after the sections above it.
    const rest = visit.page.waitForResponse((response) => response.url().endsWith('/me/home'))
    await visit.page.route('**/api/2/me/podcasts', async (route) => {
      await (await rest).finished()
      await route.continue()
    })
    await open(visit.page, '/')
    await visit.page.locator('.sync-banner').waitFor()
    await visit.page.locator('.home-card').first().waitFor()
    expect(await visit.page.evaluate<readonly number[]>(SHIFTS)).toEqual([])
  })

  test.each(PAGES.split(' '))('%s fits its screen with large letters', async (path) => {
    const { page: big } = await openTab(context, ida.demo.url, closed)
    await open(big, path)
    for (const width of [320, 1280]) {
      await big.setViewportSize({ width, height: HEIGHT })
      expect([width, ...(await overflow(big))]).toEqual([width])
    }
  })

  test('forced colours keep selected elements distinguishable', async () => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1280, height: HEIGHT })
    for (const path of ['/', '/listening', '/activity', '/admin/feeds']) {
      await open(page, path)
      expect([path, ...(await page.evaluate<string[]>(UNMARKED))]).toEqual([path])
    }
  })

  test('reduced motion stops all animations, even those of a loading page', async () => {
    const loading = Promise.withResolvers<void>()
    await page.route('**/api/2/me/podcasts**', async (route) => {
      await loading.promise
      await route.continue()
    })
    await page.goto(`${ida.demo.url}/podcast?url=${encodeURIComponent(`${ida.demo.feeds}/harbour.xml`)}`)
    await page.locator('main h1').waitFor()
    expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0)
    loading.resolve()
  })

  test('printed pages have no controls, and a printed invitation is a single page', async () => {
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' })
    for (const path of ['/inbox', '/podcast?url={feeds}/harbour.xml', '/year']) {
      await open(page, path)
      expect([path, ...(await page.evaluate<string[]>(CONTROLS))]).toEqual([path])
      expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
    }
    await page.emulateMedia({ media: null, reducedMotion: 'reduce' })
    await open(page, '/admin/users')
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    await page.getByRole('textbox', { name: t('admin.users.username') }).fill('gran')
    await page.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    await page.getByRole('dialog', { name: t('admin.users.invitation.title', { name: 'gran' }) }).waitFor()
    // Enough for three printed pages.
    await page.evaluate(`document.querySelector('main').style.blockSize = '3000px'`)
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' })
    expect(await page.evaluate<number>("document.querySelector('dialog[open]').getBoundingClientRect().top")).toBe(0)
  })

  test('the year in review is saved as a picture', async () => {
    await open(page, '/year')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: t('year.save') }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^podstep-\d{4}\.png$/)
    const picture = readFileSync(await download.path())
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1080, 1350])
    // A plain surface would be far smaller.
    expect(picture.length).toBeGreaterThan(20_000)
  })

  /** Checks a page in both themes, at all widths. */
  async function inspect(place: WatchedPage, path: string): Promise<void> {
    const watched = await ida.openTab(place)
    page = watched.page
    await open(page, path)
    await page.setViewportSize({ width: 320, height: HEIGHT })
    expect(await overflow(page)).toEqual([])
    await expectSound()
    expect(await page.getByRole('banner').count()).toBe(1)
    // Browsers log the 404 that this page expects.
    expect(watched.complaints().filter((text) => !text.includes('/login-flow/unknown'))).toEqual([])
  }

  async function open(where: Page, path: string): Promise<void> {
    await where.goto(ida.demo.url + path.replaceAll('{feeds}', encodeURIComponent(ida.demo.feeds)))
    await settle(where)
  }

  async function play(): Promise<Locator> {
    await open(page, HARBOUR)
    await page.locator('.play-round').first().click()
    const player = page.locator('.player')
    await player.waitFor()
    return player
  }

  async function openSheet(): Promise<Locator> {
    await (await play()).getByRole('button', { name: t('player.expand') }).click()
    const sheet = page.locator('.dialog-sheet')
    await sheet.waitFor()
    return sheet
  }

  /** Expects no violations on the page, or in a part of it, and no overflow. */
  async function expectSound(part = 'html'): Promise<void> {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      expect([width, ...(await overflow(page))]).toEqual([width])
    }
    expect(await violationsInAllLooks(page, part)).toEqual([])
  }
})

/** Elements wider than their containers, and keys of missing texts. */
function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(OVERFLOW)
}

/** The first parts of the keys of texts. */
const SECTIONS = Object.keys(LOCALES.get('en') ?? {})

const OVERFLOW = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const { scrollWidth, clientWidth } = document.scrollingElement
  const wide = scrollWidth > clientWidth ? ['the page by ' + (scrollWidth - clientWidth)] : []
  const places = 'main .card, main li, main fieldset, .page-head, .hero, .notice, .toast, .menu, .dialog-body, .sheet-body, .tabs'
  for (const element of document.querySelectorAll(places)) {
    const { overflowX } = getComputedStyle(element)
    if (!element.checkVisibility() || overflowX === 'auto' || overflowX === 'scroll') continue
    // Rows have buttons whose edges are aligned with the text.
    if (element.scrollWidth > element.clientWidth + (element.matches('li') ? 8 : 1) && element.clientWidth > 24)
      wide.push(element.className + ' ' + element.textContent.slice(0, 40) + ' by ' + (element.scrollWidth - element.clientWidth))
  }
  // Keys of texts that have not been loaded.
  const names = document.body.innerText.split('\\n').filter((text) => /^(?:${SECTIONS.join('|')})(?:\\.[a-zA-Z]+)+$/.test(text.trim()))
  resolve([...wide, ...names])
})))`

const FIRST_PICTURE = `performance.getEntriesByType('resource').find(({ initiatorType }) => initiatorType === 'img')`

/** Visible controls, except checkboxes, whose state is useful on paper. */
const CONTROLS = `[...document.querySelectorAll('button, input:not([type="checkbox"]), select')]
  .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
  .map((element) => element.ariaLabel ?? element.textContent)`

/** Selected elements that look like their unselected siblings. */
const UNMARKED = `(() => {
  const selected = '[aria-pressed="true"], [aria-current="page"], [aria-checked="true"]'
  const look = (element) => {
    const { backgroundColor, outlineStyle, borderColor } = getComputedStyle(element)
    return backgroundColor + outlineStyle + borderColor
  }
  const marked = [...document.querySelectorAll(selected)].filter((element) => element.checkVisibility())
  const ground = look(document.body)
  if (marked.length === 0) return ['nothing is selected']
  return marked
    .filter((element) => [ground, ...[...(element.closest('ul, fieldset') ?? document.body).querySelectorAll('a, button')]
      .filter((other) => !other.matches(selected)).map(look)].includes(look(element)))
    .map((element) => element.textContent)
})()`
