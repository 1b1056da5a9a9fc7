import { describe, expect, spyOn, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, clientOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { countedDatabase } from '../../support/database.ts'
import { parseMail, startSmtpServer } from '../../support/smtp.ts'
import { countingHasher, expectVoid, outbox, sessionCount, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const PATH = '/api/2/password-reset'
const BY_ADMIN = '/api/admin/users/OLE/reset-password'
const OLE = 'ole@pods.example'
const OK = [200, { status: 'ok' }]
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Administrator ida without an email address, Ole with one, eva (inactive) and kai (pending). */
async function open({ canMail = true, settings = {}, db = countedDatabase().db, address = 'Ole@Pods.example' } = {}) {
  const { mailer, sent } = outbox()
  const { hasher } = countingHasher()
  const hash = spyOn(hasher, 'hash')
  const app = startTestApp({
    settings: { registration: 'invite', ...settings },
    db,
    hasher,
    ...(canMail && { mailer }),
  })
  const ida = await signUp(app)
  const ole = await signUp(app, 'Ole', 'driftwood', address)
  await signUp(app, 'eva', 'seashell', 'eva@pods.example')
  await app.services.administration.setActive('eva', false, COMMAND_LINE)
  const anyone = clientOf(app)
  await anyone.post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
  await app.idle()
  sent.length = 0
  app.logs.length = 0
  const ask = async (email: unknown, headers: Record<string, string> = {}) => {
    const answer = await anyone.post(PATH, { email }, { headers })
    await app.idle()
    return answer
  }
  const confirm = (token: unknown, new_password: unknown = 'seagrass') =>
    anyone.post(`${PATH}/confirm`, { token, new_password })
  const worksWith = async (password: string) => {
    const headers = { ...basic('ole', password), 'user-agent': 'probe' }
    return (await clientOf(app, headers).get('/api/2/me')).status === 200
  }
  return { app, ida, ole, anyone, sent, ask, confirm, worksWith, hash }
}

/** Ole is signed in with a browser and an app, and has requested a link. */
async function openAsked() {
  const scene = await open({ settings: { rate_limit: 'false' } })
  const browser = await signIn(scene.app, 'ole', 'driftwood')
  expect(await scene.ole.get('/api/2/me')).toMatchObject({ status: 200 })
  await scene.ask(OLE)
  return { ...scene, browser, token: tokenIn(scene.sent) }
}

const bytes = ({ status, headers, text }: Answer) => JSON.stringify([status, [...headers], text])

describe('a request for a reset link', () => {
  test.each([
    ['ja, en-GB;q=0.3, ES;q=0.8', 'es'],
    [';;,q=', 'en'],
  ])('sends a mail to the registered address in the language of the request: %s', async (wanted, language) => {
    const { ida, sent, app, ask } = await open()
    const headers = { 'accept-language': wanted }
    const { status, json } = await ask('OLE@pods.example', headers)
    expect([status, json]).toEqual(OK)
    const mail = { kind: 'password_reset', to: 'Ole@Pods.example', language, username: 'Ole' }
    expect<unknown>(sent).toEqual([{ ...mail, token: expect.stringMatching(UUID_V4) }])
    await ida.post(BY_ADMIN, {}, { headers })
    await app.idle()
    await ida.post('/api/admin/mail/test', { email: OLE }, { headers })
    expect(sent.slice(1)).toMatchObject(['password_reset', 'test'].map((kind) => ({ kind, language })))
  })

  test('is answered identically whether or not the address is known or valid', async () => {
    const settings = { rate_limit: 'false' }
    const expected = bytes(await (await open({ settings })).ask(OLE))
    for (const canMail of [true, false]) {
      const { ask, sent } = await open({ canMail, settings })
      // Unknown, pending, inactive, empty, with a header, with half a surrogate pair, and too long.
      for (const name of ['nobody', 'kai', 'eva', '', 'ole\r\nBcc: x', '\ud83d', 'x'.repeat(60_000)])
        expect(bytes(await ask(name && `${name}@pods.example`))).toBe(expected)
      expect(sent).toEqual([])
      expect(bytes(await ask(OLE))).toBe(expected)
      expect(sent).toHaveLength(canMail ? 1 : 0)
    }
  })

  test('runs the same statements before the answer whether or not the address is known', async () => {
    const { db, during } = countedDatabase()
    const { app, anyone } = await open({ db, settings: { rate_limit: 'false' } })
    const work: string[][] = []
    for (const email of ['ole', 'nobody', 'kai', 'eva'].map((name) => `${name}@pods.example`)) {
      // The first round prepares the statements.
      for (let n = 0; n < 2; n++) {
        const executed = await during(() => anyone.post(PATH, { email }))
        // Later statements are added to the same list.
        work.push([...executed])
        await app.idle()
      }
    }
    const [expected, ...others] = work.filter((_executed, index) => index % 2 === 1)
    expect(expected?.join('\n')).toContain('mails')
    for (const other of others) expect(other).toEqual(expected ?? [])
  })

  test('is limited to five an hour for one address, without invalid ones', async () => {
    const { app, anyone, ask } = await open()
    for (let n = 0; n < 10; n++) expectError(await anyone.post(PATH, {}), 400, 'validation_failed', 'email')
    for (let n = 0; n < 5; n++) expect(await ask(n % 2 === 0 ? OLE : 'x')).toMatchObject({ status: 200 })
    app.clock.advance(600)
    const refused = await ask('nobody@pods.example')
    expectError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('3000')
    app.setPeer('198.51.100.7')
    expect(await ask('nobody@pods.example')).toMatchObject({ status: 200 })
  })

  test('sends at most three mails an hour to one mailbox, with the same answers', async () => {
    const { app, sent, ask } = await open()
    const answers: string[] = []
    for (let n = 0; n < 5; n++) {
      app.setPeer(`198.51.100.${n}`)
      answers.push(bytes(await ask(n % 2 === 0 ? OLE : ' OLE@Pods.example')))
    }
    expect([new Set(answers).size, sent.length]).toEqual([1, 3])
    expect(app.logs.filter((line) => line.includes('"level":"warn"'))).toHaveLength(2)
    expect(app.logs.join('')).not.toContain('pods.example')
    app.clock.advance(3600)
    await ask(OLE)
    expect(sent).toHaveLength(4)
  })

  test('causes a warning without the address if there is no mail server', async () => {
    const { app, ask } = await open({ canMail: false })
    const before = await stored(app)
    await ask(OLE)
    expect(await stored(app)).toBe(before)
    expect(app.logs).toEqual([expect.stringMatching(/"level":"warn".*password reset.*smtp_host/)])
    expect(app.logs.join('')).not.toContain('pods.example')
  })
})

test('an administrator sends a user a link without seeing the token or ending sessions', async () => {
  const { app, ida, ole, sent, confirm, worksWith } = await open()
  const browser = await signIn(app, 'ole', 'driftwood')
  const answer = await ida.post(BY_ADMIN)
  await app.idle()
  expect([answer.status, answer.json]).toEqual(OK)
  expect(sent).toMatchObject([{ kind: 'password_reset', to: 'Ole@Pods.example', username: 'Ole' }])
  const shown = [answer, await ida.get('/api/admin/mail'), await ida.get('/api/admin/audit')].map(({ text }) => text)
  expect([...shown, await stored(app), ...app.logs].join('\n')).not.toContain(tokenIn(sent))
  for (const client of [ole, browser]) expect((await client.get('/api/2/me')).status).toBe(200)
  expect(await confirm(tokenIn(sent))).toMatchObject({ status: 200 })
  expect(await worksWith('seagrass')).toBe(true)
})

test.each([
  ['no address', { address: '' }, 'active', 'no_email'],
  ['no mail server', { canMail: false }, 'active', 'smtp_unconfigured'],
  ['not been activated', {}, 'pending_activation', 'not_active'],
  ['been deactivated', {}, 'inactive', 'not_active'],
])('an administrator cannot send a link if the account or the server has %s', async (_case, options, state, code) => {
  const { app, ida, sent } = await open(options)
  app.db.run('UPDATE users SET state = ? WHERE username = ?', [state, 'Ole'])
  const before = await stored(app)
  expectError(await ida.post(BY_ADMIN), 409, code)
  await app.idle()
  expect([await stored(app), sent]).toEqual([before, []])
})

test('a reset token replaces the password and ends all sessions', async () => {
  const { app, token, ole, browser, confirm, worksWith } = await openAsked()
  for (const wrong of ['\ud83d', 'x'.repeat(60_000)]) expectVoid(await confirm(wrong))
  // A refused password does not use up the token.
  expectError(await confirm(token, 'abc'), 400, 'validation_failed', 'new_password')
  expect(await worksWith('driftwood')).toBe(true)
  const answer = await confirm(token)
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([...OK, null])
  expectError(await browser.get('/api/2/me'), 401, 'unauthorized')
  // Although this password was remembered.
  expectError(await ole.get('/api/2/me'), 401, 'invalid_credentials')
  expect(await sessionCount(app, 'ole')).toBe(0)
  expect([await worksWith('driftwood'), await worksWith('seagrass')]).toEqual([false, true])
})

test('a reset token works for one of a hundred concurrent requests, with one hash', async () => {
  const { token, confirm, worksWith, hash } = await openAsked()
  const before = hash.mock.calls.length
  const passwords = Array.from({ length: 100 }, (_, n) => `seagrass ${n}`)
  const answers = await Promise.all(passwords.map((password) => confirm(token, password)))
  const winners = passwords.filter((_password, index) => answers[index]?.status === 200)
  expect([winners.length, hash.mock.calls.length - before]).toEqual([1, 1])
  for (const answer of answers.filter(({ status }) => status !== 200)) expectVoid(answer)
  expect(await worksWith(winners[0] ?? '')).toBe(true)
})

test('a reset token is neither logged nor stored in clear text, nor are passwords and addresses', async () => {
  const { app, token, ask, sent, confirm } = await openAsked()
  await confirm(token, 'abc')
  for (const password of ['seagrass', 'pebbles']) await confirm(token, password)
  await ask(OLE)
  const second = tokenIn(sent)
  app.db.run(`CREATE TRIGGER broken BEFORE UPDATE ON users BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  expectError(await confirm(second, 'pebbles'), 500, 'internal')
  const secrets = [token, second, 'seagrass', 'pebbles', 'driftwood']
  const log = app.logs.join('\n')
  expect(log).toContain('broken')
  expect([...secrets, 'pods.example'].filter((secret) => log.includes(secret))).toEqual([])
  const rows = await stored(app)
  expect(secrets.filter((secret) => rows.includes(secret))).toEqual([])
  // The token stays valid.
  app.db.run('DROP TRIGGER broken')
  expect(await confirm(second, 'pebbles')).toMatchObject({ status: 200 })
})

test('the mailed link points to base_url, not to the host in the headers', async () => {
  await using server = await startSmtpServer({ security: 'none' })
  const app = startTestApp({
    settings: {
      base_url: 'https://home.example/podcasts',
      smtp_host: server.host,
      smtp_port: String(server.port),
      smtp_from: 'podcasts@home.example',
      smtp_security: 'none',
      // The forged headers come from a trusted proxy.
      trusted_proxies: '192.0.2.1',
    },
  })
  await signUp(app, 'ole', 'driftwood', OLE)
  const host = 'evil.example'
  const client = clientOf(app, {
    ...{ host, 'x-forwarded-host': host, 'x-forwarded-server': host, 'x-original-host': host },
    ...{ origin: 'https://evil.example', referer: 'https://evil.example/', forwarded: 'host=evil.example' },
    // JSON needs a preflight in browsers, so the request itself is accepted.
    ...{ 'content-type': 'application/json', 'x-forwarded-proto': 'http' },
  })
  expect(await client.post(`/podcasts${PATH}`, { email: OLE })).toMatchObject({ status: 200 })
  await app.idle()

  expect(server.mails.map(({ to }) => to)).toEqual([[OLE]])
  const raw = server.mails[0]?.raw ?? ''
  expect(raw).not.toContain('evil')
  const { text } = parseMail(raw)
  const [, token = ''] = /https:\/\/home\.example\/podcasts\/reset-password#token=(\S+)\n/.exec(text) ?? []
  const confirmed = await client.post(`/podcasts${PATH}/confirm`, { token, new_password: 'seagrass' })
  expect([confirmed.status, confirmed.json]).toEqual(OK)
})
