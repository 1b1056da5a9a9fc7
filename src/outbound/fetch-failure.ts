export type FetchFailureReason =
  /** The address, or one it leads to, is of a private network. */
  | 'forbidden'
  /** The setting `outbound` forbids all of them. */
  | 'off'
  | 'bad_url'
  /** Nothing is wrong with the other server: this process has too many files and connections open. */
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
