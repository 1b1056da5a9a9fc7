import type { IdentityKey } from './ports.ts'

/** What a provider says about somebody. Only the key proves anything; the rest are suggestions. */
export interface Identified extends IdentityKey {
  readonly username: string | undefined
  readonly email: string | undefined
  /** Whether the provider says that it has checked the address. */
  readonly emailIsVerified: boolean
  /** Missing when nobody asked. */
  readonly groups: readonly string[] | undefined
}

/** What has to be remembered between sending somebody to the provider and the way back. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
}

export interface IdentityProvider {
  readonly name: string
  /** Where to send the browser. Rejects with `SignInFailure`. */
  begin(): Promise<{ readonly url: string; readonly pending: PendingSignIn }>
  /** Who has come back with these parameters. Rejects with `SignInFailure`. */
  complete(parameters: URLSearchParams, pending: PendingSignIn): Promise<Identified>
  /** Asks the provider about itself now, whatever is known. Rejects with `SignInFailure` if nobody could sign in. */
  test(): Promise<void>
  /** Where the browser ends its session with the provider too, if it can. `returnTo` is where it is sent afterwards. */
  endSessionUrl(returnTo: string): Promise<string | undefined>
}

/** The words of docs/protocol.md#D77 that a failed sign-in ends with at `/login?error=`; `identity_taken` is ours. */
export type SignInErrorCode =
  | 'sso_state'
  | 'sso_denied'
  | 'sso_failed'
  | 'sso_unavailable'
  | 'account_inactive'
  | 'account_pending'
  | 'registration_closed'
  | 'email_taken'
  | 'identity_taken'

/** A sign-in that leads to no session. The message is for the log: it tells the cause, and no secret. */
export class SignInFailure extends Error {
  readonly word: SignInErrorCode

  constructor(word: SignInErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SignInFailure'
    this.word = word
  }
}
