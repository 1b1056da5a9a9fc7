import type { Clock } from '../platform/clock.ts'
import { checkPassword, parseEmail, parseUsername } from './identifiers.ts'
import type { PasswordCheck } from './password-check.ts'
import type { NewUser } from './user.ts'

export interface Registration {
  readonly username: string
  readonly password: string
  readonly email: string
}

/** The row of a new account. Throws `validation_failed`, `unavailable`. */
export async function newUser(
  { username, password, email }: Registration,
  passwords: PasswordCheck,
  clock: Clock,
): Promise<NewUser> {
  const name = parseUsername(username)
  checkPassword(password, 'password')
  const address = parseEmail(email)
  return { username: name, email: address, passwordHash: await passwords.hash(password), at: clock.seconds() }
}
