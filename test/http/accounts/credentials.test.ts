import { describe, expect, test } from 'bun:test'
import { parseBasic, sessionTokens } from '../../../src/http/credentials.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { countingHasher, sessionCount } from '../accounts.ts'
import { expectError } from '../error.ts'

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

describe('a Basic header', () => {
  test.each([
    ['as specified', 'Basic aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with the scheme in mixed case', 'bASIC aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with several spaces', 'Basic   aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['without padding', 'Basic aWRhOnNlYQ', 'ida', 'sea'],
    ['in the URL-safe alphabet', 'Basic aTo_Pz4-fn4', 'i', '??>>~~'],
    ['with colons in the password', `Basic ${encode('ida:a:b:')}`, 'ida', 'a:b:'],
    ['with only a colon', `Basic ${encode(':')}`, '', ''],
    ['with spaces, which it keeps', `Basic ${encode(' ida : sea ')}`, ' ida ', ' sea '],
    ['in UTF-8', `Basic ${encode('ida:grün🌊')}`, 'ida', 'grün🌊'],
    ['in Latin-1', `Basic ${encode(Buffer.from('idä:grün', 'latin1'))}`, 'idä', 'grün'],
    ['with a NUL', `Basic ${encode('ida:a\u0000b')}`, 'ida', 'a\u0000b'],
  ])('%s is parsed', (_case, header, username, password) => {
    expect(parseBasic(header)).toEqual({ username, password })
  })

  test.each([
    ['nothing after the scheme', 'Basic'],
    ['no colon', `Basic ${encode('idaseaglass')}`],
    ['an invalid character', 'Basic aWRh!nNlYWdsYXNz'],
    ['padding in the middle', 'Basic aWRhOg==c2Vh'],
    ['too much padding', 'Basic aWRhOnNlYQ==='],
    ['two headers in one', 'Basic aWRhOnNlYWdsYXNz, Basic aWRhOnNlYWdsYXNz'],
  ])('with %s is malformed', (_case, header) => {
    expect(() => parseBasic(header)).toThrow(
      expect.objectContaining({ code: 'validation_failed', field: 'Authorization' }),
    )
  })

  test.each([null, '', 'Bearer aWRhOnNlYWdsYXNz', 'BasicaWRhOnNlYWdsYXNz', 'xBasic aWRh'])(
    'does not include %p',
    (header) => {
      expect(parseBasic(header)).toBeUndefined()
    },
  )
})

const ME = '/api/2/me'
const a = 'a'.repeat(43)
const b = '_-'.repeat(21).padEnd(43, 'b')

test.each([
  ['two tokens, in order', `sessionid=${b}; sessionid=${a}`, [b, a]],
  ['a token among other cookies', `theme=dark;sessionid=${a};x=y`, [a]],
  ['a token with many spaces', ` sessionid = ${a} `, [a]],
  ['none in an empty one', '', []],
  ['none under other names', `xsessionid=${a}; sessionid2=${a}; session=${a}; SessionId=${a}; x=sessionid=${a}`, []],
  ['none of another length', `sessionid=${a}a; sessionid=${a.slice(1)}; sessionid=; sessionid`, []],
  ['none with invalid characters', `sessionid=${a.slice(1)}+`, []],
])('session tokens in a Cookie header: %s', (_case, header, tokens) => {
  expect(sessionTokens(header)).toEqual(tokens)
})

test('at most five session tokens are read; cookies of other programs do not count', () => {
  const foreign = Array.from({ length: 9 }, (_, n) => `sessionid=django${n}`)
  const ours = Array.from({ length: 7 }, (_, n) => String(n).repeat(43))
  const header = [...foreign, ...ours.map((token) => `sessionid=${token}`)].join('; ')
  expect(sessionTokens(header)).toEqual(ours.slice(0, 5))
})

async function open() {
  const app = startTestApp()
  await signUp(app)
  await signUp(app, 'ole', 'driftwood')
  return { app, anyone: clientOf(app) }
}

test('a malformed Basic header is 400, even with a valid cookie', async () => {
  const { app } = await open()
  const ida = await signIn(app)
  const answer = await ida.get(ME, { headers: { authorization: 'Basic !!!' } })
  expectError(answer, 400, 'validation_failed', 'Authorization')
  expect(answer.headers.get('www-authenticate')).toBeNull()
})

test('a password takes precedence over the cookie of another user, and keeps that of its own user', async () => {
  const { app } = await open()
  const ole = await signIn(app, 'ole', 'driftwood')
  const answer = await ole.get(ME, { headers: basic('ida', 'seaglass') })
  expect(answer).toMatchObject({ status: 200, json: { username: 'ida' } })
  const ida = clientOf(app, { ...cookieOf(answer), ...basic('ida', 'seaglass') })
  const again = await ida.get(ME)
  expect([again.status, again.headers.get('set-cookie'), await sessionCount(app)]).toEqual([200, null, 1])
  expect(await clientOf(app, cookieOf(answer)).get(ME)).toMatchObject({ json: { username: 'ida' } })
})

test.each([
  ['a Bearer token, as an app password', 'bearer  x', 'invalid_credentials'],
  ['an unsupported scheme', 'Digest username="ida"', 'unauthorized'],
  ['a malformed scheme', 'Bearerx', 'unauthorized'],
])('%s is refused; with a valid cookie only Bearer is', async (_case, authorization, code) => {
  const { app, anyone } = await open()
  expectError(await anyone.get(ME, { headers: { authorization } }), 401, code)
  const { status } = await (await signIn(app)).get(ME, { headers: { authorization } })
  expect(status).toBe(code === 'unauthorized' ? 200 : 401)
})

/** `client` sends ole's password with every request and keeps no cookies, like Clementine and scripts. */
async function openCounted() {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ hasher })
  // The cache treats time zero as no expiry.
  app.clock.advance(1)
  await signUp(app)
  const client = await signUp(app, 'ole', 'driftwood')
  return { app, client, verified }
}

const tokenOf = ({ headers }: Answer) => /sessionid=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]

test('requests with the same password share one hash, and each app at each address has one session', async () => {
  const { app, client, verified } = await openCounted()
  const read = (agent: string) => client.get(ME, { headers: { 'user-agent': agent } })
  const tokens: (string | undefined)[] = []
  const atOnce = await Promise.all(Array.from({ length: 9 }, () => read('Clementine')))
  expect([new Set(atOnce.map(({ status }) => status)), verified()]).toEqual([new Set([200]), 1])
  expect(await sessionCount(app, 'ole')).toBe(1)
  for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Clementine')), tokenOf(await read('Kasts/24')))
  app.setPeer('198.51.100.7')
  for (let n = 0; n < 3; n++) tokens.push(tokenOf(await read('Kasts/24')))
  expect([new Set(tokens).size, verified(), await sessionCount(app, 'ole')]).toEqual([3, 1, 3])
})

test('a remembered password starts a new session without a hash when the last one has ended', async () => {
  const { app, client, verified } = await openCounted()
  const first = await client.get(ME)
  await clientOf(app, cookieOf(first)).post('/api/2/auth/ole/logout.json')
  const second = await client.get(ME)
  expect(tokenOf(second)).not.toBe(tokenOf(first))
  expect(await clientOf(app, cookieOf(second)).get(ME)).toMatchObject({ status: 200 })
  expect([verified(), await sessionCount(app, 'ole')]).toEqual([1, 1])
})
