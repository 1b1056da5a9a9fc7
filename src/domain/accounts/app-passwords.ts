import type { Clock } from '../../platform/clock.ts'
import { type Random, sha256 } from '../../platform/crypto.ts'
import { invalid } from '../shared/errors.ts'
import type { AppPasswordId, SessionId, UserId } from '../shared/ids.ts'
import { plainName } from '../shared/text.ts'
import type { AppPassword, AppPasswordScope, AppPasswordStore } from './ports/app-passwords.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Random characters: 393 bits. */
const RANDOM_LENGTH = 66
/** Characters that follow from them, so that no password which somebody has chosen is taken for an app password. */
const CHECK_LENGTH = 6
const LENGTH = RANDOM_LENGTH + CHECK_LENGTH
const FORM = /^[A-Za-z0-9]+$/

/** Characters of a name, as of the caption of a device. */
export const APP_NAME_MAX = 100

/** 72 random letters and digits (docs/protocol.md#D65). */
export function newAppPassword(random: Random): string {
  let text = ''
  // A byte that would make some letters more frequent than others is left out.
  while (text.length < RANDOM_LENGTH)
    for (const byte of random.bytes(RANDOM_LENGTH - text.length))
      if (byte < 4 * LETTERS.length) text += LETTERS[byte % LETTERS.length]
  return text + checkOf(text)
}

/**
 * Whether a text has the form of an app password. Then it is looked up by its hash, which tells at once whether it is
 * one; a password that a person has chosen needs a costly hash.
 */
export function isAppPassword(text: string): boolean {
  return (
    text.length === LENGTH && FORM.test(text) && text.slice(RANDOM_LENGTH) === checkOf(text.slice(0, RANDOM_LENGTH))
  )
}

function checkOf(text: string): string {
  return Array.from(sha256(text).subarray(0, CHECK_LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('')
}

export type AppPasswords = ReturnType<typeof createAppPasswords>

/** The passwords that a user gives to apps, each with a name and a scope. Only their hashes are stored. */
export function createAppPasswords(store: AppPasswordStore, clock: Clock, random: Random) {
  return {
    /** Oldest first. */
    list: (userId: UserId): Promise<AppPassword[]> => store.list(userId, clock.seconds()),

    /**
     * The password is told here and never again. `session` is the one that asks. Throws `validation_failed` (name),
     * `quota_exceeded`, `unauthorized`.
     */
    async create(
      session: SessionId,
      userId: UserId,
      wanted: { name: string; scope: AppPasswordScope },
    ): Promise<{ appPassword: AppPassword; password: string }> {
      const name = parseAppName(wanted.name)
      const password = newAppPassword(random)
      const createdAt = clock.seconds()
      const { scope } = wanted
      const id = await store.create(session, userId, { name, scope, hash: sha256(password), at: createdAt })
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
