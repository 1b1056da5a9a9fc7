import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Rules for screen readers beyond WCAG: unique or named landmarks, and headings in order. */
const BEYOND = [
  ...['landmark-one-main', 'landmark-no-duplicate-main', 'landmark-main-is-top-level', 'landmark-unique'],
  ...['landmark-no-duplicate-banner', 'landmark-banner-is-top-level', 'landmark-no-duplicate-contentinfo'],
  ...['landmark-contentinfo-is-top-level', 'page-has-heading-one', 'heading-order'],
]

const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  rules: Object.fromEntries(BEYOND.map((rule) => [rule, { enabled: true }])),
  resultTypes: ['violations'],
  // Would fetch the style sheets again, which none of these rules needs.
  preload: false,
}

interface AxeResults {
  readonly violations: readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[]
}

/** The other theme can only fail the contrast rule. */
const CONTRAST = { ...OPTIONS, runOnly: { type: 'rule', values: ['color-contrast'] }, rules: {} }

/** Violations of WCAG 2.2 A and AA, landmark and heading rules that axe-core finds on the page as it is. */
export function violationsOn(page: Page): Promise<readonly string[]> {
  return run(page, 'html', OPTIONS)
}

/** A phone and a laptop, in CSS pixels: the shell of the client has one layout up to 64rem, and another one beyond. */
const WIDTHS = [360, 1280]

/** Like `violationsOn`, but in elements that match `part`, in both themes, and at the widths of a phone and a laptop. */
export async function violationsInAllLooks(page: Page, part: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const light = await run(page, part, OPTIONS)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await run(page, part, CONTRAST)
    await page.emulateMedia({ colorScheme: 'light' })
    found.push(...[...light, ...dark.map((each) => `dark: ${each}`)].map((each) => `at ${width}: ${each}`))
  }
  return found
}

async function run(page: Page, part: string, options: object): Promise<readonly string[]> {
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
  )
}
