import { type Account, account } from '../../../src/web/store/session.ts'

export const accountOf = (username: string): Account => ({
  ...{ username, email: '', is_admin: false, is_active: true, has_password: true, has_second_factor: false },
})

let users = 0

/** Signs in a new user, because the stores keep data by user name. */
export function signInAsNewUser(): void {
  signInAs(`ida${++users}`)
}

/** Signs a user in without a request. */
export function signInAs(username = 'ida'): void {
  account.value = accountOf(username)
}
