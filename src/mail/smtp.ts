import type { Transporter } from 'nodemailer'
import { type Mail, type Mailer, MailFailure } from '../domain/accounts/mail.ts'
import type { Secret } from '../platform/secret.ts'
import { messageOf } from './messages.ts'

/** Milliseconds; a mail server that takes longer is down. */
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000
/** For a whole mail: a server that says a little now and then would never be silent. */
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

/** Sends by SMTP, a connection for each mail: there are few, and a broken connection then breaks one. */
export function createSmtpMailer(settings: SmtpSettings): Mailer & { verify(): Promise<void> } {
  const { host, port, security, user, password, from, baseUrl } = settings
  const heloName = heloNameOf(new URL(baseUrl).hostname)
  let transport: Transporter | undefined

  /** The library is loaded for the first mail: with what it needs of the runtime it takes 18 MiB. */
  async function open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      // Without it, a machine whose host name has no dot calls itself [127.0.0.1], which many servers refuse.
      ...(heloName !== undefined && { name: heloName }),
      secure: security === 'tls',
      // Required, not merely used where offered: a machine in between could hide the offer.
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
    /** Connects and signs in, without a mail. Rejects with `MailFailure`. */
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
          // As an object, so that no part of it is taken for a second address.
          to: { name: '', address: mail.to },
          subject,
          text,
          html,
          // Keeps holiday notices from answering (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]),
        })
      } catch (error) {
        throw toMailFailure(error, `${host}:${port}`, password?.reveal())
      }
    },
  }
}

/** The name for EHLO (RFC 5321, 4.1.3); undefined for a host without a domain, where the library knows better. */
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
  ECONNECTION: 'the connection to the mail server broke off',
  ECONNREFUSED: 'nothing answers at the address of the mail server',
  EDNS: NO_NAME,
  ENOTFOUND: NO_NAME,
  ESOCKET: 'the connection to the mail server failed',
  ETIMEDOUT: NO_ANSWER,
  ETLS: NOT_ENCRYPTED,
  EREQUIRETLS: NOT_ENCRYPTED,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_ENCRYPTED,
  EAUTH: 'the mail server refuses smtp_user and smtp_password',
  EPROTOCOL: 'the mail server does not want to talk now, or is none',
  EENVELOPE: 'the mail server refuses sender or recipient',
  EMESSAGE: 'the mail server refuses the mail',
}

const WORDS_MAX = 300

const ABOUT_ADDRESS =
  /^(?=.*\b(?:user|mailbox|recipient|address|syntax)\b)(?!.*\b(?:relay\w*|block\w*|spam|denied|sender)\b)/is

/** What mail servers like to quote and does not belong in a log: addresses of people, and the link with its token. */
const PRIVATE = /[^\s<>:,]+@[^\s<>:,]+|\S*token=\S*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** `server` is `host:port`; `secret` must not come out, even if the mail server repeats it. */
function toMailFailure(error: unknown, server: string, secret: string | undefined): MailFailure {
  if (!isError(error)) return new MailFailure('server', `unknown cause (${server})`, error)
  const code = textOf(error.code)
  const said = oneLine(textOf(error.response) || error.message)
  const words = (secret ? said.replaceAll(secret, '…') : said).replaceAll(PRIVATE, '…').slice(0, WORDS_MAX)
  return new MailFailure(kindOf(error, code), `${causeOf(error, code, said)}: ${words} (${server})`, error)
}

function causeOf({ originalCode }: SmtpError, code: string, said: string): string {
  // Node has many codes for bad certificates, and one word in all their messages.
  if (/certificate/i.test(said)) return 'the certificate of the mail server is not trusted'
  return CAUSES[textOf(originalCode)] ?? CAUSES[code] ?? 'sending failed'
}

function kindOf({ command, responseCode, response }: SmtpError, code: string): MailFailure['kind'] {
  if (command === 'RCPT TO' && typeof responseCode === 'number') return kindOfRecipient(responseCode, textOf(response))
  // nodemailer itself found fault with the addresses; ours is the only one that is not a setting.
  if (code === 'EENVELOPE' && responseCode === undefined) return 'address'
  return code === 'EMESSAGE' ? 'mail' : 'server'
}

/** Only what is clearly about the mailbox (`5.1.x` of RFC 3463, or such words) rules out further attempts. */
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

/** Replies may have several lines, and anything may be in them. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}
