import { MailFailure } from '../domain/mail.ts'

/** What nodemailer says about a failure, as far as it matters here. */
interface SmtpError extends Error {
  readonly code?: unknown
  /** The command that failed. */
  readonly command?: unknown
  /** The mail server's answer to it. */
  readonly responseCode?: unknown
  readonly response?: unknown
}

/** Beginnings of sentences by nodemailer's code; the mail server's or the system's own words follow. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNECTION: 'the connection to the mail server broke off',
  ECONNREFUSED: 'nothing answers at the address of the mail server',
  EDNS: 'the name of the mail server cannot be resolved',
  ENOTFOUND: 'the name of the mail server cannot be resolved',
  ESOCKET: 'the connection to the mail server failed',
  ETIMEDOUT: 'the mail server does not answer in time',
  ETLS: 'the mail server does not encrypt as smtp_security demands',
  EREQUIRETLS: 'the mail server does not encrypt as smtp_security demands',
  EAUTH: 'the mail server refuses smtp_user and smtp_password',
  ENOAUTH: 'the mail server offers no way to sign in',
  EPROTOCOL: 'what answers is no mail server, or it wants another smtp_security',
  EENVELOPE: 'the mail server refuses sender or recipient',
  EMESSAGE: 'the mail server refuses the mail',
}

const WORDS_MAX = 300

/** What mail servers like to quote and does not belong in a log: addresses of people, and the link with its token. */
const PRIVATE = /[^\s<>:,]+@[^\s<>:,]+|\S*token=\S*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** `server` is `host:port`. */
export function toMailFailure(error: unknown, server: string): MailFailure {
  if (!isError(error)) return new MailFailure('server', `unknown cause (${server})`, error)
  const code = typeof error.code === 'string' ? error.code : ''
  const said = typeof error.response === 'string' ? error.response : error.message
  // Node's many codes for bad certificates do not get through, their words do.
  const cause = /certificate/i.test(said)
    ? 'the certificate of the mail server is not trusted'
    : (CAUSES[code] ?? 'sending failed')
  const words = said.replaceAll(PRIVATE, '…').slice(0, WORDS_MAX)
  return new MailFailure(kindOf(error, code), `${cause}: ${words} (${server})`, error)
}

function kindOf({ command, responseCode, response }: SmtpError, code: string): MailFailure['kind'] {
  if (command === 'RCPT TO' && typeof responseCode === 'number')
    return kindOfRecipient(responseCode, typeof response === 'string' ? response : '')
  // nodemailer itself found fault with the addresses; ours is the only one that is not a setting.
  if (code === 'EENVELOPE' && responseCode === undefined) return 'address'
  return code === 'EMESSAGE' ? 'mail' : 'server'
}

/**
 * Mail servers answer to the recipient what they have against the sender, too: blocked networks, relaying, no sign-in. Only words about
 * the address itself mean that no other attempt will do (RFC 3463: `5.1.x` addressing, `x.7.x` policy).
 */
function kindOfRecipient(responseCode: number, response: string): MailFailure['kind'] {
  const [, subject] = /\b[245]\.(\d{1,3})\.\d{1,3}\b/.exec(response) ?? []
  if (subject === '7' || responseCode === 530) return 'server'
  const isForGood = responseCode >= 500
  const isAboutAddress = subject === undefined ? responseCode === 550 || responseCode === 553 : subject === '1'
  return isForGood && isAboutAddress ? 'address' : 'mail'
}

function isError(error: unknown): error is SmtpError {
  return error instanceof Error
}
