import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'

const HOME = '192.0.2.1'
const ELSEWHERE = '198.51.100.7'

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

  test('start again with the next five minutes', async () => {
    const { app, guess, fail } = await open()
    await fail(10)
    app.clock.advance(300)
    await fail(10)
    expectRefusal(await guess(), 429, 'rate_limited')
  })

  test('are not forgotten when somebody sets the clock', async () => {
    const { app, guess, fail } = await open()
    await fail(10)
    app.clock.jump(86_400)
    expectRefusal(await guess(), 429, 'rate_limited')
  })

  test('count for the name in any spelling', async () => {
    const { guess, fail } = await open()
    await fail(5, 'Ida')
    await fail(5, ' IDA ')
    expectRefusal(await guess('ida'), 429, 'rate_limited')
  })

  test('count for one name at one address only', async () => {
    const { app, ida, ole, fail } = await open()
    await fail(10)
    expect(await isServed(ole)).toBe(true)
    app.setPeer(ELSEWHERE)
    expect(await isServed(ida)).toBe(true)
  })

  test('count at login and everywhere else together', async () => {
    const { app, guess, fail } = await open()
    await fail(5)
    for (let n = 0; n < 5; n++) {
      const answer = await clientOf(app, basic('ida', `bad ${n}`)).post('/api/2/auth/ida/login.json')
      expectRefusal(answer, 401, 'invalid_credentials')
    }
    expectRefusal(await guess(), 429, 'rate_limited')
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

  test('do not wipe out failures before them', async () => {
    const { ida, guess, fail } = await open()
    await fail(5)
    expect(await isServed(ida)).toBe(true)
    await fail(5)
    expectRefusal(await guess(), 429, 'rate_limited')
  })

  test('of deactivated accounts do not count', async () => {
    const { app, ole } = await open()
    await app.services.administration.setActive('ole', false, COMMAND_LINE)
    for (let n = 0; n < 15; n++) expectRefusal(await ole.get('/api/2/me'), 403, 'account_inactive')
  })

  test('all pass when more of them than that start at once', async () => {
    const { ida } = await open()
    const answers = await Promise.all(Array.from({ length: 15 }, () => ida.get('/api/2/me')))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200))
  })
})

test('guesses made at once are limited like those one after the other', async () => {
  const { guess } = await open()
  const answers = await Promise.all(Array.from({ length: 25 }, () => guess()))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 10 }, () => 401),
    ...Array.from({ length: 15 }, () => 429),
  ])
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

test('rate_limit = false lifts the limit of failed sign-ins', async () => {
  const { app, ida, fail } = await open({ rate_limit: 'false' })
  app.setPeer(HOME)
  await fail(30)
  expect(await isServed(ida)).toBe(true)
})
