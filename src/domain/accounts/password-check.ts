import { keyedHash, type Random } from '../../platform/crypto.ts'
import type { Lru } from '../../platform/lru.ts'
import { HashQueueFull, type PasswordHasher } from '../../platform/password.ts'
import { aboutUser, DomainError } from '../shared/errors.ts'
import { hashOfAppPassword } from './app-passwords.ts'
import { usernameKey } from './identifiers.ts'
import type { AppPasswordStore, GrantedApp } from './ports/app-passwords.ts'
import type { UserCredentials, UserStore } from './ports/users.ts'
import type { CodeCheck } from './second-factor.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const DELAYED_MAX = 100

interface Attempt {
  readonly name: string
  readonly password: string
  readonly address: string
  readonly phc: string | undefined
  readonly isSignedIn: boolean
  readonly key: string
  readonly isRemembered: boolean
}

export interface VerifiedUser extends UserCredentials {
  readonly appPassword?: GrantedApp
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>

/** Caches verified passwords for a few minutes. The key includes the stored hash, so the user's row is always read. */
export function createPasswordCheck(parts: {
  readonly users: UserStore
  readonly appPasswords: AppPasswordStore
  readonly hasher: PasswordHasher
  readonly random: Random
  readonly limits: SignInLimits
  readonly codes: CodeCheck
  readonly delayRefusal: () => Promise<void>
  /** Recently verified credentials by keyed hash (docs/protocol.md#D24c). */
  readonly cache: Lru<true>
}) {
  const { users, appPasswords, hasher, random, limits, codes, delayRefusal, cache } = parts
  const processKey = random.bytes(32)
  const inFlight = new Map<string, Promise<boolean>>()
  let delayed = 0

  /** Simultaneous requests of an app share one hash. Cached credentials are subject only to limits of the address. */
  async function verify({ name, password, address, phc, isSignedIn, key, isRemembered }: Attempt): Promise<boolean> {
    const inFlightKey = `${address} ${key}`
    const shared = inFlight.get(inFlightKey)
    if (shared) return shared
    const guess = limits.begin(name, address, isSignedIn)
    if (isRemembered) {
      guess.succeed()
      return true
    }
    guess.count()
    const verified = hasher
      .verify(password, phc, guess.failures)
      .then(
        (right) => {
          if (right) guess.succeed()
          else guess.fail()
          return right
        },
        (error: unknown) => {
          guess.cancel()
          throw overloaded(error)
        },
      )
      .finally(() => inFlight.delete(inFlightKey))
    inFlight.set(inFlightKey, verified)
    return verified
  }

  /** Slows down guessing, on a limited number of connections at a time. */
  async function delayIfTooMany(error: unknown): Promise<never> {
    if (error instanceof DomainError && error.retryAfter !== undefined && delayed < DELAYED_MAX) {
      delayed++
      await delayRefusal().finally(() => delayed--)
    }
    throw error
  }

  /** Finds an app password by a fast hash, since it is random. Wrong ones are counted separately from passwords. */
  async function checkAppPassword(password: string, sentName: string | undefined, address: string) {
    const hash = hashOfAppPassword(password)
    const found = hash && (await appPasswords.find(hash))
    const owner = found && usernameKey(found.user.username)
    const isRight = owner !== undefined && (sentName === undefined || owner === sentName)
    // The colon keeps this name apart from usernames. The user of a wrong Bearer token is unknown.
    const name = `app:${sentName ?? (isRight ? owner : '')}`
    if (isRight) {
      limits.setFamiliar(name, address)
      return found
    }
    const guess = limits.begin(name, address)
    guess.count()
    guess.fail()
    return undefined
  }

  async function verifyAppPassword(password: string, name: string | undefined, address: string): Promise<VerifiedUser> {
    // Always looked up, so that the time taken does not reveal whether the password is right.
    const named = name === undefined ? undefined : await users.findByName(name)
    const found = await checkAppPassword(password, name, address).catch((error: unknown) =>
      delayIfTooMany(aboutUser(error, named?.id)),
    )
    if (!found) throw new DomainError('invalid_credentials', 'wrong username or app password', { userId: named?.id })
    const { user, id, scope } = found
    refuseUnlessActive(user)
    return { ...user, appPassword: { id, scope } }
  }

  const keyOf = (name: string, password: string, phc: string | undefined) =>
    keyedHash(processKey, [name, password, phc ?? ''])

  return {
    /** Throws `invalid_credentials` for an unknown name or a wrong password, `rate_limited` after too many failures. */
    async check(username: string, password: string, address: string, code?: string): Promise<VerifiedUser> {
      if (hashOfAppPassword(password)) return verifyAppPassword(password, usernameKey(username), address)
      const user = await users.findByName(username.trim())
      const phc = user?.passwordHash
      const name = usernameKey(username)
      const key = keyOf(name, password, phc)
      const isRemembered = cache.get(key) === true
      const isRight =
        (isRemembered && limits.isFamiliar(name, address)) ||
        (await verify({ name, password, address, phc, isSignedIn: false, key, isRemembered }).catch((error: unknown) =>
          delayIfTooMany(aboutUser(error, user?.id)),
        ))
      if (!isRight || !user)
        throw new DomainError('invalid_credentials', 'wrong username or password', { userId: user?.id })
      refuseUnlessActive(user)
      if (!isRemembered) cache.set(key, true)
      if (user.hasSecondFactor) await codes.check(user, code).catch(delayIfTooMany)
      return user
    },

    checkToken: (password: string, address: string): Promise<VerifiedUser> =>
      verifyAppPassword(password, undefined, address),

    /** Checks the user's own password and counts failures like a login. Throws `rate_limited`, `unavailable`. */
    async matches({ username, passwordHash }: UserCredentials, password: string, address: string): Promise<boolean> {
      const name = usernameKey(username)
      const key = keyOf(name, password, passwordHash)
      const attempt = { name, password, address, phc: passwordHash, isSignedIn: true, key, isRemembered: false }
      return verify(attempt).catch(delayIfTooMany)
    },

    /** Returns the PHC string of a new password. Throws `unavailable`. */
    hash: (password: string): Promise<string> =>
      hasher.hash(password).catch((error: unknown) => {
        throw overloaded(error)
      }),
  }
}

/** Throws `account_pending`, `account_inactive`. */
export function refuseUnlessActive({ state, id: userId }: UserCredentials): void {
  if (state === 'pending_activation')
    throw new DomainError('account_pending', 'this account is not activated yet', { userId })
  if (state === 'inactive') throw new DomainError('account_inactive', 'this account is deactivated', { userId })
}

function overloaded(error: unknown): unknown {
  if (!(error instanceof HashQueueFull)) return error
  return new DomainError('unavailable', 'too many sign-ins at once, try again shortly', { retryAfter: 2 })
}
