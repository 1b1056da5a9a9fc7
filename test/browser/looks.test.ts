import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { basic } from '../support/client.ts'
import { remoteClient, succeed } from '../web/support/demo.ts'
import { LOCALES, t } from '../web/support/texts.ts'
import { BROWSER, openBrowser, signInAs } from '../web/support/web-browser.ts'
import { demoBrowser } from './support/as-ida.ts'
import { violationsOn, WIDTHS } from './support/axe.ts'
import { describeInBrowser } from './support/browser-test.ts'
import { closeAfterEach, goWithin, openTab, settle, until, type WatchedPage } from './support/watch.ts'

/** `{feeds}` stands for the web server of the sample podcasts. */
const PAGES =
  '/ /podcast?url={feeds}/harbour.xml /podcast?url={feeds}/gone.xml /add /add?url={feeds}/harbour.xml /discover ' +
  '/episode?podcast={feeds}/harbour.xml&url={feeds}/harbour/34.mp3 /inbox /queue /discover?q=harbour /listening ' +
  '/favorites /year /devices /connect /transfer /account /outlets /activity ' +
  '/admin/users /admin/feeds /admin/server /admin/log'

/** For people who are not signed in. */
const DOORS =
  '/login /login?error=sso_state /register /activate /activate#token=unknown /reset-password ' +
  '/reset-password#token=unknown /login/flow/unknown'

/** German has the longest words. */
const LANGUAGE = 'de'

/** Maximum bytes of the first load, compressed with Brotli. */
const WEIGHTS = [
  ['.js', 75_000],
  ['.css', 16_000],
] as const

if (BROWSER === undefined)
  process.stderr.write('skipped: tests of the web client, because there is no browser (chromium)\n')

const HARBOUR = '/podcast?url={feeds}/harbour.xml'
const SUBSCRIBED = t('subscribe.subscribed')

/** A page, and the buttons and menu items that open a dialog or a menu there, by their names. */
const OPENED: readonly (readonly [string, ...string[]])[] = [
  ['/', t('home.add')],
  ['/', t('folders.edit')],
  ['/', t('episodes.more')],
  ['/', t('home.showUpgrades')],
  [HARBOUR, SUBSCRIBED],
  [HARBOUR, SUBSCRIBED, t('subscribe.devices')],
  [HARBOUR, t('folders.assign')],
  [HARBOUR, t('podcast.changeAddress')],
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

/** What is open. */
const OPEN = ':is(dialog[open], .menu:popover-open)'

const HEIGHT = 900

/** The size of letters of somebody who does not see well, in CSS pixels. */
const LARGE = 32

/** How many pixels the magnifiers of search fields are away from the middle of their fields. */
const OUTSIDE_FIELD = `[...document.querySelectorAll('.search-box')].map((box) => {
  const [icon, field] = ['.icon', '.input'].map((part) => box.querySelector(part).getBoundingClientRect())
  return Math.round(Math.abs(icon.top + icon.height / 2 - field.top - field.height / 2))
})`

/** Notes what moves the list of Home. */
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

  test.each(PAGES.split(' '))('%s, signed in', (path) => inspect(inside, path))

  test.each(DOORS.split(' '))('%s, signed out', (path) => inspect(outside, path))

  test('an unknown address', async () => {
    await open(page, '/')
    await goWithin(page, '/no-such-page')
    await page.locator('h1', { hasText: t('common.errors.notFoundTitle') }).waitFor()
    await expectAllRight()
  })

  test('the first load of Home is small enough, in the language of the longest texts', async () => {
    const lengths = [...LOCALES].map(([code, messages]) => [JSON.stringify(messages).length, code] as const)
    const [, locale = ''] = lengths.toSorted(([a], [b]) => b - a)[0] ?? []
    // What administrators get to see besides comes when it comes.
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

  test.each(OPENED.map((steps) => [steps.join(' › '), steps] as const))('%s', async (_title, [path, ...names]) => {
    await open(page, path)
    for (const name of names)
      await page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).first().click()
    await page.locator(OPEN).waitFor()
    await expectAllRight()
    await page.keyboard.press('Escape')
    await page.locator(OPEN).waitFor({ state: 'hidden' })
  })

  test('an invitation', async () => {
    await open(page, '/admin/users')
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    await page.getByRole('textbox', { name: t('admin.users.username') }).fill('kim')
    await page.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    await page.getByRole('dialog', { name: t('admin.users.invitation.title', { name: 'kim' }) }).waitFor()
    await expectAllRight()
  })

  test('the shortcuts', async () => {
    await open(page, HARBOUR)
    await page.keyboard.press('?')
    await page.locator(OPEN).waitFor()
    await expectAllRight()
  })

  test('the player, and its note about publishers', async () => {
    const player = await play()
    await expectAllRight()
    await player.getByRole('button', { name: t('player.privacyMore') }).click()
    await page.locator(OPEN).waitFor()
    await expectAllRight()
  })

  test('the sheet of the player with the queue', async () => {
    const sheet = await openSheet()
    await expectAllRight()
    await sheet.getByRole('button', { name: t('queue.title') }).click()
    await page.getByRole('dialog', { name: t('queue.title') }).waitFor()
    await expectAllRight()
  })

  test('sharing and the sleep timer in the sheet of the player', async () => {
    const sheet = await openSheet()
    await sheet.getByRole('button', { name: t('player.share') }).click()
    await page.getByRole('menu').waitFor()
    await expectAllRight()
    await page.keyboard.press('Escape')
    await sheet.getByRole('combobox', { name: t('player.sleep.title') }).selectOption({ label: t('player.sleep.own') })
    await page.getByLabel(t('player.sleep.minutes')).waitFor()
    await expectAllRight()
  })

  test.each([360, 768, 1280])('the list of Home stays in its place on a first visit, %i pixels wide', async (width) => {
    const visit = await ida.open({ viewport: { width, height: HEIGHT } })
    await visit.page.addInitScript(WATCH_SHIFTS)
    // The list waits only so long for what stands above it, and here it has to come last.
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

  test('the magnifier is in the field, also beside two rows of choices', async () => {
    await open(page, '/podcast?url={feeds}/harbour.xml')
    for (const width of [...WIDTHS, 1000]) {
      await page.setViewportSize({ width, height: HEIGHT })
      expect([width, await page.evaluate<readonly number[]>(OUTSIDE_FIELD)]).toEqual([width, [0]])
    }
  })

  test('the menu of the person', async () => {
    await open(page, '/devices')
    for (const width of WIDTHS) {
      await show(width)
      await page.locator('.person').click()
      await page.getByRole('menu').waitFor()
      await expectAccessible(width)
      expect(await overflow(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'hidden' })
    }
  })

  test.each(PAGES.split(' '))('%s with large letters: nothing is cut off or scrolls sideways', async (path) => {
    const { page: big } = await openTab(context, ida.demo.url, closed)
    await open(big, path)
    for (const width of [320, 1280]) {
      await big.setViewportSize({ width, height: HEIGHT })
      expect([width, ...(await overflow(big))]).toEqual([width])
    }
  })

  test('with forced colours what is selected can be told from the rest', async () => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1280, height: HEIGHT })
    for (const path of ['/', '/listening', '/activity', '/admin/feeds']) {
      await open(page, path)
      expect([path, ...(await page.evaluate<string[]>(UNMARKED))]).toEqual([path])
    }
  })

  test('with reduced motion nothing moves, not even while a page is loading', async () => {
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

  test('on paper there are no controls, and an invitation stands alone on one page', async () => {
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' })
    for (const path of ['/inbox', '/podcast?url={feeds}/harbour.xml', '/year']) {
      await open(page, path)
      expect([path, ...(await page.evaluate<string[]>(CONTROLS))]).toEqual([path])
    }
    await page.emulateMedia({ media: null, reducedMotion: 'reduce' })
    await open(page, '/admin/users')
    await page.getByRole('button', { name: t('admin.users.invite') }).click()
    await page.getByRole('textbox', { name: t('admin.users.username') }).fill('gran')
    await page.getByRole('button', { name: t('admin.users.inviteSubmit') }).click()
    await page.getByRole('dialog', { name: t('admin.users.invitation.title', { name: 'gran' }) }).waitFor()
    // As many users as fill three sheets.
    await page.evaluate(`document.querySelector('main').style.blockSize = '3000px'`)
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' })
    expect(await page.evaluate<number>("document.querySelector('dialog[open]').getBoundingClientRect().top")).toBe(0)
  })

  /** Checks a page in both themes and at all widths. */
  async function inspect(place: WatchedPage, path: string): Promise<void> {
    const watched = await ida.openTab(place)
    page = watched.page
    await open(page, path)
    await show(320)
    expect(await overflow(page)).toEqual([])
    await expectAllRight()
    expect(await page.getByRole('banner').count()).toBe(1)
    // A 404 that belongs to the page, which browsers report by themselves.
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

  async function expectAllRight(): Promise<void> {
    for (const width of WIDTHS) {
      await show(width)
      await expectAccessible(width)
      expect([width, ...(await overflow(page))]).toEqual([width])
    }
  }

  async function expectAccessible(width: number): Promise<void> {
    expect([width, ...(await violationsOn(page))]).toEqual([width])
  }

  async function show(width: number): Promise<void> {
    await page.setViewportSize({ width, height: HEIGHT })
  }
})

/** What is wider than its place, the page or what is in a card, a list or a dialog; and texts that are missing. */
function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(OVERFLOW)
}

/** The first part of the names of texts. */
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
  // The name of a text that has not been loaded.
  const names = document.body.innerText.split('\\n').filter((text) => /^(?:${SECTIONS.join('|')})(?:\\.[a-zA-Z]+)+$/.test(text.trim()))
  resolve([...wide, ...names])
})))`

const FIRST_PICTURE = `performance.getEntriesByType('resource').find(({ initiatorType }) => initiatorType === 'img')`

/** What can be seen and pressed or filled in. A box tells something on paper, too. */
const CONTROLS = `[...document.querySelectorAll('button, input:not([type="checkbox"]), select')]
  .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
  .map((element) => element.ariaLabel ?? element.textContent)`

/** What is selected and looks like what is not. */
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
