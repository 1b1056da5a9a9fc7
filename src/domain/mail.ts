import type { TokenPurpose } from './account-ports.ts'

/** A mail to one person. The mailer makes text and link of it. */
export type Mail =
  | { readonly kind: TokenPurpose; readonly to: string; readonly username: string; readonly token: string }
  | { readonly kind: 'test'; readonly to: string }

/** Seconds; no mail waits longer for its next attempt. */
export const LONGEST_PAUSE = 3600

export interface Mailer {
  /** Settles when the mail server has taken the mail, or soon after `signal` is aborted. Rejects with `MailFailure`. */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/**
 * Whose fault a failure is: of this address, which no other attempt will mend; of this mail, for now; or of the way to the mail
 * server, which no other mail will get along either.
 */
export type MailFailureKind = 'address' | 'mail' | 'server'

/** The message tells an administrator in plain words what went wrong; it holds no secret and no recipient. */
export class MailFailure extends Error {
  readonly kind: MailFailureKind

  constructor(kind: MailFailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MailFailure'
    this.kind = kind
  }
}
