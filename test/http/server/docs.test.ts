import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { COLORS } from '../../../src/brand.ts'
import { docsPage } from '../../../src/http/openapi/docs/page.ts'
import { startTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/client.ts'
import { operationsOf } from '../../support/openapi.ts'

const app = startTestApp()
const client = clientOf(app)
const page = await client.get('/docs')
const { json: openapi } = await client.get('/openapi.json')
const operations = operationsOf(openapi)

/** All values of an attribute, in order. */
function values(html: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

test('GET /docs is a public, cached page whose policy allows only its own style', () => {
  const style = /<style>([\s\S]*?)<\/style>/.exec(page.text)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page.text).toStartWith('<!doctype html>\n<html lang="en">')
  expect(style.length).toBeGreaterThan(1000)
  const csp = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  for (const [name, value] of [
    ['content-type', 'text/html; charset=utf-8'],
    ['cache-control', 'public, max-age=300'],
    ['content-security-policy', csp],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
  ] as const)
    expect([name, page.headers.get(name)]).toEqual([name, value])
})

test('GET /docs has one target for each internal link', () => {
  const ids = values(page.text, 'id')
  expect(new Set(ids).size).toBe(ids.length)
  const missing = values(page.text, 'href').filter((link) => link.startsWith('#') && !ids.includes(link.slice(1)))
  expect(missing).toEqual([])
})

test('GET /docs shows every operation and links to it from the contents', () => {
  for (const { operation, method } of operations) {
    const id = String(operation['operationId'])
    expect(page.text).toContain(`<a href="#${id}">`)
    const block = page.text.split('<details').find((part) => part.includes(` id="${id}"`)) ?? ''
    expect(block).toContain(`<span class="badge ${method}">${method.toUpperCase()}</span>`)
    expect(block).toContain('curl ')
    for (const status of Object.keys(Object(operation['responses'])))
      expect([status, block]).toEqual([status, expect.stringContaining(`<strong class="status">${status}</strong>`)])
  }
})

test('GET /docs is below the sub-path, which its examples contain except for health checks', async () => {
  const inner = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
  const { text } = await inner.get('/podcasts/docs')
  expect(text).toContain('https://pods.example/podcasts/api/2/devices/ida.json')
  expect(text).toContain('curl https://pods.example/healthz<')
  expect(text).toContain('<a href="/podcasts/openapi.json">')
  expect((await inner.get('/docs')).status).toBe(404)
})

test('GET /docs escapes all texts of the description', () => {
  const nasty = '<script>alert("1")</script> & \'`<b>`'
  const spoilt = JSON.stringify(openapi, (key, value: unknown) =>
    typeof value === 'string' && /^(?:description|summary|name|title|example)$/.test(key) ? nasty : value,
  )
  const { html } = docsPage(JSON.parse(spoilt))
  expect(html).not.toContain('<script')
  expect(html).not.toContain('<b>')
  expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &apos;<code>&lt;b&gt;</code>')
})

test('the colours of GET /docs have the contrast of WCAG AA, light and dark', () => {
  const pairs = [
    ...(['ink', 'muted', 'accent'] as const).flatMap((one) =>
      (['ground', 'surface', 'sunken'] as const).map((other) => [one, other] as const),
    ),
    ...(['get', 'post', 'put', 'delete'] as const).map((method) => [method, `${method}Soft`] as const),
    ['accent', 'accentSoft'] as const,
  ]
  for (const [one, other] of pairs)
    for (const shade of [0, 1] as const)
      expect([one, other, contrast(COLORS[one][shade], COLORS[other][shade]) > 4.5]).toEqual([one, other, true])
})

/** The contrast of two colours like `#0b6a63` by WCAG 2: from 1 to 21. */
function contrast(...colors: string[]): number {
  const [darker = 0, lighter = 0] = colors
    .map((color) => {
      const shares = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      const [red = 0, green = 0, blue = 0] = shares.map((share) =>
        share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    })
    .sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}
