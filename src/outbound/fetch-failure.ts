export type FetchFailureReason =
  /** The address, or a redirect from it, leads to a private network. */
  | 'forbidden'
  /** The setting `outbound` forbids all requests. */
  | 'off'
  | 'bad_url'
  /** This process has too many files and connections open; the other server is not at fault. */
  | 'out_of_files'
  | 'unresolved'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'bad_encoding'

/** The message is for administrators and names hosts only, since paths may be secrets. */
export class FetchFailure extends Error {
  readonly reason: FetchFailureReason

  constructor(reason: FetchFailureReason, message: string) {
    super(message)
    this.name = 'FetchFailure'
    this.reason = reason
  }
}
