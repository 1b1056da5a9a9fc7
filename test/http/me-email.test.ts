import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { comeByProvider, outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const PATH = '/api/2/me/email'
const RESET = '/api/2/password-reset'
const OLD = 'ida@pods.example'
const NEW = 'Ida@Harbour.example'
const CHANGE = { email: NEW, password: 'seaglass' }

/** Administrator ole, and ida, who has an address. */
async function open(settings: Record<string, string> = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings, mailer })
  const { administration } = app.services
  await administration.create({ username: 'ole', password: 'driftwood', email: 'ole@pods.example' }, true, COMMAND_LINE)
  await administration.create({ username: 'ida', password: 'seaglass', email: OLD }, false, COMMAND_LINE)
  const desk = clientOf(app, basic('ida', 'seaglass'))
  const phone = clientOf(app, cookieOf(await desk.post('/api/2/auth/ida/login.json')))
  return { app, sent, desk, phone, ole: clientOf(app, basic('ole', 'driftwood')), anyone: clientOf(app) }
}

async function emailOf(client: Client): Promise<unknown> {
  const { json } = await client.get('/api/2/me')
  return typeof json === 'object' && json !== null && 'email' in json ? json.email : undefined
}

/** Asks for a new password by mail, and lets the mail be sent. */
async function forget(app: TestApp, email: string): Promise<void> {
  await clientOf(app).post(RESET, { email })
  await app.idle()
}

describe('POST /api/2/me/email', () => {
  test('changes the address, by password and by cookie', async () => {
    const { desk, phone } = await open()
    const answer = await desk.post(PATH, CHANGE)
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    expect(await emailOf(phone)).toBe(NEW)
    expect((await phone.post(PATH, { ...CHANGE, email: OLD })).status).toBe(200)
    expect(await emailOf(desk)).toBe(OLD)
  })

  test('from then on mails go to the new address alone', async () => {
    const { app, sent, desk } = await open()
    await desk.post(PATH, CHANGE)
    await forget(app, OLD)
    expect(sent).toEqual([])
    await forget(app, NEW.toLowerCase())
    expect(sent).toMatchObject([{ kind: 'password_reset', to: NEW, username: 'ida' }])
  })

  test('removes the address, which somebody else may then have', async () => {
    const { desk, ole } = await open()
    expect((await desk.post(PATH, { ...CHANGE, email: '' })).status).toBe(200)
    expect(await emailOf(desk)).toBe('')
    expect((await ole.post(PATH, { email: OLD, password: 'driftwood' })).status).toBe(200)
    expect((await desk.post(PATH, { ...CHANGE, email: '' })).status).toBe(200)
  })

  test.each([
    ['no email', { password: 'seaglass' }, 'email'],
    ['email null', { ...CHANGE, email: null }, 'email'],
    ['email a number', { ...CHANGE, email: 1 }, 'email'],
    ['no address', { ...CHANGE, email: 'harbour' }, 'email'],
    ['an address with a space', { ...CHANGE, email: 'i da@pods.example' }, 'email'],
    ['an address with a line break', { ...CHANGE, email: 'ida@pods.example\nBcc: all@pods.example' }, 'email'],
    ['a name beside the address', { ...CHANGE, email: 'Ida <ida@pods.example>' }, 'email'],
    ['an address that is too long', { ...CHANGE, email: `${'x'.repeat(250)}@b.example` }, 'email'],
    ['a megabyte', { ...CHANGE, email: 'x'.repeat(1_000_000) }, 'email'],
    ['no password', { email: NEW }, 'password'],
    ['password null', { email: NEW, password: null }, 'password'],
    ['password a number', { email: NEW, password: 1 }, 'password'],
    ['a list', [], 'body'],
  ])('refuses %s and changes nothing', async (_case, body, field) => {
    const { app, phone, desk } = await open()
    const before = stored(app)
    for (const client of [phone, desk]) {
      const answer = await client.post(PATH, body)
      expect(answer).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
      if (field !== 'body') expectRefusal(answer, 400, 'validation_failed', field)
    }
    expect(stored(app)).toBe(before)
  })

  test('refuses a wrong password, an empty one, and the password of somebody else', async () => {
    const { app, phone } = await open()
    const before = stored(app)
    for (const password of ['wrong', '', 'driftwood'])
      expectRefusal(await phone.post(PATH, { ...CHANGE, password }), 403, 'wrong_password', 'password')
    expect(stored(app)).toBe(before)
  })

  test('does not let anybody guess: after ten wrong passwords even the right one has to wait', async () => {
    const { app, phone } = await open()
    for (let n = 0; n < 10; n++)
      expectRefusal(await phone.post(PATH, { ...CHANGE, password: `guess ${n}` }), 403, 'wrong_password', 'password')
    const refused = await phone.post(PATH, CHANGE)
    expectRefusal(refused, 429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    app.clock.advance(301)
    expect((await phone.post(PATH, CHANGE)).status).toBe(200)
  })
})

describe('what was on its way to the old address', () => {
  test('is void: the link that has arrived', async () => {
    const { app, sent, desk, anyone } = await open()
    await forget(app, OLD)
    const [mail] = sent
    expect((await desk.post(PATH, CHANGE)).status).toBe(200)
    const body = { token: mail && 'token' in mail ? mail.token : '', new_password: 'taken over' }
    expectRefusal(await anyone.post(`${RESET}/confirm`, body), 400, 'invalid_token', 'token')
  })

  test('is void: the mail that waits to be sent', async () => {
    const { app, sent, desk } = await open()
    app.db.run(
      `INSERT INTO mails (purpose, email_key, requested_at, next_attempt_at) VALUES ('password_reset', '${OLD}', ${app.clock.seconds()}, ${app.clock.seconds()})`,
    )
    await desk.post(PATH, CHANGE)
    app.jobs.find(({ name }) => name === 'mail')?.run()
    await app.idle()
    expect(sent).toEqual([])
    expect(app.db.query('SELECT * FROM mails').all()).toEqual([])
  })
})

describe('whoever signs in at a provider', () => {
  test.each([false, true])('needs no password with the cookie (has one: %p)', async (keepsPassword) => {
    const { app } = await open()
    const eva = await comeByProvider(app, 'eva', { keepsPassword })
    expect((await eva.post(PATH, { email: 'eva@pods.example' })).status).toBe(200)
    expect((await eva.post(PATH, { email: 'eva@home.example', password: null })).status).toBe(200)
    expect(await emailOf(eva)).toBe('eva@home.example')
  })

  test('needs the password where it comes with the request: such a request may be anybody’s who has just the one', async () => {
    const { app } = await open()
    await comeByProvider(app, 'eva', { keepsPassword: true })
    const byPassword = clientOf(app, basic('eva', 'seaglass'))
    expectRefusal(await byPassword.post(PATH, { email: 'a@b.example' }), 400, 'validation_failed', 'password')
  })
})
