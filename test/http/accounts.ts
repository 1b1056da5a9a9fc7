import type { Mail, Mailer } from '../../src/domain/accounts/mail.ts'
import { createPasswordHasher, type PasswordHasher } from '../../src/platform/password.ts'
import type { TestApp } from '../support/app.ts'
import { type Answer, type Client, signIn, signUp } from '../support/client.ts'
import { expectError } from './error.ts'

/** Counts the sessions of a user, including expired ones. */
export async function sessionCount({ rowsOf }: TestApp, username = 'ida'): Promise<number> {
  const sessions = 'SELECT 1 FROM sessions JOIN users ON users.id = user_id WHERE username_key = $1'
  return (await rowsOf(sessions, username.toLowerCase())).length
}

/** A mailer that keeps all mails in `sent`. */
export function outbox(): { readonly mailer: Mailer; readonly sent: Mail[] } {
  const sent: Mail[] = []
  return { sent, mailer: { send: async (mail) => void sent.push(mail) } }
}

/** Returns the token of the link in the last mail. */
export function tokenIn(sent: readonly Mail[]): string {
  const mail = sent.at(-1)
  if (!mail || !('token' in mail)) throw new Error('no mail with a token was sent')
  return mail.token
}

/** Expects that a token was refused. */
export function expectVoid(answer: Answer): void {
  expectError(answer, 400, 'invalid_token', 'token')
}

/** Usernames of all accounts, in alphabetical order. */
export async function names({ services }: TestApp): Promise<string[]> {
  return (await services.administration.list()).map(({ username }) => username)
}

/** Runs a scheduled job to its end. */
export async function runJob(app: TestApp, wanted: 'housekeeping' | 'mail'): Promise<void> {
  await app.idle()
  app.jobs.find(({ name }) => name === wanted)?.run()
  await app.idle()
}

/** Creates a user of single sign-on and signs in with a browser. */
export async function signUpByProvider(
  app: TestApp,
  username: string,
  { keepsPassword = false } = {},
): Promise<Client> {
  await signUp(app, username)
  const browser = await signIn(app, username)
  if (!keepsPassword) await app.rowsOf('UPDATE users SET password_hash = NULL WHERE username = $1', username)
  await app.rowsOf(
    `INSERT INTO identities (user_id, issuer, subject, created_at)
     SELECT id, 'https://id.example', username, 1 FROM users WHERE username = $1`,
    username,
  )
  return browser
}

interface CountingHasher {
  readonly hasher: PasswordHasher
  /** Number of verifications, including those against the decoy hash for unknown users. */
  verified(): number
}

/** Replaces only the hash function; queue and decoy are real. */
export function countingHasher(): CountingHasher {
  let verified = 0
  const hashOf = (password: string) => `counted:${Bun.hash(password)}`
  const hasher = createPasswordHasher({
    hash: async (password) => hashOf(password),
    verify: async (password, phc) => {
      verified++
      return phc === hashOf(password)
    },
  })
  return { hasher, verified: () => verified }
}

/** Reads and changes of all kinds by Ida, an administrator; each succeeds, alone and in this order. */
export const PROTECTED: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['GET', '/api/2/me', undefined],
  ['POST', '/api/2/me/password', { old_password: 'seaglass', new_password: 'seaglass' }],
  ['POST', '/api/2/me/email', { email: 'ida@pods.example', password: 'seaglass' }],
  ['DELETE', '/api/2/me/sessions', undefined],
  ['GET', '/api/2/devices/ida.json', undefined],
  ['POST', '/api/2/devices/ida/phone.json', { caption: 'Phone' }],
  ['PUT', '/api/2/devices/ida/phone.json', { caption: 'Phone' }],
  ['POST', '/api/2/sync-devices/ida.json', {}],
  ['GET', '/subscriptions/ida.opml', undefined],
  ['PUT', '/subscriptions/ida/phone.txt', 'https://feeds.example/a\n'],
  ['GET', '/api/2/subscriptions/ida/phone.json?since=0', undefined],
  ['POST', '/api/2/subscriptions/ida/phone.json', { add: [], remove: [] }],
  ['POST', '/api/2/episodes/ida.json', []],
  ['DELETE', '/api/2/devices/ida/desk.json', undefined],
  ['GET', '/api/admin/users', undefined],
  ['POST', '/api/admin/users', { username: 'kai', password: 'pebbles' }],
]
