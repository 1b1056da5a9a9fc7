import type { Clock } from '../../platform/clock.ts'
import { type Random, sha256 } from '../../platform/crypto.ts'
import { invalid } from '../shared/errors.ts'
import type { AppPasswordId, SessionId, UserId } from '../shared/ids.ts'
import { plainName } from '../shared/text.ts'
import type { AppPassword, AppPasswordScope, AppPasswordStore } from './ports/app-passwords.ts'

interface Form {
  readonly letters: string
  readonly random: number
  /** Characters of a checksum, by which a chosen password is not taken for an app password. */
  readonly check: number
}

/** About 100 random bits, to be typed: without the letters that look like digits. A byte has each letter equally often. */
const FORM: Form = { letters: 'abcdefghijkmnpqrstuvwxyz23456789', random: 20, check: 4 }
/** The form of earlier app passwords, which stay valid. */
const EARLIER: Form = {
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  ...{ random: 66, check: 6 },
}
/** Digits in four places, without which more addresses would not look like secrets (docs/protocol.md#D56). */
const LOOKS_RANDOM = /(?:\d\D+){3}\d/
const GROUP = /.{4}(?=.)/g

export const APP_NAME_MAX = 100

/** Six groups of four letters and digits (docs/protocol.md#D65), and the hash by which it is looked up. */
export function newAppPassword(random: Random): { readonly password: string; readonly hash: Uint8Array } {
  let whole: string
  do {
    const bytes = random.bytes(FORM.random)
    const text = Array.from(bytes, (byte) => FORM.letters[byte % FORM.letters.length]).join('')
    whole = text + checkOf(text, FORM)
  } while (!LOOKS_RANDOM.test(whole))
  return { password: whole.replaceAll(GROUP, '$&-'), hash: sha256(whole) }
}

/** The hash to look an app password up by; undefined for text without the form of one. Ignores dashes and case. */
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

/** The passwords that a user gives to apps, each with a name and a scope. Only their hashes are stored. */
export function createAppPasswords(store: AppPasswordStore, clock: Clock, random: Random) {
  return {
    list: (userId: UserId): Promise<AppPassword[]> => store.list(userId, clock.seconds()),

    /** The password is shown only here. Throws `validation_failed` (name), `quota_exceeded`, `unauthorized`. */
    async create(
      session: SessionId,
      userId: UserId,
      wanted: { name: string; scope: AppPasswordScope },
    ): Promise<{ appPassword: AppPassword; password: string }> {
      const name = parseAppName(wanted.name)
      const { password, hash } = newAppPassword(random)
      const createdAt = clock.seconds()
      const { scope } = wanted
      const id = await store.create(session, userId, { name, scope, hash, at: createdAt })
      return { appPassword: { id, name, scope, createdAt, usedAt: undefined, client: undefined }, password }
    },

    /** Ends it, and every session that was begun with it, at once. Rejects with `not_found`. */
    revoke: (userId: UserId, id: AppPasswordId): Promise<void> => store.remove(userId, id),
  }
}

function parseAppName(text: string): string {
  const name = plainName(text)
  if (name === '') throw invalid('name', 'name must say what the password is for, such as the name of the app')
  if (Array.from(name).length > APP_NAME_MAX) throw invalid('name', `name must have at most ${APP_NAME_MAX} characters`)
  return name
}
