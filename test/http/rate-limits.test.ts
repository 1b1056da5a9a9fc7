import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'

/** Administrator ida and ole; nobody has signed in yet. */
async function open(settings: Record<string, string> = {}) {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ settings, hasher })
  app.clock.advance(1)
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  /** A request with the name and a password that is wrong, a different one each time. */
  let guesses = 0
  const guess = (name = 'ida') => clientOf(app, basic(name, `wrong ${guesses++}`)).get('/api/2/me')
  const fail = async (times: number, name = 'ida') => {
    for (let n = 0; n < times; n++) expectRefusal(await guess(name), 401, 'invalid_credentials')
  }
  return { app, ida, ole, guess, fail, verified }
}

const isServed = async (client: Client) => (await client.get('/api/2/me')).status === 200

describe('failed sign-ins', () => {
  test('are limited to ten in five minutes, then 429 without costing a hash', async () => {
    const { guess, fail, verified } = await open()
    await fail(10)
    const before = verified()
    expectRefusal(await guess(), 429, 'rate_limited')
    expect(verified()).toBe(before)
  })

  test('refuse the right password too, if it was not known to be right: or guessing would pay', async () => {
    const { ida, fail } = await open()
    await fail(10)
    expectRefusal(await ida.get('/api/2/me'), 429, 'rate_limited')
    expectRefusal(await ida.post('/api/2/auth/ida/login.json'), 429, 'rate_limited')
  })

  test('tell in Retry-After when the five minutes end, counted from the first', async () => {
    const { app, ida, guess, fail } = await open()
    await fail(1)
    app.clock.advance(100)
    await fail(9)
    const first = await guess()
    expectRefusal(first, 429, 'rate_limited')
    expect([first.headers.get('retry-after'), first.headers.get('www-authenticate')]).toEqual(['200', null])
    app.clock.advance(199)
    expect((await guess()).headers.get('retry-after')).toBe('1')
    app.clock.advance(1)
    expect(await isServed(ida)).toBe(true)
  })

  test('of names nobody has are limited alike, so that the limit does not tell who exists', async () => {
    const { guess, fail } = await open()
    await fail(10, 'nobody')
    const unknown = await guess('nobody')
    await fail(10, 'ida')
    const known = await guess('ida')
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  })

  test('do not count what is no password: missing, undecodable, stale cookies', async () => {
    const { app, ida } = await open()
    for (let n = 0; n < 15; n++) {
      await clientOf(app).get('/api/2/me')
      await clientOf(app, { authorization: 'Basic ***' }).get('/api/2/me')
      await clientOf(app, { cookie: `sessionid=${'A'.repeat(43)}` }).get('/api/2/me')
    }
    expect(await isServed(ida)).toBe(true)
  })
})

describe('one phone with an old password', () => {
  test('does not lock out clients whose password is known to be right', async () => {
    const { ida, guess, fail } = await open()
    expect(await isServed(ida)).toBe(true)
    await fail(10)
    expectRefusal(await guess(), 429, 'rate_limited')
    for (let n = 0; n < 3; n++) expect(await isServed(ida)).toBe(true)
    expect(await ida.post('/api/2/auth/ida/login.json')).toMatchObject({ status: 200 })
  })

  test('does not lock out live sessions, which do not end its own lock either', async () => {
    const { app, ida, guess, fail } = await open()
    const browser = clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
    // Long enough for the password to be forgotten.
    app.clock.advance(601)
    await fail(10)
    expect(await isServed(browser)).toBe(true)
    expectRefusal(await guess(), 429, 'rate_limited')
    expectRefusal(await ida.get('/api/2/me'), 429, 'rate_limited')
  })
})

describe('right passwords', () => {
  test('never count, however many logins', async () => {
    const { app, ida } = await open()
    for (let n = 0; n < 15; n++) {
      expect(await ida.post('/api/2/auth/ida/login.json')).toMatchObject({ status: 200 })
      app.clock.advance(n % 2 === 0 ? 601 : 0)
    }
  })
})

test('an unknown user and a wrong password get the same answer for the same work', async () => {
  const { app, verified } = await open()
  const answers = []
  for (const name of ['ida', 'nobody']) {
    const client = clientOf(app, basic(name, 'wrong'))
    const before = verified()
    for (const answer of [await client.get('/api/2/me'), await client.post(`/api/2/auth/${name}/login.json`)]) {
      answers.push([answer.status, answer.text, Object.fromEntries(answer.headers)])
    }
    expect(verified() - before).toBe(2)
  }
  expect(answers.slice(2)).toEqual(answers.slice(0, 2))
})
