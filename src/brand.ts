/**
 * Colours, fonts and mark of all pages. Each colour has a light and a dark value. A test checks that text has the
 * contrast of WCAG AA in both.
 */

type Shades = readonly [light: string, dark: string]

export const COLORS = {
  /** Backgrounds: the page, warm like paper, then raised and sunken surfaces. */
  ground: ['#fbfaf6', '#12191b'],
  surface: ['#ffffff', '#192224'],
  sunken: ['#f3f1e9', '#0c1214'],
  line: ['#e1ddd0', '#2c383b'],
  ink: ['#1b2527', '#e7ebe8'],
  muted: ['#566164', '#a3b0ae'],
  /** Spruce: links, focus, the staircase of the mark. */
  accent: ['#0b6a63', '#68d0c1'],
  accentSoft: ['#e0efec', '#14302e'],
  /** Apricot: the ball of the mark. Never used for text. */
  warm: ['#d4661a', '#f2a65a'],
  get: ['#0b6a63', '#68d0c1'],
  getSoft: ['#e0efec', '#14302e'],
  post: ['#4a4ea3', '#b0b5f7'],
  postSoft: ['#e9e9f7', '#25284a'],
  put: ['#835000', '#eebd6b'],
  putSoft: ['#f8ecd5', '#3a2c12'],
  delete: ['#a3323a', '#f3a19d'],
  deleteSoft: ['#f9e5e3', '#421f20'],
} as const satisfies Record<string, Shades>

/** System fonts, so that nothing is downloaded. */
export const FONTS = {
  text: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  code: 'ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "Noto Sans Mono", Menlo, Consolas, monospace',
} as const

/** Returns the colours and fonts as custom properties: `--ground`, `--accent-soft`, `--font-code`. */
export function brandCss(): string {
  const colors = Object.entries(COLORS).map(([name, [light, dark]]) => `--${kebab(name)}:light-dark(${light},${dark});`)
  const fonts = Object.entries(FONTS).map(([name, family]) => `--font-${name}:${family};`)
  return `:root{color-scheme:light dark;${[...colors, ...fonts].join('')}}`
}

/** A ball climbing a staircase, as a playback position. Coloured by `MARK_CSS`. */
export const MARK_SVG =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">' +
  '<path class="mark-stair" d="M2.5 20.5H9V14h6.5V7.5H22" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>' +
  '<circle class="mark-ball" cx="5.4" cy="11.8" r="2.8"/></svg>'

export const MARK_CSS = '.mark-stair{stroke:var(--accent)}.mark-ball{fill:var(--warm)}'

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
