import { describe, expect, spyOn, test } from 'bun:test'
import { openBrowser } from '../support/browser.ts'
import { type Lies, startLyingProvider } from '../support/lying-provider.ts'
import { expectFailed, expectSignedIn, open } from './sign-ins.ts'

type Json = Readonly<Record<string, unknown>>

const DISCOVERY = '/.well-known/openid-configuration'
const adding = (more: Json) => (truth: Json) => ({ ...truth, ...more })
const without = (key: string) => (truth: Json) =>
  Object.fromEntries(Object.entries(truth).filter(([each]) => each !== key))
const page = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })

describe('no provider is there', () => {
  test.each<[string, Lies['discovery'], RegExp]>([
    ['is of another issuer', adding({ issuer: 'https://evil.example' }), /calls itself "https:\/\/evil.example"/],
    ['is of an issuer below', (truth) => ({ ...truth, issuer: `${String(truth['issuer'])}/realm` }), /calls itself/],
    ['is of no issuer', without('issuer'), /calls itself/],
    ['has a number for an issuer', adding({ issuer: 1 }), /calls itself/],
    ['is not there', () => new Response(null, { status: 404 }), /404/],
    ['fails', () => Response.json({}, { status: 500 }), /500/],
    ['leads elsewhere', () => Response.redirect('https://evil.example/'), /302/],
    ['is a page', page, /./],
    ['is a list', () => Response.json([]), /calls itself/],
    ['is nothing', () => new Response('null', { headers: { 'content-type': 'application/json' } }), /calls itself/],
    ['names no page to sign in', without('authorization_endpoint'), /no authorization endpoint/],
    ['names no address where one should be', adding({ authorization_endpoint: 'here' }), /./],
  ])('when its description %s', async (_name, discovery = adding({}), cause) => {
    await using provider = startLyingProvider({ discovery })
    const { app, browser } = open(provider)
    expectFailed(await browser.visit('/auth/sso/login'), 'sso_unavailable')
    expect(app.logs.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', word: 'sso_unavailable', cause: expect.stringMatching(cause) },
    ])
    expect(browser.cookies('http://podstep.example/podcasts/auth/sso')).toBe('')
  })
})

test('a description that takes longer than five seconds is not waited for', async () => {
  const limits: (number | undefined)[] = []
  let expire = () => {}
  using _timeout = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const limit = new AbortController()
    expire = () => limit.abort(new DOMException('too late', 'TimeoutError'))
    limits.push(ms)
    return limit.signal
  })
  const late = () => {
    expire()
    return new Promise<never>(() => undefined)
  }
  await using provider = startLyingProvider({ discovery: late })
  const { app, browser } = open(provider)
  expectFailed(await browser.visit('/auth/sso/login'), 'sso_unavailable')
  expect(app.logs.join('')).toContain('takes too long')
  expect(limits).toEqual([5000])
})

test('a failure is forgotten with the next sign-in', async () => {
  await using provider = startLyingProvider({ discovery: () => new Response(null, { status: 503 }) })
  const { browser } = open(provider)
  expectFailed(await browser.visit('/auth/sso/login'), 'sso_unavailable')
  provider.lies = {}
  expectSignedIn(await browser.visit('/auth/sso/login'))
})

test('the description is asked for once in ten minutes', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  const times = () => provider.asked.filter((path) => path === DISCOVERY).length
  for (let n = 0; n < 3; n++) expectSignedIn(await openBrowser(app).visit('/auth/sso/login'))
  expect(times()).toBe(1)
  app.clock.advance(600)
  expectSignedIn(await openBrowser(app).visit('/auth/sso/login'))
  expect(times()).toBe(2)
})

test('sign-ins at once ask for it once', async () => {
  await using provider = startLyingProvider()
  const { app } = open(provider)
  const pages = await Promise.all([1, 2, 3].map(() => openBrowser(app).visit('/auth/sso/login')))
  for (const each of pages) expectSignedIn(each)
  expect(provider.asked.filter((path) => path === DISCOVERY)).toHaveLength(1)
})

test('a provider that ends no sessions is not asked to', async () => {
  await using provider = startLyingProvider()
  const { browser } = open(provider)
  await browser.visit('/auth/sso/login')
  const { url, hops } = await browser.visit('/auth/sso/logout', { form: {} })
  expect([url, hops.length]).toEqual(['http://podstep.example/podcasts/login', 2])
  expect(await browser.visit('/api/2/me')).toMatchObject({ status: 401 })
})

test('a provider whose address for that is none keeps nobody from signing out', async () => {
  await using provider = startLyingProvider({ discovery: adding({ end_session_endpoint: 'here' }) })
  const { browser } = open(provider)
  await browser.visit('/auth/sso/login')
  expect(await browser.visit('/auth/sso/logout', { form: {} })).toMatchObject({
    status: 200,
    url: 'http://podstep.example/podcasts/login',
  })
})
