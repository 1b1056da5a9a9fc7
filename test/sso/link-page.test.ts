import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { BASE_URL, openBrowser } from '../support/browser.ts'
import { startLyingProvider } from '../support/lying-provider.ts'
import { open } from './sign-ins.ts'

const LINK = '/auth/sso/login?link=1'
/** It does not say whose page it comes from. */
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

async function linkPage(name: string, path = LINK) {
  await using provider = startLyingProvider()
  const { app } = open(provider, { oidc_name: name })
  return openBrowser(app).visit(path, { headers })
}

test('the page that asks before a link is one that nobody keeps and nobody puts into a frame', async () => {
  const page = await linkPage('Harbour ID')
  expect(page.text).toStartWith('<!doctype html>\n<html lang="en">')
  expect(Object.fromEntries(page.headers)).toEqual({
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    // Its form says where it comes from, but to nobody else.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  })
})

test('it runs nothing, and loads nothing but its own style', async () => {
  const { text, headers: answered } = await linkPage('Harbour ID')
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(answered.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
  )
  // The hash does not cover attributes, and what comes from elsewhere would be refused.
  expect(text).not.toMatch(/<script| style=| on\w+=| src=|<link|<base|<iframe|javascript:/)
})

test('it names the provider as text, and leads back to the account below the sub-path', async () => {
  const { text } = await linkPage('Harbour <ID>', `${LINK}&return_to=/account`)
  expect(text).toContain('Go on to Harbour &lt;ID&gt;</button>')
  expect(text).toContain('action="/podcasts/auth/sso/link?return_to=%2Faccount"')
  expect(text.match(/href="[^"]*"/g)).toEqual([`href="${new URL(BASE_URL).pathname}/account"`])
})
