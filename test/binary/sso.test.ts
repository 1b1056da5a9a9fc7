import { expect, test } from 'bun:test'
import { openBrowser, signInAs } from '../support/browser.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

test('the executable signs people in at a provider, and out again', async () => {
  await using provider = await startOidcProvider()
  using folder = emptyFolder()
  const env = Object.fromEntries(
    Object.entries(provider.settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, String(value)]),
  )
  await using server = await startServer({ cwd: folder.path, env })
  // The browser knows the server by its public name, which leads to no other machine.
  const browser = openBrowser({
    fetch(request) {
      const { pathname, search, host } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('host', host)
      const { method, body } = request
      return fetch(`http://127.0.0.1:${server.port}${pathname}${search}`, { method, headers, body, redirect: 'manual' })
    },
  })
  const page = await signInAs(browser, 'ida')
  expect(page.status).toBe(200)
  expect((await browser.visit('/api/2/me')).json).toMatchObject({ username: 'ida', is_admin: true })
  const origin = new URL(String(provider.settings['base_url'])).origin
  const out = await browser.visit('/auth/sso/logout', { form: {}, headers: { origin } })
  expect(out.hops.map(({ status }) => status).slice(0, 1)).toEqual([303])
  expect((await browser.visit('/api/2/me')).status).toBe(401)
  expect(await server.logged('signed in by single sign-on')).toMatchObject({ user: 'ida' })
})
