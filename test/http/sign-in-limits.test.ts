import { describe, expect, test } from 'bun:test'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'

const HOME = '192.0.2.1'
const CAFE = '198.51.100.7'
const ATTACKER = '203.0.113.66'
const MINUTE = 60

/** Administrator ida and ole; nobody has signed in yet. */
async function open(settings: Record<string, string> = {}) {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ settings, hasher })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  let guesses = 0

  /** What one more wrong password is answered with. */
  async function guess(name: string, address: string) {
    app.setPeer(address)
    return clientOf(app, basic(name, `wrong ${guesses++}`)).get('/api/2/me')
  }
  async function signIn(client: Client, address: string, path = '/api/2/me') {
    app.setPeer(address)
    return client.get(path)
  }
  /** So many failures at an address, each of a name of its own. */
  async function failNames(times: number, address = ATTACKER) {
    for (let n = 0; n < times; n++) expectRefusal(await guess(`name${n}`, address), 401, 'invalid_credentials')
  }
  /** Failures of one account from so many addresses; those that were refused without a look at the password. */
  async function attack(name: string, addresses: number, first = 0) {
    let refused = 0
    for (let n = 0; n < addresses; n++) {
      const { status } = await guess(name, `10.${(first + n) >> 8}.${(first + n) & 255}.1`)
      if (status === 429) refused++
    }
    return refused
  }
  return { app, ida, ole, guess, signIn, failNames, attack, verified }
}

describe('one address', () => {
  test('has thirty failures over all names, then two a minute, and costs no hash in between', async () => {
    const { app, guess, failNames, verified } = await open()
    await failNames(30)
    const hashes = verified()
    const refused = await guess('another', ATTACKER)
    expectRefusal(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(verified()).toBe(hashes)
    app.clock.advance(MINUTE)
    for (let n = 0; n < 2; n++) expectRefusal(await guess(`later${n}`, ATTACKER), 401, 'invalid_credentials')
    expectRefusal(await guess('another', ATTACKER), 429, 'rate_limited')
    app.clock.advance(15 * MINUTE)
    await failNames(30)
  })

  test('that failed too often still serves those who have signed in there before', async () => {
    const { app, ida, ole, failNames, signIn } = await open()
    await signIn(ida, HOME)
    await failNames(30, HOME)
    // What was remembered is forgotten.
    app.clock.advance(11 * MINUTE)
    await failNames(22, HOME)
    expect(await signIn(ida, HOME)).toMatchObject({ status: 200 })
    expectRefusal(await signIn(ole, HOME), 429, 'rate_limited')
  })

  test('cannot compare what it likes with passwords that are remembered', async () => {
    const { ida, guess, signIn } = await open()
    await signIn(ida, HOME)
    for (let n = 0; n < 10; n++) expectRefusal(await guess('ida', ATTACKER), 401, 'invalid_credentials')
    expectRefusal(await signIn(ida, ATTACKER), 429, 'rate_limited')
    expect(await signIn(ida, HOME)).toMatchObject({ status: 200 })
  })
})

test('addresses that guess at once keep nobody from signing in elsewhere, though they take all places for hashes', async () => {
  const finish: (() => void)[] = []
  const hasher = createPasswordHasher({
    hash: async (password) => `hash of ${password}`,
    verify: async (password, phc) => {
      await new Promise<void>((resolve) => finish.push(resolve))
      return phc === `hash of ${password}`
    },
  })
  const app = startTestApp({ hasher })
  await signUp(app)
  // The peer is that of the moment, so nothing may be waited for.
  const atOnce = { fetch: app.fetchAtOnce }
  const ida = clientOf(atOnce, basic('ida', 'seaglass'))
  const guesses = []
  for (let n = 0; n < 40; n++) {
    app.setPeer(`203.0.113.${n % 3}`)
    guesses.push(clientOf(atOnce, basic(`name${n}`, 'wrong')).get('/api/2/me'))
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  await settle()
  app.setPeer(CAFE)
  const served = ida.get('/api/2/me')
  for (let n = 0; n < 4; n++) {
    await settle()
    finish[n]?.()
  }
  expect(await served).toMatchObject({ status: 200 })
  for (let n = 4; n < 34; n++) {
    finish[n]?.()
    await settle()
  }
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(33)
  expect(statuses.filter((status) => status === 503)).toHaveLength(7)
})

describe('one account, attacked from many addresses that never rest', () => {
  /** Until everybody else has to wait as long as can be: 100 addresses that guess every minute. */
  async function besiege(settings: Record<string, string> = {}) {
    const scene = await open(settings)
    for (let minute = 0; minute < 15; minute++) {
      await scene.attack('ida', 100)
      scene.app.clock.advance(MINUTE)
    }
    return scene
  }

  test('is guessed fifty times, and then once in five minutes from each address', async () => {
    const { app, attack } = await besiege()
    let classified = 0
    for (let minute = 0; minute < 60; minute++) {
      classified += 100 - (await attack('ida', 100))
      app.clock.advance(MINUTE)
    }
    expect(classified).toBe(12 * 100)
  })

  test('lets its owner in at a new address after the time that the first answer names', async () => {
    const { app, ida, attack, signIn } = await besiege()
    const first = await signIn(ida, CAFE)
    expectRefusal(first, 429, 'rate_limited')
    const seconds = Number(first.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThanOrEqual(300)
    for (let waited = 0; waited < seconds; waited += MINUTE) {
      expect(await signIn(ida, CAFE)).toMatchObject({ status: 429 })
      app.clock.advance(Math.min(MINUTE, seconds - waited))
      await attack('ida', 100)
    }
    expect(await signIn(ida, CAFE)).toMatchObject({ status: 200 })
  })

  test('is open as ever where its owner has signed in before', async () => {
    const { app, ida, attack, signIn, guess } = await open()
    await signIn(ida, HOME)
    for (let minute = 0; minute < 15; minute++) {
      await attack('ida', 100)
      app.clock.advance(MINUTE)
    }
    expectRefusal(await guess('ida', CAFE), 429, 'rate_limited')
    // The password is no longer remembered.
    expect(await signIn(ida, HOME)).toMatchObject({ status: 200 })
  })

  test('is refused in the same words as one that does not exist', async () => {
    const answers = []
    for (const name of ['ida', 'nobody']) {
      const { attack, guess } = await open()
      for (let n = 0; n < 2; n++) await attack(name, 60)
      const { status, text, headers } = await guess(name, CAFE)
      answers.push([status, text, headers.get('retry-after')])
    }
    expect(answers[0]).toEqual(answers[1] ?? [])
    expect(answers[0]?.[0]).toBe(429)
  })
})

test('whoever has stolen a session guesses its password no faster than anybody else', async () => {
  const { app, ida } = await open()
  const thief = clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
  const statuses = new Map<number, number>()
  for (let n = 0; n < 100; n++) {
    app.setPeer(`10.0.${n}.1`)
    const { status } = await thief.post('/api/2/me/password', { old_password: `wrong ${n}`, new_password: 'driftwood' })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect([...statuses]).toEqual([
    [403, 50],
    [429, 50],
  ])
})
