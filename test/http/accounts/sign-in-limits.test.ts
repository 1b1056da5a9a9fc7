import { expect, test } from 'bun:test'
import { createPasswordHasher } from '../../../src/platform/password.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signUp } from '../../support/client.ts'
import { countingHasher } from '../accounts.ts'
import { expectError } from '../error.ts'

const HOME = '192.0.2.1'
const CAFE = '198.51.100.7'
const MINUTE = 60
const ME = '/api/2/me'

async function open() {
  const { hasher, verified } = countingHasher()
  const app = startTestApp({ hasher })
  app.clock.advance(1)
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  let guesses = 0

  /** Answer to another wrong password. */
  async function guess(name = 'ida', address = HOME) {
    app.setPeer(address)
    return clientOf(app, basic(name, `wrong ${guesses++}`)).get(ME)
  }
  async function fail(times: number, name = 'ida', address = HOME) {
    for (let n = 0; n < times; n++) expectError(await guess(name, address), 401, 'invalid_credentials')
  }
  /** Failures at an address, each for another name. */
  async function failNames(times: number, address: string) {
    for (let n = 0; n < times; n++) await fail(1, `name${n}`, address)
  }
  async function ask(client: Client, address = HOME) {
    app.setPeer(address)
    return client.get(ME)
  }
  const isServed = async (client: Client) => (await ask(client)).status === 200
  /** Failures of one account from many addresses; returns how many were refused without checking. */
  async function attack(name: string, addresses: number) {
    let refused = 0
    for (let n = 0; n < addresses; n++) if ((await guess(name, `10.${n >> 8}.${n & 255}.1`)).status === 429) refused++
    return refused
  }
  return { app, ida, ole, guess, fail, failNames, ask, isServed, attack, verified }
}

test('after ten failures in five minutes, a name at an address gets 429 without a hash', async () => {
  const { app, ida, guess, fail, isServed, verified } = await open()
  await fail(1)
  app.clock.advance(100)
  await fail(9)
  const before = verified()
  const first = await guess()
  expectError(first, 429, 'rate_limited')
  expect([first.headers.get('retry-after'), first.headers.get('www-authenticate')]).toEqual(['200', null])
  // This includes the right password, which is not remembered yet.
  for (const answer of [await ida.get(ME), await ida.post('/api/2/auth/ida/login.json')])
    expectError(answer, 429, 'rate_limited')
  expect(verified()).toBe(before)
  app.clock.advance(199)
  expect((await guess()).headers.get('retry-after')).toBe('1')
  app.clock.advance(1)
  expect(await isServed(ida)).toBe(true)
})

test('unknown users and wrong passwords have the same answers, cost and limit', async () => {
  const { app, guess, fail, verified } = await open()
  const answers = []
  for (const name of ['ida', 'nobody']) {
    const client = clientOf(app, basic(name, 'wrong'))
    const before = verified()
    for (const answer of [await client.get(ME), await client.post(`/api/2/auth/${name}/login.json`)])
      answers.push([answer.status, answer.text, Object.fromEntries(answer.headers)])
    expect(verified() - before).toBe(2)
    await fail(8, name)
    const { status, text } = await guess(name)
    answers.push([status, text])
  }
  expect(answers.slice(3)).toEqual(answers.slice(0, 3))
})

test('an address has thirty failures over all names, then two a minute, without a hash in between', async () => {
  const { app, ida, ole, guess, failNames, ask, verified } = await open()
  await ask(ida)
  await failNames(30, HOME)
  const hashes = verified()
  const refused = await guess('another')
  expectError(refused, 429, 'rate_limited')
  expect([refused.headers.get('retry-after'), verified()]).toEqual(['30', hashes])
  app.clock.advance(MINUTE)
  await failNames(2, HOME)
  // A familiar user is still served, even when the password is no longer remembered.
  app.clock.advance(11 * MINUTE)
  await failNames(22, HOME)
  expect(await ask(ida)).toMatchObject({ status: 200 })
  expectError(await ask(ole), 429, 'rate_limited')
})

test('addresses that guess concurrently and fill the hash queue do not block sign-ins elsewhere', async () => {
  const finish: (() => void)[] = []
  const hasher = createPasswordHasher({
    hash: async (password) => `hash of ${password}`,
    verify: async (password, phc) => {
      await new Promise<void>((resolve) => finish.push(resolve))
      return phc === `hash of ${password}`
    },
  })
  // On SQLite, where each request hashes after a turn of the event loop.
  const app = startTestApp({ db: openMemoryDatabase(), hasher })
  await signUp(app)
  // Requests read the peer at once, so nothing may be awaited in between.
  const atOnce = { fetch: app.fetchAtOnce }
  for (let n = 0; n < 40; n++) {
    app.setPeer(`203.0.113.${n % 3}`)
    void clientOf(atOnce, basic(`name${n}`, 'wrong')).get(ME)
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  await settle()
  app.setPeer(CAFE)
  const served = clientOf(atOnce, basic('ida', 'seaglass')).get(ME)
  for (let n = 0; n < 4; n++) {
    await settle()
    finish[n]?.()
  }
  expect(await served).toMatchObject({ status: 200 })
})

test('an account under attack stays open at familiar addresses, while others wait up to five minutes', async () => {
  const { app, ida, ask, attack, guess } = await open()
  await ask(ida)
  // Until the wait has reached its maximum.
  for (let minute = 0; minute < 15; minute++) {
    await attack('ida', 100)
    app.clock.advance(MINUTE)
  }
  const refused = await guess('ida', CAFE)
  expectError(refused, 429, 'rate_limited')
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(61, 301)
  // The password is no longer remembered.
  expect(await ask(ida)).toMatchObject({ status: 200 })
})

test('an unknown user under attack gets the same answer as an account', async () => {
  const answers = []
  for (const name of ['ida', 'nobody']) {
    const { attack, guess } = await open()
    await attack(name, 120)
    const { status, text, headers } = await guess(name, CAFE)
    answers.push([text, headers.get('retry-after')])
    expect(status).toBe(429)
  }
  expect(answers[0]).toEqual(answers[1] ?? [])
})
