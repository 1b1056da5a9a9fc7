import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What WCAG leaves open and screen readers go by: one of each landmark, names where there are more, headings in order. */
const BEYOND = [
  ...['landmark-one-main', 'landmark-no-duplicate-main', 'landmark-main-is-top-level', 'landmark-unique'],
  ...['landmark-no-duplicate-banner', 'landmark-banner-is-top-level', 'landmark-no-duplicate-contentinfo'],
  ...['landmark-contentinfo-is-top-level', 'page-has-heading-one', 'heading-order'],
]

const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  rules: Object.fromEntries(BEYOND.map((rule) => [rule, { enabled: true }])),
  resultTypes: ['violations'],
  // Would fetch the style sheets once more; the rules that need it are none of these.
  preload: false,
}

interface AxeResults {
  readonly violations: readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[]
}

/** The contrast of colours is all that the other theme can do wrong. */
const CONTRAST = { ...OPTIONS, runOnly: { type: 'rule', values: ['color-contrast'] }, rules: {} }

/**
 * Violations of WCAG 2.2 A and AA that axe-core finds on the page as it stands, in both themes, and bad landmarks and
 * headings.
 */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  const found = await run(page, OPTIONS)
  const isDark = await page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: dark)').matches`)
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' })
  const other = await run(page, CONTRAST)
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
  return [...found, ...other.map((violation) => `in the other theme: ${violation}`)]
}

/** The widths of a phone, a tablet, a laptop and a large screen, in CSS pixels. */
export const WIDTHS = [360, 768, 1280, 1920]

/** As `violationsOn`, at all widths, for what only a story opens. The window has its size again afterwards. */
export async function violationsAtAllWidths(page: Page): Promise<readonly string[]> {
  const size = page.viewportSize()
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await violationsOn(page)).map((violation) => `at ${width}: ${violation}`))
  }
  if (size) await page.setViewportSize(size)
  return found
}

async function run(page: Page, options: object): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
  )
}
