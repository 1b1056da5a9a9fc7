import { describe, expect, test } from 'bun:test'
import { createPasswordCheck } from '../../../src/domain/accounts/password-check.ts'
import { createCodeCheck } from '../../../src/domain/accounts/second-factor.ts'
import { createSignInLimits } from '../../../src/domain/accounts/sign-in-limits.ts'
import { noLimit } from '../../../src/domain/shared/rate-limit.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { HashQueueFull, type PasswordHasher } from '../../../src/platform/password.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { BY_COMMAND_LINE, newUser } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/values.ts'

const HOME = '192.0.2.1'

/** Accounts ida and ole; their names are their passwords. */
async function open({ full = false, delayRefusal = () => Promise.resolve() } = {}) {
  const store = createSqliteStore(openMemoryDatabase())
  const clock = fakeClock()
  clock.advance(1)
  /** The stored hashes that were verified, in order; `undefined` for an unknown user. */
  const verified: (string | undefined)[] = []
  const state = { full }
  const hasher: PasswordHasher = {
    async hash(password) {
      if (state.full) throw new HashQueueFull()
      return `hash of ${password}`
    },
    async verify(password, phc) {
      if (state.full) throw new HashQueueFull()
      verified.push(phc)
      return phc === `hash of ${password}`
    },
  }
  const passwords = createPasswordCheck({
    users: store.users,
    appPasswords: store.appPasswords,
    hasher,
    random: seededRandom(1),
    limits: createSignInLimits(clock),
    codes: createCodeCheck({
      store: store.secondFactors,
      guesses: noLimit,
      clock,
      log: createLog({ level: 'error', format: 'json', write: () => undefined }),
    }),
    delayRefusal,
    cache: createLru(100, clock, 600_000),
  })
  await store.users.create(newUser('ida'), true, BY_COMMAND_LINE)
  await store.users.create(newUser('ole'), false, BY_COMMAND_LINE)
  return { store, clock, passwords, verified, state }
}

const wrong = { code: 'invalid_credentials' }

test('a user who may not sign in learns that only with the right password, even if it is cached', async () => {
  const { store, passwords } = await open()
  await passwords.check('ole', 'ole', HOME)
  await store.users.setActive('ole', false, BY_COMMAND_LINE)
  await store.users.register(newUser('eva', 'eva@pods.example'), 'invite', undefined)
  for (const [name, code] of Object.entries({ ole: 'account_inactive', eva: 'account_pending' })) {
    await expect(passwords.check(name, 'wrong', HOME)).rejects.toMatchObject(wrong)
    await expect(passwords.check(name, name, HOME)).rejects.toMatchObject({ code })
  }
})

test('a right password, never a wrong one, is cached for ten minutes, which saves the hash', async () => {
  const { passwords, verified, clock } = await open()
  for (let n = 0; n < 2; n++) await expect(passwords.check('ida', 'wrong', HOME)).rejects.toMatchObject(wrong)
  expect(verified).toHaveLength(2)
  await passwords.check('ida', 'ida', HOME)
  expect(await passwords.check(' IDA ', 'ida', '198.51.100.7')).toMatchObject({ username: 'ida' })
  expect(verified).toHaveLength(3)
  clock.advance(601)
  await passwords.check('ida', 'ida', HOME)
  expect(verified).toHaveLength(4)
})

test('any number of simultaneous requests with the right password pass', async () => {
  const { passwords } = await open()
  const checks = await Promise.all(Array.from({ length: 15 }, () => passwords.check('ida', 'ida', HOME)))
  expect(new Set(checks.map(({ username }) => username))).toEqual(new Set(['ida']))
})

describe('failures', () => {
  test('do not lock out a password that is already verified (one phone has an old password)', async () => {
    const { passwords } = await open()
    await passwords.check('ida', 'ida', HOME)
    for (let n = 0; n < 10; n++) await expect(passwords.check('ida', 'old', HOME)).rejects.toMatchObject(wrong)
    await expect(passwords.check('ida', 'old', HOME)).rejects.toMatchObject({ code: 'rate_limited' })
    await passwords.check('ida', 'ida', HOME)
  })

  test('are the only attempts that count', async () => {
    const { passwords, clock } = await open()
    for (let n = 0; n < 40; n++) {
      await passwords.check('ida', 'ida', HOME)
      clock.advance(601)
    }
    const user = await passwords.check('ida', 'ida', HOME)
    for (let n = 0; n < 40; n++) expect(await passwords.matches(user, 'ida', HOME)).toBe(true)
  })

  test('to confirm a change of the password count like failures to sign in', async () => {
    const { passwords } = await open()
    const user = await passwords.check('ole', 'ole', HOME)
    for (let n = 0; n < 10; n++) expect(await passwords.matches(user, `wrong ${n}`, HOME)).toBe(false)
    await expect(passwords.matches(user, 'ole', HOME)).rejects.toMatchObject({ code: 'rate_limited' })
  })
})

test('up to a hundred answers to too many attempts are delayed at a time; right and wrong passwords are not', async () => {
  const ends: (() => void)[] = []
  const delayRefusal = () => new Promise<void>((resolve) => ends.push(resolve))
  const { passwords } = await open({ delayRefusal })
  await passwords.check('ole', 'ole', HOME)
  for (let n = 0; n < 10; n++) await expect(passwords.check('ida', `wrong ${n}`, HOME)).rejects.toMatchObject(wrong)
  expect(ends).toHaveLength(0)
  let answered = 0
  const refused = Array.from({ length: 130 }, (_, n) =>
    passwords.check('ida', `late ${n}`, HOME).finally(() => answered++),
  )
  const outcomes = Promise.allSettled(refused)
  await Bun.sleep(0)
  expect([answered, ends.length]).toEqual([30, 100])
  for (const end of ends) end()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'rate_limited' } })
  const later = passwords.check('ida', 'later', HOME)
  await Bun.sleep(0)
  ends.at(-1)?.()
  await expect(later).rejects.toMatchObject({ code: 'rate_limited' })
  expect(ends).toHaveLength(101)
})

test('too many simultaneous hashes are refused as unavailable, with a time to retry, and are no failures', async () => {
  const { passwords, state } = await open({ full: true })
  const refusal = { code: 'unavailable', retryAfter: 2 }
  for (let n = 0; n < 5; n++) await expect(passwords.check('ida', 'ida', HOME)).rejects.toMatchObject(refusal)
  await expect(passwords.hash('new')).rejects.toMatchObject(refusal)
  state.full = false
  await passwords.check('ida', 'ida', HOME)
  expect(await passwords.hash('new')).toBe('hash of new')
})
