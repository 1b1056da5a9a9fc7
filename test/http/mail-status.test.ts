import { describe, expect, test } from 'bun:test'
import { type Mail, MailFailure } from '../../src/domain/accounts/mail.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { parseMail, startSmtpServer } from '../support/smtp.ts'
import { expectRefusal } from './refusal.ts'

const STATUS = '/api/admin/mail'
const TEST = '/api/admin/mail/test'
const TO = { email: 'anybody@else.example' }
const OLE = 'ole@pods.example'
const CAUSE = 'the mail server does not answer in time: Timeout (mail.home.example:587)'
const IDLE = { enabled: true, last_sent: '', last_failure: null, waiting: 0, mails: [] }

/** Administrator ida, ole with an address, and a mail server that fails when told to. */
async function open(settings: Record<string, string> = {}) {
  const sent: Mail[] = []
  let isFailing = false
  const app = startTestApp({
    settings,
    mailer: {
      async send(mail) {
        // As the real one, with what the mail server said behind it.
        if (isFailing) throw new MailFailure('server', CAUSE, new Error(`550 <${mail.to}>: no`))
        sent.push(mail)
      },
    },
  })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  app.db.run(`UPDATE users SET email = '${OLE}', email_key = '${OLE}' WHERE username = 'ole'`)
  return {
    app,
    ida,
    ole,
    sent,
    setFailing(value: boolean) {
      isFailing = value
    },
    async forgetPassword() {
      await clientOf(app).post('/api/2/password-reset', { email: OLE })
      await app.idle()
    },
    /** Lets a minute pass with what is done every minute. */
    async passMinute() {
      app.clock.advance(60)
      app.jobs.find(({ name }) => name === 'mail')?.run()
      await app.idle()
    },
  }
}

describe('GET /api/admin/mail', () => {
  test('tells what waits, why, and when it is tried again', async () => {
    const { app, ida, setFailing, forgetPassword, passMinute } = await open()
    setFailing(true)
    await forgetPassword()
    await passMinute()
    const mail = { purpose: 'password_reset', email: OLE, requested: '2025-03-02T10:00:00', attempts: 2, cause: CAUSE }
    expect((await ida.get(STATUS)).json).toEqual({
      enabled: true,
      last_sent: '',
      last_failure: { at: '2025-03-02T10:01:00', cause: CAUSE },
      waiting: 1,
      mails: [{ ...mail, next_attempt: '2025-03-02T10:03:00' }],
    })
    expect(app.logs.filter((line) => line.includes(CAUSE))).toHaveLength(2)
  })

  test('tells when a mail was last sent, and keeps the last failure in mind', async () => {
    const { ida, sent, setFailing, forgetPassword, passMinute } = await open()
    setFailing(true)
    await forgetPassword()
    setFailing(false)
    await passMinute()
    expect(sent).toMatchObject([{ kind: 'password_reset', to: OLE }])
    expect((await ida.get(STATUS)).json).toEqual({
      ...IDLE,
      last_sent: '2025-03-02T10:01:00',
      last_failure: { at: '2025-03-02T10:00:00', cause: CAUSE },
    })
  })
})

describe('POST /api/admin/mail/test', () => {
  test('answers when the mail server has taken the mail', async () => {
    const { ida, sent } = await open()
    const answer = await ida.post(TEST, TO)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({ status: 'ok' })
    expect(sent).toEqual([{ kind: 'test', to: TO.email }])
    expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, last_sent: '2025-03-02T10:00:00' })
  })

  test('is 502 with the cause when it has not', async () => {
    const { app, ida, setFailing } = await open()
    setFailing(true)
    const answer = await ida.post(TEST, TO)
    expectRefusal(answer, 502, 'mail_failed')
    expect(answer.json).toMatchObject({ message: CAUSE })
    expect((await ida.get(STATUS)).json).toEqual({
      ...IDLE,
      last_failure: { at: '2025-03-02T10:00:00', cause: CAUSE },
    })
    expect(app.logs.filter((line) => line.includes(TO.email))).toEqual([])
  })

  test.each([
    ['no JSON', '{', 'invalid_json', undefined],
    ['no object', ['anybody@else.example'], 'validation_failed', 'body'],
    ['a number', { email: 1 }, 'validation_failed', 'email'],
    ['null', { email: null }, 'validation_failed', 'email'],
    ['an empty address', { email: '' }, 'validation_failed', 'email'],
    ['a name', { email: 'anybody' }, 'validation_failed', 'email'],
    ['two addresses', { email: 'anybody@else.example,eve@else.example' }, 'validation_failed', 'email'],
    ['a name and an address', { email: 'Any Body <anybody@else.example>' }, 'validation_failed', 'email'],
    ['another header', { email: 'anybody@else.example\r\nBcc: eve@else.example' }, 'validation_failed', 'email'],
    ['an address of 255 characters', { email: `a@${'b'.repeat(253)}` }, 'validation_failed', 'email'],
  ])('is 400 for %s, and sends nothing', async (_case, body, word, field) => {
    const { ida, sent } = await open()
    expectRefusal(await ida.post(TEST, body), 400, word, field)
    expect(sent).toEqual([])
  })

  test.each([
    ['an empty object', {}],
    ['nothing', undefined],
    ['keys nobody knows', { subject: 'Fog' }],
  ])('goes to the own address for %s', async (_case, body) => {
    const { app, ida, sent } = await open()
    app.db.run(`UPDATE users SET email = 'Ida@Pods.example', email_key = 'ida@pods.example' WHERE username = 'ida'`)
    expect(await ida.post(TEST, body)).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect(sent).toEqual([{ kind: 'test', to: 'Ida@Pods.example' }])
  })

  test('may be asked for ten times in ten minutes by each administrator, mistakes not counted', async () => {
    const { app, ida, ole, sent } = await open()
    await app.services.administration.setAdmin('ole', true, COMMAND_LINE)
    for (let n = 0; n < 12; n++) await ida.post(TEST, { email: 'nowhere' })
    for (let n = 0; n < 10; n++) expect((await ida.post(TEST, TO)).status).toBe(200)
    expectRefusal(await ida.post(TEST, TO), 429, 'rate_limited')
    expect((await ole.post(TEST)).status).toBe(200)
    app.clock.advance(600)
    expect((await ida.post(TEST, TO)).status).toBe(200)
    expect(sent).toHaveLength(12)
  })

  test('is 409 where no mail can be sent', async () => {
    const ida = await signUp(startTestApp())
    for (const body of [TO, undefined]) expectRefusal(await ida.post(TEST, body), 409, 'smtp_unconfigured')
  })
})

test('a server with settings for mail sends it, with links that no request has a say in', async () => {
  await using server = await startSmtpServer({ security: 'none' })
  const app = startTestApp({
    settings: {
      base_url: 'https://pods.example',
      smtp_host: server.host,
      smtp_port: String(server.port),
      smtp_security: 'none',
      smtp_from: 'Podcasts <podcasts@home.example>',
    },
  })
  const ida = await signUp(app)
  app.db.run(`UPDATE users SET email = '${OLE}', email_key = '${OLE}'`)
  expect(await ida.post(TEST, TO)).toMatchObject({ status: 200 })
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    origin: 'https://evil.example',
    // Browsers ask before a page of another site may send this type.
    'content-type': 'application/json',
  }
  await clientOf(app, headers).post('/api/2/password-reset', { email: OLE })
  await app.idle()
  expect(server.mails.map(({ to }) => to)).toEqual([[TO.email], [OLE]])
  const { text, html } = parseMail(server.mails[1]?.raw ?? '')
  expect(text).toContain('https://pods.example/reset-password#token=')
  expect(`${text}${html}`).not.toContain('evil')
})
