import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { codeOf } from '../../support/totp.ts'
import { outbox, runJob, sessionCount, signUpByProvider, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'

const PATH = '/api/2/me/second-factor'
const ME = '/api/2/me'
const LOGIN = '/api/2/auth/ida/login.json'
const PASSWORD = { password: 'seaglass' }
const RESET = '/api/admin/users/ole/reset-second-factor'
const SMTP = { smtp_host: 'mail.example', smtp_from: 'pods@example.org', base_url: 'http://localhost' }

/** An authenticator app. */
function authenticator(app: TestApp, secret: string) {
  const codeAt = (seconds: number) => codeOf(secret, seconds)
  return {
    code: () => codeAt(app.clock.seconds()),
    /** The unused code of the next half minute. */
    nextCode() {
      app.clock.advance(30)
      return codeAt(app.clock.seconds())
    },
    /** A code of another day. */
    wrongCode: () => codeAt(app.clock.seconds() + 86_400),
  }
}

async function open(options: Parameters<typeof startTestApp>[0] = {}) {
  const app = startTestApp(options)
  app.clock.advance(1)
  const ida = await signUp(app, 'ida', 'seaglass', 'ida@pods.example')
  const browser = await signIn(app)
  return { app, ida, browser }
}

async function turnOn(app: TestApp, browser: Client) {
  const begun = await browser.post(`${PATH}/setup`, PASSWORD)
  expect(begun.status).toBe(200)
  const phone = authenticator(app, (begun.json as { secret: string }).secret)
  const answer = await browser.post(PATH, { code: phone.code() })
  expect(answer.status).toBe(200)
  return { ...phone, recoveryCodes: (answer.json as { recovery_codes: string[] }).recovery_codes }
}

async function openWithFactor(options: Parameters<typeof startTestApp>[0] = {}) {
  const opened = await open(options)
  return { ...opened, phone: await turnOn(opened.app, opened.browser) }
}

function login(app: TestApp, code?: string, password = 'seaglass') {
  return clientOf(app, {
    ...basic('ida', password),
    ...(code !== undefined && { 'x-second-factor': code }),
  }).post(LOGIN)
}

test('a second factor is set up by password and code, and then the password needs a code', async () => {
  const { app, browser } = await open()
  expect((await browser.get(PATH)).json).toEqual({ enabled: false, since: '', recovery_codes: 0 })
  expect((await browser.get(ME)).json).toMatchObject({ has_second_factor: false })
  const { secret, uri } = (await browser.post(`${PATH}/setup`, PASSWORD)).json as { secret: string; uri: string }
  expect(uri).toBe(`otpauth://totp/podstep%20localhost:ida?secret=${secret}&issuer=podstep%20localhost`)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  // Not enabled yet: the authenticator may not have stored the secret.
  expect(await login(app)).toMatchObject({ status: 200 })
  const phone = authenticator(app, secret)
  expectError(await browser.post(PATH, { code: phone.wrongCode() }), 403, 'wrong_code', 'code')
  const { recovery_codes: codes } = Object((await browser.post(PATH, { code: phone.code() })).json)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
  expect((await browser.get(PATH)).json).toEqual({ enabled: true, since: '2025-03-02T10:00:01', recovery_codes: 10 })
  expect((await browser.get(ME)).json).toMatchObject({ has_second_factor: true })
  expectError(await login(app), 401, 'second_factor_required')
  // Confirming the setup used this code.
  expectError(await login(app, phone.code()), 403, 'wrong_code', 'code')
  const answer = await login(app, phone.nextCode())
  expect(answer.status).toBe(200)
  expect(await clientOf(app, cookieOf(answer)).get(ME)).toMatchObject({ status: 200 })
  const stored = JSON.stringify(await app.rowsOf('SELECT * FROM recovery_codes'))
  for (const code of codes) expect(stored).not.toContain(code)
  expect(app.logs.join()).not.toContain(secret)
})

test('a code works once, even concurrently, with or without spaces, half a minute early or late', async () => {
  const { app, phone } = await openWithFactor()
  const first = phone.nextCode()
  const statuses = (await Promise.all([login(app, first), login(app, first)])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 403])
  const code = phone.nextCode()
  expect(await login(app, ` ${code.slice(0, 3)} ${code.slice(3)} `)).toMatchObject({ status: 200 })
  expectError(await login(app, code), 403, 'wrong_code', 'code')
  const late = phone.nextCode()
  app.clock.advance(30)
  expect(await login(app, late)).toMatchObject({ status: 200 })
  const tooLate = phone.nextCode()
  app.clock.advance(60)
  expectError(await login(app, tooLate), 403, 'wrong_code', 'code')
})

test('a recovery code works once, in any case and without hyphens', async () => {
  const { app, browser, phone } = await openWithFactor()
  const [first = '', second = ''] = phone.recoveryCodes
  expect(await login(app, first)).toMatchObject({ status: 200 })
  expectError(await login(app, first), 403, 'wrong_code', 'code')
  expect(await login(app, second.replaceAll('-', ' ').toLowerCase())).toMatchObject({ status: 200 })
  expect((await browser.get(PATH)).json).toMatchObject({ recovery_codes: 8 })
})

test('a wrong password does not reveal the second factor, and uses up no code', async () => {
  const { app, phone } = await openWithFactor()
  for (const code of [undefined, phone.nextCode(), phone.wrongCode()])
    expectError(await login(app, code, 'driftwood'), 401, 'invalid_credentials')
  expect(await login(app, phone.code())).toMatchObject({ status: 200 })
})

test('apps are refused with the password of the account, even with a code, but not with app passwords', async () => {
  const { app, ida, browser } = await open()
  const { password } = (await browser.post('/api/2/me/app-passwords', { name: 'Phone' })).json as { password: string }
  const session = clientOf(app, cookieOf(await ida.get(ME)))
  const phone = await turnOn(app, browser)
  for (const path of [ME, '/subscriptions/ida.json', '/api/admin/users'])
    for (const headers of [{}, { 'x-second-factor': phone.nextCode() }])
      expectError(await ida.get(path, { headers }), 401, 'second_factor_required')
  expectError(await session.get(ME), 401, 'unauthorized')
  const byAppPassword = clientOf(app, basic('ida', password))
  expect(await byAppPassword.get(ME)).toMatchObject({ status: 200 })
  expect(await byAppPassword.post(LOGIN)).toMatchObject({ status: 200 })
  // The activity shows why the app was refused.
  const antennapod = clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': 'AntennaPod/3.8' })
  await antennapod.get(ME)
  await app.idle()
  expect((await browser.get('/api/2/me/activity')).text).toContain('second_factor_required')
})

test('enabling it ends all other sessions, and access that apps have not collected yet', async () => {
  const { app, browser } = await open()
  const other = await signIn(app)
  const flow = (await clientOf(app).post('/index.php/login/v2')).json as { login: string; poll: { token: string } }
  const grant = await other.post(new URL(flow.login).pathname, {}, { headers: { origin: 'http://localhost' } })
  expect(grant.status).toBe(200)
  await turnOn(app, browser)
  expectError(await other.get(ME), 401, 'unauthorized')
  expect(await browser.get(ME)).toMatchObject({ status: 200 })
  expect(await sessionCount(app)).toBe(1)
  const collected = await clientOf(app).post('/index.php/login/v2/poll', { token: flow.poll.token })
  expect(collected.status).toBe(404)
})

test('every endpoint of the second factor needs a browser session', async () => {
  const { ida } = await open()
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', `${PATH}/setup`],
    ['POST', PATH],
    ['POST', `${PATH}/recovery-codes`],
    ['DELETE', PATH],
  ] as const)
    expectError(await ida.call(method, path, { body: { ...PASSWORD, code: '123456' } }), 403, 'forbidden')
})

test('the setup needs the password, and is valid for ten minutes, in its session, for that password', async () => {
  const { app, browser } = await open()
  expectError(await (await signUpByProvider(app, 'ole')).post(`${PATH}/setup`, PASSWORD), 409, 'no_password')
  expectError(await browser.post(`${PATH}/setup`, { password: 'driftwood' }), 403, 'wrong_password', 'password')
  expectError(await browser.post(PATH, { code: '123456' }), 409, 'second_factor_setup')
  const { secret } = (await browser.post(`${PATH}/setup`, PASSWORD)).json as { secret: string }
  const phone = authenticator(app, secret)
  const other = await signIn(app)
  expectError(await other.post(PATH, { code: phone.code() }), 409, 'second_factor_setup')
  app.clock.advance(601)
  expectError(await browser.post(PATH, { code: phone.code() }), 409, 'second_factor_setup')
  const begun = (await other.post(`${PATH}/setup`, PASSWORD)).json as { secret: string }
  await other.post('/api/2/me/password', { old_password: 'seaglass', new_password: 'driftwood' })
  const { code } = authenticator(app, begun.secret)
  expectError(await other.post(PATH, { code: code() }), 403, 'wrong_password', 'password')
  expect((await other.get(PATH)).json).toMatchObject({ enabled: false })
})

test('a second factor cannot be replaced until it is disabled by password and code', async () => {
  const { app, browser, phone } = await openWithFactor()
  expectError(await browser.post(`${PATH}/setup`, PASSWORD), 409, 'second_factor_exists')
  const off = (body: unknown) => browser.delete(PATH, { body })
  expectError(await off({ password: 'driftwood', code: phone.nextCode() }), 403, 'wrong_password', 'password')
  expectError(await off({ ...PASSWORD, code: phone.wrongCode() }), 403, 'wrong_code', 'code')
  expectError(await off(PASSWORD), 400, 'validation_failed', 'code')
  expectError(await login(app), 401, 'second_factor_required')
  expect(await off({ ...PASSWORD, code: phone.nextCode() })).toMatchObject({ status: 200 })
  expect(await login(app)).toMatchObject({ status: 200 })
  expectError(await off({ ...PASSWORD, code: phone.nextCode() }), 409, 'no_second_factor')
  expect(await app.rowsOf('SELECT * FROM recovery_codes')).toEqual([])
  await turnOn(app, browser)
})

describe('the budget of wrong codes', () => {
  /** Statuses of concurrent sign-ins, each from its own address. */
  async function guess(app: TestApp, codes: readonly string[]) {
    const answers = codes.map((code, n) => {
      app.setPeer(`198.51.100.${n}`)
      return login(app, code)
    })
    return (await Promise.all(answers)).map(({ status }) => status)
  }

  const wrongCodes = (phone: { wrongCode(): string }, count: number) => Array.from({ length: count }, phone.wrongCode)
  const countOf = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length
  const warnings = (app: TestApp) => app.logs.filter((line) => line.includes('too many wrong codes'))

  test('is 20 an hour per account over all addresses, with one warning when exhausted', async () => {
    const { app, browser, phone } = await openWithFactor()
    app.setPeer('198.51.100.0')
    expect(await login(app, phone.nextCode())).toMatchObject({ status: 200 })
    expect(new Set(await guess(app, wrongCodes(phone, 19)))).toEqual(new Set([403]))
    expect(warnings(app)).toEqual([])
    const statuses = await guess(app, wrongCodes(phone, 22))
    expect([countOf(statuses, 403), countOf(statuses, 429)]).toEqual([1, 21])
    expect(warnings(app)).toEqual([expect.stringMatching(/"level":"warn".*"user":"ida"/)])
    expect(warnings(app)[0]).not.toContain(phone.wrongCode())
    await app.idle()
    const { items } = (await browser.get('/api/2/me/activity')).json as { items: { kind: string; reason: string }[] }
    const reasons = items.filter(({ kind }) => kind === 'refused').map(({ reason }) => reason)
    expect(new Set(reasons)).toEqual(new Set(['wrong_code', 'rate_limited']))
    const refused = await login(app, phone.wrongCode())
    expectError(refused, 429, 'rate_limited', 'code')
    expect(refused.headers.get('retry-after')).toBe('3600')
    app.clock.advance(3599)
    expect((await login(app, phone.code())).headers.get('retry-after')).toBe('1')
    app.clock.advance(1)
    expect(await login(app, phone.code())).toMatchObject({ status: 200 })
  })

  test('does not affect recovery codes, mistyped ones included, and sessions', async () => {
    const { app, browser, phone } = await openWithFactor()
    await guess(app, wrongCodes(phone, 30))
    const [first = '', second = '', third = ''] = phone.recoveryCodes
    expectError(await login(app, first.slice(1)), 403, 'wrong_code', 'code')
    expectError(await login(app, first.replaceAll(/[A-Z]/g, 'A')), 403, 'wrong_code', 'code')
    expect(await login(app, first)).toMatchObject({ status: 200 })
    expect(await browser.get(ME)).toMatchObject({ status: 200 })
    expect(await browser.post(`${PATH}/recovery-codes`, { ...PASSWORD, code: second })).toMatchObject({ status: 200 })
    expectError(await login(app, third), 403, 'wrong_code', 'code')
  })

  test('counts neither right codes nor malformed ones', async () => {
    const { app, phone } = await openWithFactor()
    for (let n = 0; n < 25; n++) expect(await login(app, phone.nextCode())).toMatchObject({ status: 200 })
    for (const code of ['1', '12345', '1234567', 'abcdef', '１２３４５６', phone.recoveryCodes[0]?.slice(1) ?? ''])
      for (let n = 0; n < 5; n++) expectError(await login(app, encodeURIComponent(code)), 403, 'wrong_code', 'code')
    expect(await login(app, phone.nextCode())).toMatchObject({ status: 200 })
  })

  test('is shared by sign-ins and confirmations, and separate for each account', async () => {
    const { app, browser, phone } = await openWithFactor()
    await signUp(app, 'ole')
    const ole = await signIn(app, 'ole')
    const olesPhone = await turnOn(app, ole)
    await guess(app, wrongCodes(phone, 10))
    for (const code of wrongCodes(phone, 10))
      expectError(await browser.delete(PATH, { body: { ...PASSWORD, code } }), 403, 'wrong_code', 'code')
    const off = { ...PASSWORD, code: phone.nextCode() }
    expectError(await browser.delete(PATH, { body: off }), 429, 'rate_limited', 'code')
    expectError(await login(app, phone.code()), 429, 'rate_limited', 'code')
    const olesOff = { ...PASSWORD, code: olesPhone.code() }
    expect(await ole.delete(PATH, { body: olesOff })).toMatchObject({ status: 200 })
  })
})

test('a password reset by mail does not disable it', async () => {
  const { mailer, sent } = outbox()
  const { app, phone } = await openWithFactor({ mailer, settings: SMTP })
  await clientOf(app).post('/api/2/password-reset', { email: 'ida@pods.example' })
  await runJob(app, 'mail')
  const body = { token: tokenIn(sent), new_password: 'driftwood' }
  expect(await clientOf(app).post('/api/2/password-reset/confirm', body)).toMatchObject({ status: 200 })
  expectError(await login(app, undefined, 'driftwood'), 401, 'second_factor_required')
  expect(await login(app, phone.nextCode(), 'driftwood')).toMatchObject({ status: 200 })
})

test('an administrator resets the second factor of others, recorded in the audit log', async () => {
  const { app, browser } = await open()
  await signUp(app, 'ole')
  const ole = await signIn(app, 'ole')
  expectError(await browser.post(RESET), 409, 'no_second_factor')
  await turnOn(app, ole)
  expect((await browser.get('/api/admin/users')).json).toMatchObject([
    { username: 'ida', second_factor: false },
    { username: 'ole', second_factor: true },
  ])
  expect(await browser.post(RESET)).toMatchObject({ status: 200, json: { username: 'ole', second_factor: false } })
  expect(await signIn(app, 'ole').then((client) => client.get(ME))).toMatchObject({ status: 200 })
  expect((await browser.get('/api/admin/audit')).json).toMatchObject({
    entries: [{ action: 'second_factor_reset', actor: 'ida', user: 'ole' }, {}, {}],
  })
  // Administrators can reset their own only on the command line.
  await turnOn(app, browser)
  expectError(await browser.post('/api/admin/users/IDA/reset-second-factor'), 403, 'forbidden')
  expectError(await login(app), 401, 'second_factor_required')
  await app.services.administration.resetSecondFactor('ida', COMMAND_LINE)
  expect(await login(app)).toMatchObject({ status: 200 })
})
