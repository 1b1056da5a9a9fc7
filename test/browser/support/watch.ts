import { afterEach, beforeEach } from 'bun:test'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { eventually, PATIENCE_MS } from '../../support/eventually.ts'

export interface WatchedPage {
  readonly page: Page
  /** What no page may do, since the last call: errors, violations of the CSP, dialogs, requests to other servers. */
  complaints(): readonly string[]
}

/** Defines the functions that hostile texts call, so that a call is noticed. Violations of the CSP count as errors. */
const TRAPS = `
  for (const name of ['go', 'alert', 'confirm', 'prompt', 'print'])
    window[name] = () => console.error('a text ran a script: ' + name)
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error('reported by the policy: ' + event.violatedDirective + ' ' + event.blockedURI))
`

/** Opens a page that records what it must not do. `origin` is that of the server. */
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
 * Returns a function that registers a context or a page, to be closed at the end of the test: open pages keep asking the
 * server. Anything registered in `beforeAll` stays open for all tests.
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

/** Removes the routes first: a handler that still runs when its page is gone would fail outside of any test. */
async function close(opened: BrowserContext | Page): Promise<void> {
  const pages = 'pages' in opened ? opened.pages() : []
  await Promise.all([opened, ...pages].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
  await opened.close()
}

/** Opens another page in a browser that is there for all stories, and has the files of the client already. */
export async function openTab(
  context: BrowserContext,
  origin: string,
  closed: ReturnType<typeof closeAfterEach>,
): Promise<WatchedPage> {
  const watched = await watchedPage(context, origin)
  closed(watched.page)
  return watched
}

/** Waits until the page is complete: it has a heading, and nothing is loading or moving. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.evaluate(MOVED)
}

/** Endless animations are not waited for. */
const MOVED = `Promise.allSettled(document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
  .map((animation) => animation.finished)).then(() => undefined)`

/**
 * Waits until an expression is true in the page, or what it promises. Unlike `waitForFunction` it asks more than once
 * without an `eval` in the page, which the CSP refuses.
 */
export async function until(page: Page, condition: string): Promise<void> {
  await untilEqual(async () => [condition, Boolean(await page.evaluate(condition))], [condition, true])
}

/** Waits until an expression has a value in the page, or what it promises; rejects with what it has instead. */
export async function untilSame<T>(page: Page, expression: string, wanted: T): Promise<void> {
  await untilEqual(() => page.evaluate<T>(expression), wanted)
}

/** Waits until what is asked for again and again is equal to `wanted`; rejects with what it is instead. */
export async function untilEqual<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  await eventually(ask, (answer) => Bun.deepEquals(answer, wanted))
}

/**
 * Makes pages do nothing by themselves after more than two seconds, to be run before their own scripts: they ask the
 * server only when it or the user gives them a reason, and messages with a button stay.
 */
export const NO_POLLS = `{
  const { setTimeout } = window
  window.setTimeout = (work, ms, ...rest) => (ms > 2000 ? 0 : setTimeout(work, ms, ...rest))
}`

/** Clicks on a link. Returns what waits, on the way back, until the link is where it was at the click. */
export async function leaveBy(link: Locator): Promise<() => Promise<void>> {
  // Until the click the page may still move.
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
 * Goes to a page, and waits until the server tells it what changes, and has answered `more`: the ends of addresses.
 * What changes right before that, such a page may not learn of.
 */
export async function goLive(page: Page, url: string, ...more: readonly string[]): Promise<void> {
  const answered = ['/me/events', ...more].map((end) =>
    page.waitForResponse((response) => response.url().endsWith(end)),
  )
  await page.goto(url)
  await Promise.all(answered)
}

/** Opens the page of a link and comes back, where the link has to be at the same place and have the focus. */
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
