import { describe, expect, test } from 'bun:test'
import { type Mail, type Mailer, MailFailure } from '../../../src/domain/accounts/mail.ts'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { runJob } from '../accounts.ts'
import { expectError } from '../error.ts'

const STATUS = '/api/admin/mail'
const TEST = '/api/admin/mail/test'
const TO = { email: 'anybody@else.example' }
const OLE = 'ole@pods.example'
const CAUSE = 'the mail server does not answer in time: Timeout (mail.home.example:587)'
const IDLE = { enabled: true, last_sent: '', last_failure: null, waiting: 0, mails: [] }

/** Administrator ida, ole with an address, and a mail server that fails on demand. */
async function open() {
  const sent: Mail[] = []
  const script: { isFailing: boolean } = { isFailing: false }
  const mailer: Mailer = {
    async send(mail) {
      // Like the real one, with the mail server's reply as the cause.
      if (script.isFailing) throw new MailFailure('server', CAUSE, new Error(`550 <${mail.to}>: no`))
      sent.push(mail)
    },
  }
  const app = startTestApp({ mailer })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood', OLE)
  return { app, ida, ole, sent, script }
}

test('GET /api/admin/mail lists waiting mails with cause and next attempt, and reports when they were sent', async () => {
  const { app, ida, sent, script } = await open()
  const passMinute = async () => {
    app.clock.advance(60)
    await runJob(app, 'mail')
  }
  script.isFailing = true
  await clientOf(app).post('/api/2/password-reset', { email: OLE })
  await app.idle()
  await passMinute()
  const mail = { purpose: 'password_reset', email: OLE, requested: '2025-03-02T10:00:00', attempts: 2, cause: CAUSE }
  const last_failure = { at: '2025-03-02T10:01:00', cause: CAUSE }
  expect((await ida.get(STATUS)).json).toEqual({
    ...IDLE,
    last_failure,
    waiting: 1,
    mails: [{ ...mail, next_attempt: '2025-03-02T10:03:00' }],
  })
  expect(app.logs.filter((line) => line.includes(CAUSE))).toHaveLength(2)
  script.isFailing = false
  for (let n = 0; n < 2; n++) await passMinute()
  expect(sent).toMatchObject([{ kind: 'password_reset', to: OLE }])
  expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, last_sent: '2025-03-02T10:03:00', last_failure })
})

describe('POST /api/admin/mail/test', () => {
  test.each([TO, {}, undefined])('sends to the address of the administrator by default: %j', async (body) => {
    const { app, ole, sent } = await open()
    await app.services.administration.setAdmin('ole', true, COMMAND_LINE)
    const { status, json } = await ole.post(TEST, body)
    expect([status, json, sent]).toEqual([
      200,
      { status: 'ok' },
      [{ kind: 'test', to: body === TO ? TO.email : OLE, language: 'en' }],
    ])
    expect((await ole.get(STATUS)).json).toEqual({ ...IDLE, last_sent: '2025-03-02T10:00:00' })
  })

  test('is 502 with the cause if sending fails', async () => {
    const { app, ida, script } = await open()
    script.isFailing = true
    const answer = await ida.post(TEST, TO)
    expectError(answer, 502, 'mail_failed')
    expect(answer.json).toMatchObject({ message: CAUSE })
    expect((await ida.get(STATUS)).json).toMatchObject({ last_failure: { at: '2025-03-02T10:00:00', cause: CAUSE } })
    expect(app.logs.filter((line) => line.includes(TO.email))).toEqual([])
    expect((await ida.get('/api/admin/audit')).text).not.toContain('test_mail_sent')
  })

  test('is limited to ten mails in ten minutes per administrator, not counting invalid requests', async () => {
    const { app, ida, ole, sent } = await open()
    await app.services.administration.setAdmin('ole', true, COMMAND_LINE)
    const two = 'anybody@else.example,eve@else.example'
    for (let n = 0; n < 12; n++) expectError(await ida.post(TEST, { email: two }), 400, 'validation_failed', 'email')
    expect(sent).toEqual([])
    for (let n = 0; n < 10; n++) expect((await ida.post(TEST, TO)).status).toBe(200)
    expectError(await ida.post(TEST, TO), 429, 'rate_limited')
    expect((await ole.post(TEST)).status).toBe(200)
    app.clock.advance(600)
    expect((await ida.post(TEST, TO)).status).toBe(200)
  })

  test('is 409 without a mail server', async () => {
    const ida = await signUp(startTestApp())
    for (const body of [TO, undefined]) expectError(await ida.post(TEST, body), 409, 'smtp_unconfigured')
  })
})
