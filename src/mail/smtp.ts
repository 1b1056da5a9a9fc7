import { createTransport } from 'nodemailer'
import type { Mail, Mailer } from '../domain/accounts/mail.ts'
import type { Secret } from '../platform/secret.ts'
import { toMailFailure } from './failures.ts'
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
  /** `Name <address>` or an address. */
  readonly from: string
  /** Public address of this server, where links lead. */
  readonly baseUrl: string
}

/** Sends by SMTP, a connection for each mail: there are few, and a broken connection then breaks one. */
export function createSmtpMailer(settings: SmtpSettings): Mailer {
  const { host, port, security, user, password, from, baseUrl } = settings
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    // Required, not merely used where offered: whoever sits in between could hide the offer.
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

  return {
    async send(mail: Mail, signal: AbortSignal) {
      const { subject, text, html } = messageOf(mail, baseUrl)
      try {
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
