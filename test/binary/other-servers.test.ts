import { describe, expect, test } from 'bun:test'
import { openBrowser, signInAs } from '../support/browser.ts'
import { basic } from '../support/client.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { parseMail, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { createUser, IDA } from './support/scene.ts'
import { startServer } from './support/server.ts'

const ACCOUNT = { user: 'podcasts', password: 'low tide' }

const settingsFor = ({ host, port }: TestSmtpServer) => ({
  SVC_BASE_URL: 'https://home.example/podcasts',
  SVC_REGISTRATION: 'invite',
  SVC_SMTP_HOST: host,
  SVC_SMTP_PORT: String(port),
  SVC_SMTP_SECURITY: 'none',
  SVC_SMTP_USER: ACCOUNT.user,
  SVC_SMTP_PASSWORD: ACCOUNT.password,
  SVC_SMTP_FROM: 'Podcasts <podcasts@home.example>',
})

const BEN = { username: 'ben', password: 'seaglass', email: 'ben@pods.example' }

/** The page and the token of the link in an email. */
function linkIn(raw: string | undefined): string[] {
  return /(https:\S+)#token=(\S+)/.exec(parseMail(raw ?? '').text)?.slice(1) ?? []
}

describe('an email that was being sent', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'when the server got %s is sent after the next start, and its link works',
    async (signal) => {
      using folder = emptyFolder()
      await createUser(folder, 'ida')
      const never = new Promise<void>(() => undefined)
      await using deaf = await startSmtpServer({ security: 'none', account: ACCOUNT, hold: never })
      await using first = await startServer({ cwd: folder.path, env: settingsFor(deaf) })
      const { status, json } = await first.client().post('/podcasts/api/2/register', BEN)
      expect([status, json]).toEqual([
        200,
        { status: 'pending_activation', message: 'An activation link has been sent to ben@pods.example.' },
      ])
      await deaf.held
      first.signal(signal)
      // It does not wait for the time-outs of SMTP, the shortest of which is 20 seconds.
      expect(await first.ended(15)).toBe(signal === 'SIGTERM' ? 0 : null)

      await using good = await startSmtpServer({ security: 'none', account: ACCOUNT })
      await using second = await startServer({ cwd: folder.path, env: settingsFor(good) })
      expect(await second.logged('sent an email')).toMatchObject({ purpose: 'activation', user: 'ben' })
      const [mail] = good.mails
      expect(mail).toMatchObject({ to: ['ben@pods.example'], user: ACCOUNT.user })
      const [page, token] = linkIn(mail?.raw)
      expect(page).toBe('https://home.example/podcasts/activate')
      expect(await second.client().post('/podcasts/api/2/activate', { token })).toMatchObject({ status: 200 })
      expect(await second.client(basic('ben', 'seaglass')).get('/podcasts/api/2/me')).toMatchObject({ status: 200 })
    },
  )
})

test('podstep mail test sends an email beside a running server, and leaves an audit entry', async () => {
  using folder = emptyFolder()
  await createUser(folder, 'ida')
  await using smtp = await startSmtpServer({ security: 'none', account: ACCOUNT })
  const env = settingsFor(smtp)
  await using server = await startServer({ cwd: folder.path, env })
  const outcome = await podstep(['mail', 'test', 'ida@pods.example'], { cwd: folder.path, env })
  expect(outcome).toMatchObject({ code: 0, out: 'the mail server has accepted the email to ida@pods.example\n' })
  expect(smtp.mails.map(({ raw }) => parseMail(raw).subject)).toEqual(['podstep can send email'])
  const audit = await server.client(IDA).get('/podcasts/api/admin/audit')
  expect(audit.json).toMatchObject({ entries: [{ via: 'command_line', action: 'test_mail_sent' }, {}] })
})

test('users sign in to the executable at a provider, and sign out again', async () => {
  await using provider = await startOidcProvider()
  using folder = emptyFolder()
  const env = Object.fromEntries(
    Object.entries(provider.settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, String(value)]),
  )
  await using server = await startServer({ cwd: folder.path, env })
  // The public name of the server stands for its real address.
  const browser = openBrowser({
    fetch(request) {
      const { pathname, search, host } = new URL(request.url)
      const { method, body } = request
      const headers = { ...Object.fromEntries(request.headers), host }
      return fetch(`http://127.0.0.1:${server.port}${pathname}${search}`, { method, headers, body, redirect: 'manual' })
    },
  })
  const page = await signInAs(browser, 'ida')
  expect(page.status).toBe(200)
  expect((await browser.visit('/api/2/me')).json).toMatchObject({ username: 'ida', is_admin: true })
  const origin = new URL(String(provider.settings['base_url'])).origin
  const out = await browser.visit('/auth/sso/logout', { form: {}, headers: { origin } })
  expect(out.hops.map(({ status }) => status).slice(0, 1)).toEqual([303])
  expect((await browser.visit('/api/2/me')).status).toBe(401)
  expect(await server.logged('signed in by single sign-on')).toMatchObject({ user: 'ida' })
})
