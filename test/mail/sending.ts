import { afterAll, beforeAll } from 'bun:test'
import tls from 'node:tls'
import { type Mail, MailFailure } from '../../src/domain/accounts/mail.ts'
import { createSmtpMailer, type SmtpSettings } from '../../src/mail/smtp.ts'
import { Secret } from '../../src/platform/secret.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, FOREIGN_CERTIFICATE } from '../support/certificate.ts'
import { type SmtpServerSettings, startSmtpServer } from '../support/smtp.ts'

export const TOKEN = '3f1c2b0a-5d6e-4f70-8a9b-0c1d2e3f4a5b'
export const MAIL = { kind: 'password_reset', to: 'ole@pods.example', username: 'ole', token: TOKEN } as const
export const BASE_URL = 'https://home.example/pods'
export const PASSWORD = 'hunter2seaglass'
/** What a server asks for, and the settings that answer it. */
export const ACCOUNT = { user: 'podcasts', password: PASSWORD }
export const SIGN_IN = { user: 'podcasts', password: new Secret(PASSWORD) }

/** For a whole file: certificates that are faulty otherwise, too, and not the unknown one. */
export function trustTestCertificates(): void {
  const usual = tls.getCACertificates('default')
  beforeAll(() => tls.setDefaultCACertificates([CERTIFICATE, FOREIGN_CERTIFICATE, EXPIRED_CERTIFICATE]))
  afterAll(() => tls.setDefaultCACertificates(usual))
}

/** Sends a mail; the failure if there is one. */
export async function attempt(
  settings: Pick<SmtpSettings, 'host' | 'port'> & Partial<SmtpSettings>,
  mail: Mail = MAIL,
  signal: AbortSignal = new AbortController().signal,
) {
  const mailer = createSmtpMailer({
    security: 'starttls',
    user: undefined,
    password: undefined,
    from: 'Podcasts <podcasts@home.example>',
    baseUrl: BASE_URL,
    ...settings,
  })
  try {
    await mailer.send(mail, signal)
  } catch (error) {
    if (error instanceof MailFailure) return error
    throw error
  }
  return undefined
}

/** Sends one mail to a server of its own. */
export async function send(offers: SmtpServerSettings, settings: Partial<SmtpSettings> = {}, mail: Mail = MAIL) {
  await using server = await startSmtpServer(offers)
  const { host, port, steps, mails } = server
  const failure = await attempt({ host, port, ...settings }, mail)
  return { failure, steps, mails, server: `${host}:${port}` }
}
