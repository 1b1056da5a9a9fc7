import { afterEach, beforeEach } from 'bun:test'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { eventually, PATIENCE_MS } from '../../support/eventually.ts'

export interface WatchedPage {
  readonly page: Page
  /** Errors, violations of the CSP, dialogs and requests to other servers since the last call. */
  complaints(): readonly string[]
}

/** Reports calls of the functions that hostile texts try to call, and violations of the CSP, as errors. */
const TRAPS = `
  for (const name of ['go', 'alert', 'confirm', 'prompt', 'print'])
    window[name] = () => console.error('a text ran a script: ' + name)
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error('reported by the policy: ' + event.violatedDirective + ' ' + event.blockedURI))
`

/** Opens a page that records complaints. `origin` is that of the server. */
export async function watchedPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const heard: string[] = []
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  await page.addInitScript(TRAPS)
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => heard.push(`uncaught: ${error.message}`))
  page.on('dialog', (dialog) => {
    heard.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && /^(https?|wss?):/.test(url)) heard.push(`a request to ${url}`)
  })
  return { page, complaints: () => heard.splice(0) }
}

/**
 * Returns a function that registers a context or a page to be closed after the test, because open pages keep sending
 * requests. Anything registered in `beforeAll` stays open for all tests.
 */
export function closeAfterEach() {
  let opened: (BrowserContext | Page)[] = []
  beforeEach(() => {
    opened = []
  })
  afterEach(() => Promise.all(opened.map(close)))
  return <T extends BrowserContext | Page>(each: T): T => {
    opened.push(each)
    return each
  }
}

/** Removes the routes first: a handler that runs after its page was closed would fail outside of any test. */
async function close(opened: BrowserContext | Page): Promise<void> {
  const pages = 'pages' in opened ? opened.pages() : []
  await Promise.all([opened, ...pages].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
  await opened.close()
}

/** Opens another page in a browser context, to be closed after the test. */
export async function openTab(
  context: BrowserContext,
  origin: string,
  closed: ReturnType<typeof closeAfterEach>,
): Promise<WatchedPage> {
  const watched = await watchedPage(context, origin)
  closed(watched.page)
  return watched
}

/** Waits until the page has a heading, and nothing is loading or moving. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.evaluate(MOVED)
}

/** Resolves when all finite animations have ended. */
const MOVED = `Promise.allSettled(document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
  .map((animation) => animation.finished)).then(() => undefined)`

/**
 * Waits until an expression, or its promise, is true in the page. Unlike `waitForFunction`, it needs no `eval` in the
 * page, which the CSP forbids.
 */
export async function until(page: Page, condition: string): Promise<void> {
  await untilEqual(async () => [condition, Boolean(await page.evaluate(condition))], [condition, true])
}

/** Waits until an expression, or its promise, has a value in the page. Rejects with the last value. */
export async function untilSame<T>(page: Page, expression: string, wanted: T): Promise<void> {
  await untilEqual(() => page.evaluate<T>(expression), wanted)
}

/** Polls until the answer equals `wanted`. Rejects with the last answer. */
export async function untilEqual<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  await eventually(ask, (answer) => Bun.deepEquals(answer, wanted))
}

/** Init script that disables timers of more than two seconds: pages do not poll, and toasts stay. */
export const NO_POLLS = `{
  const { setTimeout } = window
  window.setTimeout = (work, ms, ...rest) => (ms > 2000 ? 0 : setTimeout(work, ms, ...rest))
}`

/** Clicks a link. Returns a function that waits, on the way back, until the link is where it was clicked. */
export async function leaveBy(link: Locator): Promise<() => Promise<void>> {
  // The page may still move before the click.
  await link.evaluate((element: Element) =>
    element.addEventListener('click', () => Reflect.set(window, 'topAtClick', element.getBoundingClientRect().top)),
  )
  await link.click()
  const distance = () =>
    link.evaluate<number, Element>((element) =>
      Math.abs(element.getBoundingClientRect().top - Number(Reflect.get(window, 'topAtClick'))),
    )
  return () => untilEqual(async () => Math.floor((await distance()) / 3), 0)
}

/**
 * Goes to a page and waits until it receives hints from the server, and responses from paths that end in `more`. It may
 * miss changes before that.
 */
export async function goLive(page: Page, url: string, ...more: readonly string[]): Promise<void> {
  const answered = ['/me/events', ...more].map((end) =>
    page.waitForResponse((response) => response.url().endsWith(end)),
  )
  await page.goto(url)
  await Promise.all(answered)
}

/** Follows a link and goes back. Expects the link at the same position, with the focus. */
export async function expectSamePlaceAfter(page: Page, name: RegExp): Promise<void> {
  const link = page.getByRole('link', { name })
  await link.scrollIntoViewIfNeeded()
  const placed = await leaveBy(link)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.goBack()
  await page.locator('a:focus', { hasText: name }).waitFor()
  await placed()
}

/** Goes to another page of the client without reloading the client. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}
