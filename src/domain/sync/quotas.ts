import { DomainError } from '../shared/errors.ts'

/** What one user may have. */
export interface Quotas {
  /** Over all devices: a podcast on two devices counts twice. */
  readonly subscriptions: number
  readonly devices: number
  /** Things that settings are stored for. */
  readonly settings: number
}

/** What a request that passes a quota is refused with. */
export function quotaExceeded(limit: number, what: string, setting: string): DomainError {
  return new DomainError(
    'quota_exceeded',
    `an account may have ${limit} ${what} (${setting}); nothing was changed: remove some first, or ask the administrator for more`,
  )
}
