import type { Clock } from '../../platform/clock.ts'
import { type Random, sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import type { Lru } from '../../platform/lru.ts'
import { base32, matchingStep } from '../../platform/totp.ts'
import { DomainError } from '../shared/errors.ts'
import type { SessionId, UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import type { SecondFactorStore } from './ports/second-factor.ts'
import type { PasswordProof, User, UserCredentials, UserStore } from './ports/users.ts'

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
/** 80 bits, which are too many to guess from a leaked hash, so a fast hash without salt suffices. */
const RECOVERY_BYTES = 10
const RECOVERY_CODE = /^[A-Z2-7]{16}$/
const APP_CODE = /^\d{6}$/
const RECOVERY_CODES = 10
export const SETUP_MS = 10 * 60_000

export type CodeCheck = ReturnType<typeof createCodeCheck>

/** Checks codes of authenticator apps and recovery codes, each valid once. Limits wrong codes per account. */
export function createCodeCheck(parts: {
  readonly store: SecondFactorStore
  readonly guesses: RateLimit
  readonly clock: Clock
  readonly log: Log
}) {
  const { store, guesses, clock, log } = parts
  async function useAppCode({ id, username }: User, code: string): Promise<boolean> {
    const remaining = guesses.take(String(id), {
      message: 'too many wrong codes, use a recovery code or try again later',
      field: 'code',
      userId: id,
    })
    const factor = await store.find(id)
    const step = factor && matchingStep(factor.secret, code, clock.seconds(), factor.lastStep)
    if (factor && step !== undefined && (await store.useStep(id, factor.secret, step))) {
      guesses.giveBack(String(id))
      return true
    }
    if (remaining === 0) log.warn('too many wrong codes of a second factor', { user: username })
    return false
  }

  async function isRight(user: User, code: string): Promise<boolean> {
    if (RECOVERY_CODE.test(code)) return store.useRecoveryCode(user.id, sha256(code))
    return APP_CODE.test(code) && useAppCode(user, code)
  }

  return {
    /** Throws `second_factor_required` without a code, `wrong_code`, `rate_limited`. */
    async check(user: User, code: string | undefined): Promise<void> {
      const about = { userId: user.id }
      if (code === undefined || code.trim() === '')
        throw new DomainError(
          'second_factor_required',
          'this account has a second factor: apps need an app password, and the web client asks for a code',
          about,
        )
      if (!(await isRight(user, normalize(code))))
        throw new DomainError('wrong_code', 'the code is wrong, too old or already used', { field: 'code', ...about })
    },
  }
}

/** Secret that waits for its first code. */
interface Setup {
  readonly secret: Uint8Array
  readonly proof: PasswordProof
}

export interface FactorOrigin {
  readonly session: SessionId
  readonly address: string
}

/** Second factors (docs/protocol.md#second-factor). Changes throw `wrong_password`, `wrong_code`, `unauthorized`. */
export function createSecondFactors(parts: {
  readonly store: SecondFactorStore
  readonly users: UserStore
  readonly codes: CodeCheck
  readonly matches: (user: UserCredentials, password: string, address: string) => Promise<boolean>
  readonly setups: Lru<Setup>
  readonly clock: Clock
  readonly random: Random
}) {
  const { store, users, codes, matches, setups, clock, random } = parts

  async function confirm({ username }: User, password: string, address: string): Promise<PasswordProof> {
    const credentials = await users.findByName(username)
    if (credentials && credentials.passwordHash === undefined)
      throw new DomainError('no_password', 'set a password first: a second factor protects sign-ins with a password')
    if (credentials?.passwordHash === undefined || !(await matches(credentials, password, address)))
      throw new DomainError('wrong_password', 'password is wrong', { field: 'password' })
    return { verifiedHash: credentials.passwordHash }
  }

  async function get(userId: UserId) {
    const factor = await store.find(userId)
    if (!factor) throw noSecondFactor()
    return factor
  }

  return {
    find: (userId: UserId) => store.find(userId),

    /** Returns a secret for an authenticator app, not in use before `enable`. Throws `second_factor_exists`. */
    async begin(user: User, password: string, from: FactorOrigin): Promise<string> {
      const proof = await confirm(user, password, from.address)
      if (await store.find(user.id)) throw secondFactorExists()
      const secret = random.bytes(SECRET_BYTES)
      setups.set(setupKey(user, from), { secret, proof })
      return base32(secret)
    },

    /** Ends other sessions and returns the recovery codes, shown only here. Throws `second_factor_setup`. */
    async enable(user: User, code: string, from: FactorOrigin): Promise<string[]> {
      const setup = setups.get(setupKey(user, from))
      if (!setup) throw new DomainError('second_factor_setup', 'the setup has expired; start again')
      const at = clock.seconds()
      const { secret, proof } = setup
      const step = matchingStep(secret, normalize(code), at, -1)
      if (step === undefined)
        throw new DomainError('wrong_code', 'the code is wrong or too old', { field: 'code', userId: user.id })
      const recoveryCodes = newRecoveryCodes(random)
      await store.enable(user.id, { secret, lastStep: step, at }, recoveryCodes.map(hashOf), proof, from.session)
      setups.delete(setupKey(user, from))
      return recoveryCodes
    },

    /** Replaces the recovery codes. Throws `no_second_factor`. */
    async renewRecoveryCodes(user: User, password: string, code: string, from: FactorOrigin): Promise<string[]> {
      const proof = await confirm(user, password, from.address)
      const { secret } = await get(user.id)
      await codes.check(user, code)
      const recoveryCodes = newRecoveryCodes(random)
      await store.replaceRecoveryCodes(user.id, secret, recoveryCodes.map(hashOf), proof)
      return recoveryCodes
    },

    /** Throws `no_second_factor`. */
    async disable(user: User, password: string, code: string, from: FactorOrigin): Promise<void> {
      const proof = await confirm(user, password, from.address)
      const { secret } = await get(user.id)
      await codes.check(user, code)
      await store.disable(user.id, secret, proof)
    },
  }
}

export function noSecondFactor(): DomainError {
  return new DomainError('no_second_factor', 'this account has no second factor')
}

export function secondFactorExists(): DomainError {
  return new DomainError('second_factor_exists', 'this account already has a second factor: turn it off first')
}

function setupKey({ id }: User, { session }: FactorOrigin): string {
  return `${id} ${session}`
}

function normalize(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}

function hashOf(recoveryCode: string): Uint8Array {
  return sha256(normalize(recoveryCode))
}

function newRecoveryCodes(random: Random): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (base32(random.bytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join('-'),
  )
}
