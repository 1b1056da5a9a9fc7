import { invalid } from '../shared/errors.ts'

const USERNAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/
const DEVICE_ID = /^[\p{L}\p{N}_.-]{1,64}$/u
const EMAIL_LOCAL = /^[^\s@\p{Cc}]{1,64}$/u
const EMAIL_DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** Alias for the signed-in user on other servers (docs/protocol.md#D12). */
const RESERVED_USERNAME = 'current'

const EMAIL_MAX = 254
const PASSWORD_MIN = 4
const PASSWORD_MAX = 256

/** Trims white space, which phone keyboards add. Throws `validation_failed` (docs/protocol.md#D12). */
export function parseUsername(raw: string): string {
  const name = raw.trim()
  if (!USERNAME.test(name)) {
    throw invalid(
      'username',
      'username must be 1 to 64 letters, digits, "_", "." or "-" and start with a letter, digit or "_"',
    )
  }
  if (usernameKey(name) === RESERVED_USERNAME) throw invalid('username', 'this username is reserved')
  return name
}

/** Folds ASCII only, since usernames are ASCII: Unicode folding would let the Kelvin sign pass for a `k`. */
export function usernameKey(name: string): string {
  return name.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Checks a device ID (docs/protocol.md#D13): 1 to 64 code points, case-sensitive, not trimmed. */
export function isDeviceId(raw: string): boolean {
  return DEVICE_ID.test(raw)
}

export function parseDeviceId(raw: string): string {
  if (!isDeviceId(raw)) throw invalid('device', 'device ID must be 1 to 64 letters, digits, "_", "." or "-"')
  return raw
}

/** Returns the address unchanged, undefined for ''. Throws `validation_failed` (docs/protocol.md#D70). */
export function parseEmail(raw: string): string | undefined {
  if (raw === '') return undefined
  if (raw.length > EMAIL_MAX) throw invalid('email', `email must have at most ${EMAIL_MAX} characters`)
  if (!isEmail(raw)) throw invalid('email', 'email must be an email address')
  return raw
}

/** Checks an email address (docs/protocol.md#D70). */
export function isEmail(raw: string): boolean {
  if (raw.length > EMAIL_MAX) return false
  const [local = '', domain = '', ...more] = raw.split('@')
  return more.length === 0 && EMAIL_LOCAL.test(local) && EMAIL_DOMAIN.test(domain)
}

/** Key for comparing email addresses. Mail goes to the stored address, never to the key. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}

/** Throws `validation_failed` for `field` unless `raw` has 4 to 256 code points (docs/protocol.md#D19, D70). */
export function checkPassword(raw: string, field: string): void {
  // A code point has at most two UTF-16 units, so megabytes need not be counted by code points.
  const length = raw.length > 2 * PASSWORD_MAX ? raw.length : [...raw].length
  if (length < PASSWORD_MIN) throw invalid(field, `${field} must have at least ${PASSWORD_MIN} characters`)
  if (length > PASSWORD_MAX) throw invalid(field, `${field} must have at most ${PASSWORD_MAX} characters`)
}
