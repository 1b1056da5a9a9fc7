import type { ErrorCode } from '../domain/shared/errors.ts'
import { STATUS } from './errors.ts'

/** What each machine word of an error tells a client; undefined for words no answer of this API carries. */
const MEANINGS: Record<ErrorCode, string | undefined> = {
  invalid_json: 'The body is empty where one is needed, or is no JSON.',
  validation_failed: 'A value breaks a rule; `field` and `message` say which.',
  invalid_format: 'The suffix of the path is no format that fits.',
  invalid_token: 'The link is unknown, used or expired.',
  username_mismatch: 'Signing in or out: the path names another user than the credentials do.',
  unauthorized: 'There are no credentials, or the session has ended.',
  invalid_credentials: 'User name or password is wrong.',
  forbidden: 'The path, or the body, names another user.',
  feed_forbidden: 'The feed is at an address of a private network, which the server is not allowed to reach.',
  admin_required: 'Only administrators may do this.',
  registration_closed: 'This server takes no new accounts.',
  account_pending: 'The account waits for its activation.',
  account_inactive: 'The account has been deactivated.',
  wrong_password: 'The own password, given to confirm a change, is wrong.',
  csrf_rejected:
    'A page of another site made the request: with a cookie, without the browser having asked first, or for the first account.',
  not_found: 'There is nothing at this address.',
  sso_disabled: 'The server knows no provider for single sign-on.',
  unknown_podcast: 'The server knows no such podcast, or it is private to others.',
  unknown_episode: 'The podcast has no such episode.',
  unknown_user: 'There is no such account, or not any more.',
  unknown_device: 'The user has no such device.',
  method_not_allowed: 'The address does not understand the method; `Allow` lists those it does.',
  username_taken: 'There is an account of this name already.',
  email_taken: 'There is an account with this email address already.',
  last_admin: 'Nobody could administer the server any more.',
  no_email: 'The account has no email address.',
  not_active: 'The account is not active, so nobody is to be let in by mail.',
  smtp_unconfigured: 'The server has no mail server to send with, or no public address for the links.',
  identity_taken: undefined,
  no_password: 'Without a password there would be no way left to sign in.',
  backups_disabled: 'Backups are turned off by the setting `backup_keep`.',
  backup_running: 'A backup is being made already.',
  quota_exceeded:
    'The account would have more devices, subscriptions or settings than the server lets it; nothing was changed.',
  payload_too_large:
    'The body is too large, unpacked (more than 10 MiB, or 64 KiB where no credentials are needed), holds too much (more than 20,000 feeds or 50,000 episode actions), or settings would be too large.',
  unsupported_encoding: '`Content-Encoding` is none of `gzip`, `deflate` and `identity`.',
  feed_invalid: 'What is at the address is no podcast feed.',
  rate_limited: 'Too many attempts; `Retry-After` says when to try again.',
  internal: 'A fault of the server. The message holds the reference under which its log has the details.',
  mail_failed: 'The mail server did not take the mail; the message says why.',
  feed_unreachable: 'The feed could not be fetched; the message says why.',
  unavailable: 'Nothing was changed: too much to do, database not usable, or about to stop. Try again later.',
  backup_failed: 'No backup was made, or the folder of backups cannot be read; the message says why.',
}

export interface ErrorCodeMeaning {
  readonly status: number
  readonly word: string
  readonly meaning: string
}

/** Every word an answer may carry, by status. */
export const ERROR_CODES: readonly ErrorCodeMeaning[] = Object.entries(STATUS).flatMap(([word, status]) => {
  const meaning = isWord(word) ? MEANINGS[word] : undefined
  return meaning === undefined ? [] : [{ status, word, meaning }]
})

function isWord(word: string): word is ErrorCode {
  return Object.hasOwn(MEANINGS, word)
}
