import { describe, expect, test } from 'bun:test'
import { createSignInLimits } from '../../../src/domain/accounts/sign-in-limits.ts'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import { fakeClock } from '../../support/clock.ts'

/** Sign-in limits. `guess` fails with a wrong password and returns the seconds to wait, if any. */
function open(keysMax?: number) {
  const clock = fakeClock()
  const limits = createSignInLimits(clock, keysMax)
  function guess(name: string, address: string): number | undefined {
    try {
      const begun = limits.begin(name, address)
      begun.count()
      begun.fail()
      return undefined
    } catch (error) {
      if (error instanceof DomainError) return error.retryAfter
      throw error
    }
  }
  const signIn = (name: string, address: string) => {
    const begun = limits.begin(name, address)
    begun.count()
    begun.succeed()
  }
  return { clock, limits, guess, signIn }
}

describe('failures of one account', () => {
  test('beyond fifty, from any address, double the wait up to five minutes', () => {
    const { clock, guess } = open()
    for (let n = 0; n < 50; n++) expect(guess('ida', `free ${n}`)).toBeUndefined()
    const patient = Array.from({ length: 15 }, (_, n) => `patient ${n}`)
    for (const address of patient) expect(guess('ida', address)).toBe(2)
    // The waits are over, and five failures are forgotten.
    clock.advance(360)
    const waits = patient.map((address, n) => {
      expect(guess('ida', address)).toBeUndefined()
      // The first ones take the places of the forgotten failures.
      return n < 4 ? 0 : guess('ida', `new ${n}`)
    })
    expect(waits).toEqual([0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('do not include attempts that were never checked', () => {
    const { limits, guess } = open()
    for (let n = 0; n < 60; n++) {
      const begun = limits.begin('ida', `${n}`)
      begun.count()
      begun.cancel()
    }
    expect(guess('ida', 'another')).toBeUndefined()
  })
})

test('an attempt that has waited and then found the server busy does not wait again', () => {
  const { clock, limits, guess } = open()
  for (let n = 0; n < 50; n++) guess('ida', `${n}`)
  clock.advance(guess('ida', 'new') ?? 0)
  const busy = limits.begin('ida', 'new')
  busy.count()
  busy.cancel()
  const again = limits.begin('ida', 'new')
  expect(() => again.count()).not.toThrow()
})

test('an attacker with many addresses and names costs bounded memory, and does not lock out familiar addresses', () => {
  const { limits, guess, signIn } = open(1000)
  signIn('ida', 'home')
  for (let n = 0; n < 10_000; n++) guess(`name ${n % 7}${n}`, `address ${n}`)
  expect(limits.isFamiliar('ida', 'home')).toBe(true)
  expect(guess('ida', 'home')).toBeUndefined()
})

test('names are compared up to the length of a valid name, so that long ones do not fill memory', () => {
  const { guess } = open()
  const name = 'x'.repeat(64)
  for (let n = 0; n < 10; n++) expect(guess(`${name}${n}`, 'one')).toBeUndefined()
  expect(guess(`${name}y`, 'one')).toBe(300)
})
