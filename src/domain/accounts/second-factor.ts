import type { Clock } from '../../platform/clock.ts'
import { type Random, sha256 } from '../../platform/crypto.ts'
import type { Lru } from '../../platform/lru.ts'
import { base32, matchingStep } from '../../platform/totp.ts'
import { aboutUser, DomainError } from '../shared/errors.ts'
import type { SessionId, UserId } from '../shared/ids.ts'
import { usernameKey } from './identifiers.ts'
import type { SecondFactorStore } from './ports/second-factor.ts'
import type { PasswordProof, User, UserCredentials, UserStore } from './ports/users.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
/** 80 bits: too many to guess by the hash, which therefore needs no salt and no time. */
const RECOVERY_BYTES = 10
const RECOVERY_CODE = /^[A-Z2-7]{16}$/
const RECOVERY_CODES = 10
/** How long an authenticator app may take until its first code. */
export const SETUP_MS = 10 * 60_000

export interface CodeCheckParts {
  readonly store: SecondFactorStore
  readonly limits: SignInLimits
  readonly clock: Clock
}

export type CodeCheck = ReturnType<typeof createCodeCheck>

/**
 * Checks codes of authenticator apps and recovery codes. Each is good once. Wrong ones count apart from wrong
 * passwords: only who knows the password gets to send one, and six digits bear fewer guesses.
 */
export function createCodeCheck({ store, limits, clock }: CodeCheckParts) {
  async function use(userId: UserId, code: string): Promise<boolean> {
    const text = normalize(code)
    if (RECOVERY_CODE.test(text)) return store.useRecoveryCode(userId, sha256(text))
    const factor = await store.find(userId)
    if (!factor) return false
    const step = matchingStep(factor.secret, text, clock.seconds(), factor.lastStep)
    return step !== undefined && store.useStep(userId, factor.secret, step)
  }

  return {
    /** Throws `second_factor_required` without a code, `wrong_code`, `rate_limited`. */
    async check({ id, username }: User, code: string | undefined, address: string, isSignedIn = false): Promise<void> {
      if (code === undefined || code.trim() === '')
        throw new DomainError(
          'second_factor_required',
          'this account has a second factor: apps need an app password, and the web client asks for a code',
          { userId: id },
        )
      try {
        const guess = limits.begin(`code:${usernameKey(username)}`, address, isSignedIn)
        guess.count()
        if (await use(id, code)) {
          guess.succeed()
          return
        }
        guess.fail()
      } catch (error) {
        throw aboutUser(error, id)
      }
      throw new DomainError('wrong_code', 'the code is wrong, too old or already used', { field: 'code', userId: id })
    },
  }
}

/** A secret that waits for the first code made with it. */
interface Setup {
  readonly secret: Uint8Array
  readonly proof: PasswordProof
}

export interface SecondFactorParts {
  readonly store: SecondFactorStore
  readonly users: UserStore
  readonly codes: CodeCheck
  /** `PasswordCheck.matches`. */
  readonly matches: (user: UserCredentials, password: string, address: string) => Promise<boolean>
  /** Set-ups that have begun. */
  readonly setups: Lru<Setup>
  readonly clock: Clock
  readonly random: Random
}

/** The session that changes the factor, and where it comes from. */
export interface FactorOrigin {
  readonly session: SessionId
  readonly address: string
}

export type SecondFactors = ReturnType<typeof createSecondFactors>

/**
 * Codes of an authenticator app that the own password needs beside it (docs/protocol.md#second-factor). What changes
 * something throws `wrong_password`, `wrong_code`, `rate_limited`, `unauthorized`.
 */
export function createSecondFactors(parts: SecondFactorParts) {
  const { store, users, codes, matches, setups, clock, random } = parts

  async function confirm({ username }: User, password: string, address: string): Promise<PasswordProof> {
    const credentials = await users.findByName(username)
    if (credentials && credentials.passwordHash === undefined)
      throw new DomainError('no_password', 'set a password first: a second factor is for signing in with one')
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

    /** A new secret for an authenticator app. Nothing changes before its first code. Throws `second_factor_exists`. */
    async begin(user: User, password: string, from: FactorOrigin): Promise<string> {
      const proof = await confirm(user, password, from.address)
      if (await store.find(user.id)) throw secondFactorExists()
      const secret = random.bytes(SECRET_BYTES)
      setups.set(setupKey(user, from), { secret, proof })
      return base32(secret)
    },

    /**
     * Turns the factor on, ends all other sessions, and tells the recovery codes, here and never again. Throws
     * `second_factor_setup` where none was begun in this session, or too long ago.
     */
    async enable(user: User, code: string, from: FactorOrigin): Promise<string[]> {
      const setup = setups.get(setupKey(user, from))
      if (!setup) throw new DomainError('second_factor_setup', 'the set-up has expired: begin again')
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

    /** New recovery codes; the earlier ones end. Throws `no_second_factor`. */
    async renewRecoveryCodes(user: User, password: string, code: string, from: FactorOrigin): Promise<string[]> {
      const proof = await confirm(user, password, from.address)
      const { secret } = await get(user.id)
      await codes.check(user, code, from.address, true)
      const recoveryCodes = newRecoveryCodes(random)
      await store.replaceRecoveryCodes(user.id, secret, recoveryCodes.map(hashOf), proof)
      return recoveryCodes
    },

    /** Throws `no_second_factor`. */
    async disable(user: User, password: string, code: string, from: FactorOrigin): Promise<void> {
      const proof = await confirm(user, password, from.address)
      const { secret } = await get(user.id)
      await codes.check(user, code, from.address, true)
      await store.disable(user.id, secret, proof)
    },
  }
}

export function noSecondFactor(): DomainError {
  return new DomainError('no_second_factor', 'this account has no second factor')
}

export function secondFactorExists(): DomainError {
  return new DomainError('second_factor_exists', 'this account has a second factor already: turn it off first')
}

function setupKey({ id }: User, { session }: FactorOrigin): string {
  return `${id} ${session}`
}

/** People copy codes with blanks and in any case. */
function normalize(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}

function hashOf(recoveryCode: string): Uint8Array {
  return sha256(normalize(recoveryCode))
}

/** As `ABCD-EFGH-IJKL-MNOP`, in letters and digits that are not taken for each other. */
function newRecoveryCodes(random: Random): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (base32(random.bytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join('-'),
  )
}
