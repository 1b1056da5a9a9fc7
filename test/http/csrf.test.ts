import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'

const FOREIGN = 'https://evil.example'

/** A browser that is signed in, on a server reached as `host`. */
async function open({ settings = {}, host = 'pods.example' } = {}) {
  const app = startTestApp({ settings })
  const base = 'base_url' in settings ? new URL(String(settings.base_url)).pathname.replace(/\/$/, '') : ''
  await app.services.administration.create({ username: 'ida', password: 'seaglass', email: '' }, false, COMMAND_LINE)
  const withPassword = clientOf(app, { host, ...basic('ida', 'seaglass') })
  await withPassword.post(`${base}/api/2/subscriptions/ida/phone.json`, { add: [] })
  await withPassword.post(`${base}/api/2/devices/ida/desk.json`, {})
  const login = await withPassword.post(`${base}/api/2/auth/ida/login.json`)
  return { app, base, withPassword, browser: clientOf(app, { host, ...cookieOf(login) }) }
}

describe('a request by cookie from a page of another site', () => {
  test.each(['login', 'logout'])('can neither test nor end the session by %s', async (call) => {
    const { browser } = await open()
    const answer = await browser.post(`/api/2/auth/ida/${call}.json`, undefined, { headers: { origin: FOREIGN } })
    expectRefusal(answer, 403, 'csrf_rejected')
    expect(await browser.get('/api/2/me')).toMatchObject({ status: 200 })
  })

  test('is not helped by a sloppy address', async () => {
    const { browser } = await open()
    const answer = await browser.post('//api/2//devices/ida/x.json/', {}, { headers: { origin: FOREIGN } })
    expectRefusal(answer, 403, 'csrf_rejected')
  })
})

/** Whether a change by cookie passes with this `Origin`. */
async function passes(server: Awaited<ReturnType<typeof open>>, origin: string | undefined): Promise<boolean> {
  const headers = origin === undefined ? {} : { origin }
  const answer = await server.browser.post(`${server.base}/api/2/devices/ida/x.json`, {}, { headers })
  if (answer.status !== 200) expectRefusal(answer, 403, 'csrf_rejected')
  return answer.status === 200
}

describe('without base_url the own origin is the request’s host', () => {
  test.each([
    ['pods.example', undefined, true],
    ['pods.example', 'http://pods.example', true],
    ['pods.example', 'https://pods.example', true],
    ['PODS.example', 'https://pods.example', true],
    ['pods.example:443', 'https://pods.example', true],
    ['pods.example:80', 'http://pods.example', true],
    ['pods.example:8080', 'http://pods.example:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['192.168.1.5', 'http://192.168.1.5', true],
    ['pods.example:8080', 'http://pods.example:9090', false],
    ['pods.example:8080', 'http://pods.example', false],
    ['pods.example', 'https://pods.example:8443', false],
    ['pods.example', 'https://pods.example.evil.example', false],
    ['pods.example', 'https://evil-pods.example', false],
    ['pods.example', 'https://sub.pods.example', false],
    ['pods.example', 'null', false],
    ['pods.example', '', false],
    ['pods.example', 'pods.example', false],
  ] as const)('on %s a page of %p: %p', async (host, origin, expected) => {
    expect(await passes(await open({ host }), origin)).toBe(expected)
  })

  test('and X-Forwarded-Host says nothing unless a trusted proxy sends it', async () => {
    for (const [trusted, expected] of [
      ['198.51.100.1', false],
      ['192.0.2.1', true],
    ] as const) {
      const { browser } = await open({ host: 'inside:8080', settings: { trusted_proxies: trusted } })
      const headers = { origin: 'https://pods.example', 'x-forwarded-host': 'pods.example' }
      const { status } = await browser.post('/api/2/devices/ida/x.json', {}, { headers })
      expect(status === 200).toBe(expected)
    }
  })
})

describe('with base_url the own origin is its own, whatever the request’s host', () => {
  const settings = { base_url: 'https://home.example/podcasts' }

  test.each([
    [undefined, true],
    ['https://home.example', true],
    ['http://home.example', false],
    ['https://home.example:8443', false],
    ['https://inside.example', false],
    ['null', false],
  ] as const)('a page of %p: %p', async (origin, expected) => {
    expect(await passes(await open({ settings, host: 'inside.example' }), origin)).toBe(expected)
  })
})
