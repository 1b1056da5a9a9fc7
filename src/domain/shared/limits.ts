import { DomainError } from './errors.ts'

export const FEEDS_PER_REQUEST = 5000

export const ROWS_PER_REQUEST = 25_000

export const LISTS_PER_USER = 1000

export const LISTED_FEEDS_PER_USER = 20_000

export const CHAPTERS_PER_EPISODE = 500

export const CHAPTERS_PER_USER = 50_000

export const ACTIONS_PER_REQUEST = 50_000

export const FOLDERS_MAX = 200

/** Podcasts in all folders of a user, counted once per folder. */
export const FILED_PODCASTS_MAX = 20_000

/** Episodes in a user's queue, and in an imported one. */
export const QUEUE_MAX = 1000

/** Episodes that one request can mark by listing them. */
export const NAMED_MARKS_PER_REQUEST = 1000

/** Episodes that one request can mark by a filter. */
export const MARKS_PER_REQUEST = 50_000

export function tooManyFeeds(): DomainError {
  return tooMany(FEEDS_PER_REQUEST, 'feeds')
}

export function tooManyRows(): DomainError {
  return tooMany(ROWS_PER_REQUEST, 'subscriptions over all devices of a sync group')
}

export function tooManyActions(): DomainError {
  return tooMany(ACTIONS_PER_REQUEST, 'episode actions')
}

function tooMany(limit: number, what: string): DomainError {
  return new DomainError(
    'payload_too_large',
    `a request holds ${limit} ${what} at most; nothing was changed, send them in several requests`,
  )
}

export interface Quotas {
  readonly subscriptions: number
  readonly devices: number
  readonly settings: number
}

export function quotaExceeded(limit: number, what: string, setting: string): DomainError {
  return new DomainError(
    'quota_exceeded',
    `an account may have ${limit} ${what} (${setting}); nothing was changed: remove some first, or ask the administrator for more`,
  )
}

export const APP_PASSWORDS_MAX = 100

export function tooManyAppPasswords(): DomainError {
  return new DomainError(
    'quota_exceeded',
    `an account may have ${APP_PASSWORDS_MAX} app passwords; revoke some that you no longer use`,
  )
}

export function fixedQuotaExceeded(limit: number, what: string): DomainError {
  return new DomainError(
    'quota_exceeded',
    `an account may have ${limit} ${what}; nothing was changed: remove some first`,
  )
}
