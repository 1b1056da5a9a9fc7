import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { startTestApp } from '../support/app.ts'
import { type Answer, clientOf, cookieOf, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const PAGES = ['/', '/activate', '/reset-password', '/password', '/login', '/login?error=sso_failed'] as const
/** Those whose script sends the token of the link. */
const TOKEN_PAGES = [
  ['/activate', '/api/2/activate'],
  ['/reset-password', '/api/2/password-reset/confirm'],
] as const

const PROVIDER = {
  base_url: 'https://pods.example',
  oidc_issuer: 'https://id.harbour.example',
  oidc_client_id: 'podstep',
  oidc_name: 'Harbour <ID>',
}

const open = (path: string, settings: Record<string, string> = {}) => clientOf(startTestApp({ settings })).get(path)

/** The sources each directive of the policy lets through. */
function policyOf({ headers }: Answer): Map<string, readonly string[]> {
  const policy = headers.get('content-security-policy') ?? ''
  return new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What stands inside the elements of this name. */
const contents = (html: string, element: string) =>
  [...html.matchAll(new RegExp(`<${element}(?: [^>]*)?>([\\s\\S]*?)</${element}>`, 'g'))].map(([, text = '']) => text)

describe.each(PAGES)('GET %s', (path) => {
  test('is a page that nobody keeps, and that tells no other site where one comes from', async () => {
    const answer = await open(path)
    expect(answer.status).toBe(200)
    expect(answer.text).toStartWith('<!doctype html>\n<html lang="en">')
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.any(String),
    })
  })

  test('runs and loads nothing but its own style and script', async () => {
    const answer = await open(path)
    const policy = policyOf(answer)
    const [styles, scripts] = [contents(answer.text, 'style'), contents(answer.text, 'script')]
    expect(styles).toHaveLength(1)
    expect(policy.get('style-src')).toEqual(styles.map(hashOf))
    expect(policy.get('script-src') ?? []).toEqual(scripts.map(hashOf))
    expect(policy.get('connect-src') ?? []).toEqual(scripts.length > 0 ? ["'self'"] : [])
    for (const directive of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect([directive, policy.get(directive)]).toEqual([directive, ["'none'"]])
    // Neither hash covers attributes, and what comes from elsewhere would be refused.
    expect(answer.text).not.toMatch(/ style=| on\w+=| src=|<link|<base|<iframe|javascript:/)
  })

  test('is the same for HEAD, without its text', async () => {
    const client = clientOf(startTestApp())
    const [page, head] = [await client.get(path), await client.call('HEAD', path)]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'))
  })

  test('is not written to', async () => {
    const client = clientOf(startTestApp())
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await client.call(method, path)
      expectRefusal(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('allow')).toBe('GET, HEAD')
    }
  })

  test('is there under a sub-path, and links to nothing outside of it', async () => {
    const client = clientOf(startTestApp({ settings: { base_url: 'https://home.example/podcasts' } }))
    const answer = await client.get(`/podcasts${path}`)
    expect(answer.status).toBe(200)
    const links = [...answer.text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
    for (const href of links) {
      expect(href).toStartWith('/podcasts/')
      expect(await client.get(href)).toMatchObject({ status: 200 })
    }
    expectRefusal(await client.get(path), 404, 'not_found')
  })
})

describe.each(TOKEN_PAGES)('the page at %s', (path, endpoint) => {
  test.each([
    ['', path],
    ['/podcasts', `/podcasts${path}`],
    ['', `${path}/`],
    ['/podcasts', `/podcasts${path}/`],
  ])('below "%s" sends the token where it belongs: %s', async (base, address) => {
    const client = clientOf(startTestApp({ settings: { base_url: `https://home.example${base}` } }))
    const { text } = await client.get(address)
    const [, target = ''] = /data-post="([^"]*)"/.exec(text) ?? []
    const { origin, pathname } = new URL(target, `https://home.example${address}#token=x`)
    expect([origin, pathname]).toEqual(['https://home.example', base + endpoint])
    expectRefusal(await client.post(pathname, { token: 'x', new_password: 'seagrass' }), 400, 'invalid_token', 'token')
  })

  test('says nothing of the token: it never reaches the server', async () => {
    const plain = await open(path)
    const answer = await open(`${path}?token=canary"><script>alert(1)</script>`)
    expect(answer.text).toBe(plain.text)
    // Taken from behind the # and out of the address bar; sent on a click only.
    const [script = ''] = contents(plain.text, 'script')
    expect(script).toContain('location.hash')
    expect(script).toContain('history.replaceState')
    expect(script.indexOf('fetch(')).toBeGreaterThan(0)
  })

  test('asks those without JavaScript to switch it on', async () => {
    expect(contents((await open(path)).text, 'noscript')).toEqual(['<p>This page needs JavaScript.</p>'])
  })
})

describe('GET /login', () => {
  const words = 'sso_state sso_denied sso_failed sso_unavailable account_inactive account_pending registration_closed'
  const WORDS = [...words.split(' '), 'email_taken', 'identity_taken']

  const problem = ({ text }: Answer) => /<p class="error" role="alert">([^<]*)<\/p>/.exec(text)?.[1]

  test.each(WORDS)('explains %s in words of its own', async (word) => {
    const explanation = problem(await open(`/login?error=${word}`))
    expect(explanation).toMatch(/^[A-Z].{30,}\.$/)
    const others = await Promise.all(
      WORDS.filter((other) => other !== word).map((other) => open(`/login?error=${other}`)),
    )
    expect(others.map(problem)).not.toContain(explanation)
  })

  test('has no explanation where nothing went wrong', async () => {
    expect(problem(await open('/login'))).toBeUndefined()
    expect(contents((await open('/login')).text, 'h1')).toEqual(['Sign in'])
    expect(contents((await open('/login?error=sso_failed')).text, 'h1')).toEqual(['Not signed in'])
  })

  test.each([
    'unheard_of',
    '',
    'SSO_FAILED',
    'sso_failed ',
    'constructor',
    '__proto__',
    'toString',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '%00',
    '\ud83d',
    'call +1 555 0100 to unlock your account',
    'x'.repeat(5000),
  ])('has one answer to every other word, and never repeats it: %s', async (word) => {
    const answer = await open(`/login?error=${encodeURIComponent(word.toWellFormed())}`)
    expect(answer.status).toBe(200)
    expect(problem(answer)).toBe('Signing in did not work. Try again.')
    expect(answer.text).toBe((await open('/login?error=unknown')).text)
  })

  test.each(['?error=%', '?error=%C3%28', '?error', '?error=a&error=sso_failed', '?error[]=x', '?&=&'])(
    'bears a query like %s',
    async (query) => {
      expect(await open(`/login${query}`)).toMatchObject({ status: 200 })
    },
  )

  test('has a button for the provider where there is one, by its name', async () => {
    expect((await open('/login')).text).not.toContain('/auth/sso/login')
    const { text } = await open('/login', PROVIDER)
    expect(text).toContain('<a class="button" href="/auth/sso/login">Harbour &lt;ID&gt;</a>')
    const below = { ...PROVIDER, base_url: 'https://home.example/podcasts' }
    expect((await open('/podcasts/login', below)).text).toContain('href="/podcasts/auth/sso/login"')
  })
})

describe('GET /', () => {
  async function signIn(name = 'Ida') {
    const app = startTestApp()
    const ida = await signUp(app, name)
    return { app, ida, browser: clientOf(app, cookieOf(await ida.post(`/api/2/auth/${name}/login.json`))) }
  }

  test('tells who is signed in by cookie, and nobody else', async () => {
    const { app, browser } = await signIn()
    expect((await browser.get('/')).text).toContain('You are signed in as <strong>Ida</strong>.')
    const stale = clientOf(app, { cookie: `sessionid=${'A'.repeat(43)}` })
    for (const client of [clientOf(app), stale]) expect((await client.get('/')).text).not.toContain('signed in as')
  })

  test('asks for no password, and looks at none', async () => {
    const { app } = await signIn()
    const answer = await clientOf(app, { authorization: `Basic ${btoa('ida:wrong')}` }).get('/')
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([200, null])
  })

  test('does not say "signed in" to somebody who was deactivated', async () => {
    const { app, browser } = await signIn()
    app.db.run(`UPDATE users SET state = 'inactive'`)
    expect((await browser.get('/')).text).not.toContain('signed in as')
  })

  test('renews the cookie whenever it renews the session, or the browser would forget it too early', async () => {
    const { app, browser } = await signIn()
    app.clock.advance(16 * 86_400)
    const answers = [await browser.get('/')]
    await app.idle()
    answers.push(await browser.get('/api/2/me'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers.some(({ headers }) => headers.has('set-cookie'))).toBe(true)
  })
})
