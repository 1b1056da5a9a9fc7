import { expect } from 'bun:test'
import type { BrowserContext, Locator, Page } from 'playwright-core'

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
  await page.evaluate(`new Promise((resolve) => {
    const look = async () => ((await (${condition})) ? resolve() : setTimeout(look, 50))
    void look()
  })`)
}

/** Goes to another page of the client without reloading the client. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/** How far an element is below the top of the window, in pixels. */
export const topOf = (element: Locator): Promise<number> =>
  element.evaluate<number, Element>((node) => node.getBoundingClientRect().top)

/** Opens the page of a link and comes back, where the link has to be at the same place and have the focus. */
export async function expectSamePlaceAfter(page: Page, name: RegExp): Promise<void> {
  const link = page.getByRole('link', { name })
  await link.scrollIntoViewIfNeeded()
  const before = await topOf(link)
  await link.click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.goBack()
  await page.locator('a:focus', { hasText: name }).waitFor()
  expect(Math.abs((await topOf(link)) - before)).toBeLessThanOrEqual(2)
}
