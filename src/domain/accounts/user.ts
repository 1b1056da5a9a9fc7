import type { UserId } from '../shared/ids.ts'

/** `deleting` is between the decision and the last row: nobody sees or uses such an account any more, but its name is not free yet. */
export type UserState = 'active' | 'pending_activation' | 'inactive' | 'deleting'
export type RegistrationMode = 'open' | 'closed' | 'invite'

export interface User {
  readonly id: UserId
  readonly username: string
  readonly email: string | undefined
  readonly isAdmin: boolean
  readonly state: UserState
}

/** What a password is checked against; `passwordHash` is missing for people who only use single sign-on. */
export interface UserCredentials extends User {
  readonly passwordHash: string | undefined
}

export interface UserSummary extends User {
  readonly devices: number
  /** Distinct feeds over all devices. */
  readonly subscriptions: number
  readonly createdAt: number
}

export interface NewUser {
  readonly username: string
  readonly email: string | undefined
  readonly passwordHash: string
  readonly at: number
}
