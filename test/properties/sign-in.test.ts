import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSignInLimits } from '../../src/domain/accounts/sign-in-limits.ts'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'

const MINUTE = 60
/** Addresses of an attacker: few, so that limits are reached, and one that is the owner's too. */
const HOME = '192.0.2.1'
const ATTACKERS = [HOME, ...Array.from({ length: 8 }, (_, n) => `203.0.113.${n}`), '2001:db8::1', '2001:db8:1::1']

type Step =
  | { readonly kind: 'guess'; readonly address: string; readonly name: string; readonly times: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'spread'; readonly addresses: number }

const address = fc.constantFrom(...ATTACKERS)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('guess' as const),
    address,
    name: fc.constantFrom('ida', 'IDA', 'ole', 'nobody', 'nobody else'),
    times: fc.integer({ min: 1, max: 35 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 10 * MINUTE }) }),
  // One guess from each of many addresses, which makes the account itself wait.
  fc.record({ kind: fc.constant('spread' as const), addresses: fc.integer({ min: 10, max: 70 }) }),
)

/** Ida at home, with an app that sends the password each time and a browser with a session. */
async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  await signUp(app, 'ole', 'driftwood')
  app.setPeer(HOME)
  const browser = clientOf(app, cookieOf(await ida.post('/api/2/auth/ida/login.json')))
  let guesses = 0
  const statusAt = async (client: Client, from: string) => {
    app.setPeer(from)
    return (await client.get('/api/2/me')).status
  }
  const guess = (name: string, from: string) => statusAt(clientOf(app, basic(name, `wrong ${guesses++}`)), from)
  return { app, ida, browser, guess, statusAt }
}

async function attack(one: Step, clock: FakeClock, guess: (name: string, from: string) => unknown): Promise<void> {
  if (one.kind === 'wait') clock.advance(one.seconds)
  else if (one.kind === 'guess') for (let n = 0; n < one.times; n++) await guess(one.name, one.address)
  else for (let n = 0; n < one.addresses; n++) await guess('ida', `10.0.${n}.1`)
}

test('an attacker cannot block sessions, or remembered passwords from known or new addresses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const { app, ida, browser, guess, statusAt } = await open()
      const forgottenAt = app.clock.monotonic() + 10 * MINUTE * 1000
      for (const [n, one] of steps.entries()) {
        await attack(one, app.clock, guess)
        const from = one.kind === 'guess' ? one.address : HOME
        expect(await statusAt(browser, from)).toBe(200)
        if (app.clock.monotonic() >= forgottenAt) continue
        expect(await statusAt(ida, HOME)).toBe(200)
        expect(await statusAt(ida, `198.51.100.${n}`)).toBe(200)
      }
    }),
    { numRuns: 10 },
  )
})

test('an attacker elsewhere cannot keep the owner out for five minutes, even if the password is not remembered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.array(step, { maxLength: 8 }),
      fc.integer({ min: 1, max: 400 }),
      async (before, during, interval) => {
        const clock = fakeClock()
        const limits = createSignInLimits(clock)
        const isRefused = (name: string, from: string, isRight = false) => {
          try {
            const guess = limits.begin(name, from)
            guess.count()
            if (isRight) guess.succeed()
            else guess.fail()
            return false
          } catch (error) {
            if (error instanceof DomainError && error.code === 'rate_limited') return true
            throw error
          }
        }
        for (const one of before) await attack(one, clock, isRefused)
        const meanwhile = during.filter(({ kind }) => kind !== 'wait')
        const began = clock.monotonic()
        while (isRefused('ida', '198.51.100.7', true)) {
          expect(clock.monotonic() - began).toBeLessThan(5 * MINUTE * 1000)
          clock.advance(interval)
          for (const one of meanwhile) await attack(one, clock, isRefused)
        }
      },
    ),
    { numRuns: 100 },
  )
})
