import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { docsPage } from '../../src/http/openapi/docs/page.ts'
import type { ApiDocument } from '../../src/http/openapi/document-types.ts'
import { COLORS } from '../../src/http/responses/brand.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf } from '../support/client.ts'
import { operationsOf } from '../support/openapi.ts'
import { contrast } from './contrast.ts'

const app = startTestApp()
const client = clientOf(app)
const page = await client.get('/docs')
const operations = operationsOf((await client.get('/openapi.json')).json)

/** Every value of an attribute, in order. */
function values(html: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

describe('GET /docs', () => {
  test('is an HTML page that needs no sign-in and that browsers may keep for a while', () => {
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('public, max-age=300')
    expect(page.text).toStartWith('<!doctype html>\n<html lang="en">')
  })

  test('lets the browser load nothing, run nothing and use no style but its own', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(style.length).toBeGreaterThan(1000)
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('has a target for every link within it, and no target twice', () => {
    const ids = values(page.text, 'id')
    expect(new Set(ids).size).toBe(ids.length)
    const missing = values(page.text, 'href').filter((link) => link.startsWith('#') && !ids.includes(link.slice(1)))
    expect(missing).toEqual([])
  })

  test.each(operations)('shows $name and leads to it from the contents', ({ operation, method }) => {
    const id = String(operation['operationId'])
    expect(page.text).toContain(`<a href="#${id}">`)
    const block = page.text.split('<details').find((part) => part.includes(` id="${id}"`)) ?? ''
    expect(block).toContain(`<span class="badge ${method}">${method.toUpperCase()}</span>`)
    expect(block).toContain('curl ')
    for (const status of Object.keys(Object(operation['responses'])))
      expect([status, block]).toEqual([status, expect.stringContaining(`<strong class="status">${status}</strong>`)])
  })

  test('explains how to sign in and what every error word means', () => {
    expect(page.text).toContain('curl -u ida -c cookies.txt -X POST https://pods.example/api/2/auth/ida/login.json')
    expect(page.text).toContain('<code>validation_failed</code>')
    expect(page.text).toContain('<code>rate_limited</code>')
  })
})

describe('GET /docs under a sub-path', () => {
  test('is there, and its examples name the sub-path, but for the health checks', async () => {
    const inner = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
    const { status, text } = await inner.get('/podcasts/docs')
    expect(status).toBe(200)
    expect(text).toContain('https://pods.example/podcasts/api/2/devices/ida.json')
    expect(text).toContain('curl https://pods.example/healthz<')
    expect(text).toContain('<a href="/podcasts/openapi.json">')
    expect((await inner.get('/docs')).status).toBe(404)
  })
})

describe('the page', () => {
  test('escapes whatever the description says', () => {
    const nasty = '<script>alert("1")</script> & \'`<b>`'
    const { html } = docsPage(documentOf(nasty))
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<b>')
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &apos;<code>&lt;b&gt;</code>')
  })

  const text = ['ink', 'muted', 'accent'] as const
  const grounds = ['ground', 'surface', 'sunken'] as const
  const badges = ['get', 'post', 'put', 'delete'] as const
  const pairs = [
    ...text.flatMap((one) => grounds.map((other) => [one, other] as const)),
    ...badges.map((method) => [method, `${method}Soft`] as const),
    ['accent', 'accentSoft'] as const,
  ]

  test.each(pairs)('is legible: %s on %s keeps the contrast of WCAG AA, light and dark', (one, other) => {
    for (const shade of [0, 1] as const) expect(contrast(COLORS[one][shade], COLORS[other][shade])).toBeGreaterThan(4.5)
  })
})

function documentOf(text: string): ApiDocument {
  const answer = {
    description: text,
    content: { 'application/json': { schema: { type: text }, example: { [text]: text } } },
  }
  return {
    openapi: '3.1.0',
    info: { title: text, version: text, description: text, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [{ name: text, description: text }],
    paths: {
      [`/${text}`]: {
        get: {
          operationId: text,
          tags: [text],
          summary: text,
          description: text,
          parameters: [{ name: text, in: 'query', required: false, description: text, schema: { enum: [text] } }],
          responses: { 200: answer, 400: answer },
        },
      },
    },
    components: {
      schemas: { Error: { description: text, properties: { [text]: { description: text } } } },
      responses: {},
      securitySchemes: {},
    },
  }
}
