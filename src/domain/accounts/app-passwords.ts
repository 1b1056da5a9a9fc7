import type { Clock } from '../../platform/clock.ts'
import { type Random, sha256 } from '../../platform/crypto.ts'
import { invalid } from '../shared/errors.ts'
import type { AppPasswordId, SessionId, UserId } from '../shared/ids.ts'
import { plainName } from '../shared/text.ts'
import type { AppPassword, AppPasswordScope, AppPasswordStore } from './ports/app-passwords.ts'

interface Form {
  readonly letters: string
  readonly random: number
  /** Length of the checksum, which distinguishes app passwords from passwords chosen by users. */
  readonly check: number
}

/** About 100 random bits, without letters that look like digits. 32 letters divide the values of a byte evenly. */
const FORM: Form = { letters: 'abcdefghijkmnpqrstuvwxyz23456789', random: 20, check: 4 }
/** Form of earlier app passwords, which remain valid. */
const EARLIER: Form = {
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  ...{ random: 66, check: 6 },
}
/** Requires digits in four places, so that URLs with app passwords nearly always look secret (docs/protocol.md#D56). */
const LOOKS_RANDOM = /(?:\d\D+){3}\d/
const GROUP = /.{4}(?=.)/g

export const APP_NAME_MAX = 100

/** Returns six groups of four letters and digits (docs/protocol.md#D65), and the hash for looking them up. */
export function newAppPassword(random: Random): { readonly password: string; readonly hash: Uint8Array } {
  let whole: string
  do {
    const bytes = random.bytes(FORM.random)
    const text = Array.from(bytes, (byte) => FORM.letters[byte % FORM.letters.length]).join('')
    whole = text + checkOf(text, FORM)
  } while (!LOOKS_RANDOM.test(whole))
  return { password: whole.replaceAll(GROUP, '$&-'), hash: sha256(whole) }
}

/** Returns the hash for a lookup, or undefined if `text` cannot be an app password. Ignores dashes and case. */
export function hashOfAppPassword(text: string): Uint8Array | undefined {
  if (hasForm(text, EARLIER)) return sha256(text)
  const typed = text.replaceAll('-', '').toLowerCase()
  return hasForm(typed, FORM) ? sha256(typed) : undefined
}

function hasForm(text: string, form: Form): boolean {
  return (
    text.length === form.random + form.check && text.slice(form.random) === checkOf(text.slice(0, form.random), form)
  )
}

function checkOf(text: string, { letters, check }: Form): string {
  return Array.from(sha256(text).subarray(0, check), (byte) => letters[byte % letters.length]).join('')
}

/** Passwords that users create for apps. Only hashes are stored. */
export function createAppPasswords(store: AppPasswordStore, clock: Clock, random: Random) {
  return {
    list: (userId: UserId): Promise<AppPassword[]> => store.list(userId, clock.seconds()),

    /** Returns the password, shown only here. Throws `validation_failed` (name), `quota_exceeded`, `unauthorized`. */
    async create(
      session: SessionId,
      userId: UserId,
      request: { name: string; scope: AppPasswordScope },
    ): Promise<{ appPassword: AppPassword; password: string }> {
      const name = parseAppName(request.name)
      const { password, hash } = newAppPassword(random)
      const createdAt = clock.seconds()
      const { scope } = request
      const id = await store.create(session, userId, { name, scope, hash, at: createdAt })
      return { appPassword: { id, name, scope, createdAt, usedAt: undefined, client: undefined }, password }
    },

    /** Revokes an app password and the sessions that were started with it. Rejects with `not_found`. */
    revoke: (userId: UserId, id: AppPasswordId): Promise<void> => store.remove(userId, id),
  }
}

function parseAppName(text: string): string {
  const name = plainName(text)
  if (name === '') throw invalid('name', 'name must say what the password is for, such as the name of the app')
  if (Array.from(name).length > APP_NAME_MAX) throw invalid('name', `name must have at most ${APP_NAME_MAX} characters`)
  return name
}
