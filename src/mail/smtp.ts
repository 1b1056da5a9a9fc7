import type { Transporter } from 'nodemailer'
import { type Mail, type Mailer, MailFailure } from '../domain/accounts/mail.ts'
import type { Secret } from '../platform/secret.ts'
import { messageOf } from './messages.ts'

/** A mail server that takes longer is considered down. */
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000
/** Limit for a whole mail: a server that keeps sending a little would never reach the limit on silence. */
const TOTAL_MS = 60_000

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user: string | undefined
  readonly password: Secret | undefined
  readonly from: string
  readonly baseUrl: string
}

/** Sends by SMTP, one connection per mail: mails are few, and a broken connection then affects only one. */
export function createSmtpMailer(settings: SmtpSettings): Mailer & { verify(): Promise<void> } {
  const { host, port, security, user, password, from, baseUrl } = settings
  const heloName = heloNameOf(new URL(baseUrl).hostname)
  let transport: Transporter | undefined

  /** Loads the library with the first mail, because with its parts of the runtime it takes 18 MiB. */
  async function open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      // By default, a machine whose host name has no dot introduces itself as [127.0.0.1], which many servers refuse.
      ...(heloName !== undefined && { name: heloName }),
      secure: security === 'tls',
      // Opportunistic STARTTLS would not be enough: a machine in between could hide the offer.
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user !== undefined && { auth: { user, pass: password?.reveal() } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    /** Connects and signs in without sending a mail. Throws `MailFailure`. */
    async verify() {
      try {
        transport ??= await open()
        await transport.verify()
      } catch (error) {
        throw toMailFailure(error, `${host}:${port}`, password?.reveal())
      }
    },
    async send(mail: Mail, signal: AbortSignal) {
      const { subject, text, html } = messageOf(mail, baseUrl)
      try {
        transport ??= await open()
        await transport.sendMail({
          from,
          // An object, so that no part of the address is parsed as a second one.
          to: { name: '', address: mail.to },
          subject,
          text,
          html,
          // Prevents automatic replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]),
        })
      } catch (error) {
        throw toMailFailure(error, `${host}:${port}`, password?.reveal())
      }
    },
  }
}

/** Name for EHLO (RFC 5321, 4.1.3); `undefined` for a host without a domain, where the library's default is better. */
function heloNameOf(host: string): string | undefined {
  if (/^[\d.]+$/.test(host)) return `[${host}]`
  if (host.startsWith('[')) return `[IPv6:${host.slice(1, -1)}]`
  const name = host.replace(/\.$/, '')
  return name.includes('.') ? name : undefined
}

interface SmtpError extends Error {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
  readonly response?: unknown
}

const NOT_ENCRYPTED = 'the mail server does not encrypt as smtp_security demands'
const NO_ANSWER = 'the mail server does not answer in time'
const NO_NAME = 'the name of the mail server cannot be resolved'

const CAUSES: Readonly<Record<string, string>> = {
  EABORT: NO_ANSWER,
  ECONNECTION: 'the connection to the mail server was lost',
  ECONNREFUSED: 'the mail server refuses connections',
  EDNS: NO_NAME,
  ENOTFOUND: NO_NAME,
  ESOCKET: 'the connection to the mail server failed',
  ETIMEDOUT: NO_ANSWER,
  ETLS: NOT_ENCRYPTED,
  EREQUIRETLS: NOT_ENCRYPTED,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_ENCRYPTED,
  EAUTH: 'the mail server rejects smtp_user and smtp_password',
  EPROTOCOL: 'the mail server ended the session, or is not a mail server',
  EENVELOPE: 'the mail server rejects the sender or recipient',
  EMESSAGE: 'the mail server rejects the email',
}

const WORDS_MAX = 300

const ABOUT_ADDRESS =
  /^(?=.*\b(?:user|mailbox|recipient|address|syntax)\b)(?!.*\b(?:relay\w*|block\w*|spam|denied|sender)\b)/is

/** Private data that mail servers often quote and that must not be logged: email addresses, and links with tokens. */
const PRIVATE = /[^\s<>:,]+@[^\s<>:,]+|\S*token=\S*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** `server` is `host:port`; `secret` is removed from the message, since the mail server may repeat it. */
function toMailFailure(error: unknown, server: string, secret: string | undefined): MailFailure {
  if (!isError(error)) return new MailFailure('server', `unknown cause (${server})`, error)
  const code = textOf(error.code)
  const response = oneLine(textOf(error.response) || error.message)
  const words = (secret ? response.replaceAll(secret, '…') : response).replaceAll(PRIVATE, '…').slice(0, WORDS_MAX)
  return new MailFailure(kindOf(error, code), `${causeOf(error, code, response)}: ${words} (${server})`, error)
}

function causeOf({ originalCode }: SmtpError, code: string, response: string): string {
  // Node has many codes for bad certificates, but all their messages contain this word.
  if (/certificate/i.test(response)) return 'the certificate of the mail server is not trusted'
  return CAUSES[textOf(originalCode)] ?? CAUSES[code] ?? 'sending failed'
}

function kindOf({ command, responseCode, response }: SmtpError, code: string): MailFailure['kind'] {
  if (command === 'RCPT TO' && typeof responseCode === 'number') return kindOfRecipient(responseCode, textOf(response))
  // nodemailer itself rejected an address. Only the recipient is not a setting.
  if (code === 'EENVELOPE' && responseCode === undefined) return 'address'
  return code === 'EMESSAGE' ? 'mail' : 'server'
}

/** Only a reply that is clearly about the mailbox (`5.1.x` of RFC 3463, or its wording) rules out further attempts. */
function kindOfRecipient(responseCode: number, response: string): MailFailure['kind'] {
  const [, subject] = /\b[245]\.(\d{1,3})\.\d{1,3}\b/.exec(response) ?? []
  if (subject === '7' || responseCode === 530) return 'server'
  const isForGood = responseCode >= 500
  const isAboutAddress = subject === undefined ? ABOUT_ADDRESS.test(response) : subject === '1'
  return isForGood && isAboutAddress ? 'address' : 'mail'
}

function isError(error: unknown): error is SmtpError {
  return error instanceof Error
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Replies may have several lines and arbitrary characters. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
