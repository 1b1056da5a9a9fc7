import { keyedHash, type Random } from '../platform/crypto.ts'
import type { Lru } from '../platform/lru.ts'
import { HashQueueFull, type PasswordHasher } from '../platform/password.ts'
import type { UserStore } from './account-ports.ts'
import { DomainError } from './errors.ts'
import { usernameKey } from './identifiers.ts'
import type { RateLimit } from './rate-limit.ts'
import type { UserCredentials } from './user.ts'

export interface PasswordCheck {
  /**
   * Throws `invalid_credentials` for an unknown name and a wrong password alike, `rate_limited` (only failures count),
   * `account_pending` and `account_inactive` for the right password, `unavailable` when too many checks wait.
   */
  check(username: string, password: string, address: string): Promise<UserCredentials>
  /** Whether `password` is the user's own, counted like a login. Throws `rate_limited`, `unavailable`. */
  matches(user: UserCredentials, password: string, address: string): Promise<boolean>
  /** PHC string for a new password. Throws `unavailable`. */
  hash(password: string): Promise<string>
}

export interface PasswordCheckParts {
  readonly users: UserStore
  readonly hasher: PasswordHasher
  readonly random: Random
  /** Failures per address and name. */
  readonly failures: RateLimit
  /** Names and passwords that were right a moment ago, under keyed hashes (protocol.md D24c). */
  readonly cache: Lru<true>
}

/**
 * Podcast apps send the password with every request, and a hash costs as much as thousands of requests. So right ones are remembered
 * for some minutes under a keyed hash that includes the stored hash: a changed password, by whomever, misses the cache at once.
 * The user's row is read every time, so a deactivated account is out at once too.
 */
export function createPasswordCheck({ users, hasher, random, failures, cache }: PasswordCheckParts): PasswordCheck {
  const processKey = random.bytes(32)
  const underWay = new Map<string, Promise<boolean>>()

  /**
   * Several requests of one app start together; they share one hash, and a wrong password in all of them counts as one failure.
   * It is counted before the answer is known, so that nobody tries hundreds at once.
   */
  function verify(password: string, phc: string | undefined, limited: string, flightKey: string): Promise<boolean> {
    const shared = underWay.get(flightKey)
    if (shared) return shared
    failures.take(limited)
    const flight = hasher
      .verify(password, phc)
      .then(
        (right) => {
          if (right) failures.giveBack(limited)
          return right
        },
        (error: unknown) => {
          failures.giveBack(limited)
          throw overloaded(error)
        },
      )
      .finally(() => underWay.delete(flightKey))
    underWay.set(flightKey, flight)
    return flight
  }

  function keyOf(name: string, password: string, phc: string | undefined): string {
    return keyedHash(processKey, [usernameKey(name), password, phc ?? ''])
  }

  return {
    async check(username, password, address) {
      const name = username.trim()
      const user = await users.findByName(name)
      const key = keyOf(name, password, user?.passwordHash)
      const remembered = cache.get(key) === true
      const right = remembered || (await verify(password, user?.passwordHash, limitKey(address, name), key))
      if (!right || !user) throw new DomainError('invalid_credentials', 'wrong username or password')
      refuseUnlessActive(user)
      if (!remembered) cache.set(key, true)
      return user
    },

    matches: async ({ username, passwordHash }, password, address) =>
      verify(password, passwordHash, limitKey(address, username), keyOf(username, password, passwordHash)),

    hash: (password) =>
      hasher.hash(password).catch((error: unknown) => {
        throw overloaded(error)
      }),
  }
}

/** No valid name is longer; what is sent as one may be, and would fill the memory of the limits. */
const NAME_MAX = 64

function limitKey(address: string, name: string): string {
  return `${address} ${usernameKey(name).slice(0, NAME_MAX)}`
}

function refuseUnlessActive({ state }: UserCredentials): void {
  if (state === 'pending_activation') throw new DomainError('account_pending', 'this account is not activated yet')
  if (state === 'inactive') throw new DomainError('account_inactive', 'this account is deactivated')
}

function overloaded(error: unknown): unknown {
  if (!(error instanceof HashQueueFull)) return error
  return new DomainError('unavailable', 'too many sign-ins at once, try again shortly', { retryAfter: 2 })
}
