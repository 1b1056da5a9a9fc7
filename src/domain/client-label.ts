/** Characters of a label; real ones are far shorter. */
const LABEL_MAX = 60
/** Of a User-Agent, from the start: whatever tells clients apart is there. */
const READ_MAX = 500

/** Most of them claim to be others as well, so the order counts. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * What to call a client, by its User-Agent: `AntennaPod`, `Firefox on Android`. Undefined where that says nothing. No version and no model: it
 * is for telling the own sessions apart, and nothing to follow anybody by.
 */
export function clientLabel(userAgent: string): string | undefined {
  const text = userAgent.slice(0, READ_MAX)
  const browser = text.startsWith('Mozilla/') ? nameIn(BROWSERS, text) : undefined
  return browser === undefined ? appIn(text) : [browser, nameIn(SYSTEMS, text)].filter(Boolean).join(' on ')
}

function nameIn(names: typeof BROWSERS, text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1]
}

/** The first product, without its version; nothing that could draw on a page or a terminal. */
function appIn(text: string): string | undefined {
  const product = /^[^/(]*/.exec(text)?.[0] ?? ''
  const plain = product.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim()
  return Array.from(plain).slice(0, LABEL_MAX).join('').trim() || undefined
}
