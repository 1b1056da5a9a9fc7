import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const RESET = '/api/admin/users/OLE/reset-password'
const CONFIRM = '/api/2/password-reset/confirm'
const OK = [200, { status: 'ok' }]

/** Administrator ida, and Ole, whose address is as he typed it. */
async function open({ canMail = true, state = 'active', email = 'Ole@Pods.example' } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'open' }, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const anyone = clientOf(app)
  await anyone.post('/api/2/register', { username: 'Ole', password: 'driftwood', email })
  app.db.run(`UPDATE users SET state = '${state}' WHERE username = 'Ole'`)
  const askFor = async () => {
    const answer = await ida.post(RESET)
    await app.idle()
    return answer
  }
  const tokens = () => sent.map((mail) => ('token' in mail ? mail.token : ''))
  return { app, ida, anyone, sent, tokens, askFor }
}

describe('POST /api/admin/users/{username}/reset-password', () => {
  test('mails the account, at the address as typed, a link that works', async () => {
    const { app, anyone, sent, tokens, askFor } = await open()
    const ole = clientOf(app, basic('ole', 'driftwood'))
    const browser = clientOf(app, cookieOf(await ole.post('/api/2/auth/ole/login.json')))
    const answer = await askFor()
    expect([answer.status, answer.json]).toEqual(OK)
    expect(sent).toEqual([
      {
        kind: 'password_reset',
        to: 'Ole@Pods.example',
        username: 'Ole',
        token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    // Asking harms nobody.
    for (const client of [ole, browser]) expect((await client.get('/api/2/me')).status).toBe(200)
    const confirmed = await anyone.post(CONFIRM, { token: tokens()[0], new_password: 'seagrass' })
    expect([confirmed.status, confirmed.json]).toEqual(OK)
    for (const client of [ole, browser]) expect((await client.get('/api/2/me')).status).toBe(401)
    expect((await clientOf(app, basic('ole', 'seagrass')).get('/api/2/me')).status).toBe(200)
  })

  test('is no limit of requests to an administrator, and the newest link is the good one', async () => {
    const { anyone, tokens, askFor } = await open()
    for (let n = 0; n < 7; n++) expect(await askFor()).toMatchObject({ status: 200 })
    const [last, ...older] = tokens().toReversed()
    expect(older).toHaveLength(6)
    for (const token of older) {
      expectRefusal(await anyone.post(CONFIRM, { token, new_password: 'seagrass' }), 400, 'invalid_token', 'token')
    }
    expect(await anyone.post(CONFIRM, { token: last, new_password: 'seagrass' })).toMatchObject({ status: 200 })
  })

  test('shows nobody the token: not the administrator, not the database, not the log', async () => {
    const { app, ida, tokens, askFor } = await open()
    const { text } = await askFor()
    const shown = [text, (await ida.get('/api/admin/mail')).text, (await ida.get('/api/admin/audit')).text, stored(app)]
    for (const token of tokens()) expect([...shown, ...app.logs].join('\n')).not.toContain(token)
    expect(tokens()).toHaveLength(1)
  })

  test.each([
    ['no address', { email: '' }, 409, 'no_email'],
    ['no address, where no mail can be sent either', { email: '', canMail: false }, 409, 'no_email'],
    ['no mail server', { canMail: false }, 409, 'smtp_unconfigured'],
    ['not been activated', { state: 'pending_activation' }, 409, 'not_active'],
    ['been deactivated', { state: 'inactive' }, 409, 'not_active'],
  ])('is refused when the account or the server has %s', async (_case, options, status, word) => {
    const { app, sent, askFor } = await open(options)
    const before = stored(app)
    expectRefusal(await askFor(), status, word)
    expect(stored(app)).toBe(before)
    expect(sent).toEqual([])
  })

  test('is refused for an account nobody has, whether or not mail can be sent', async () => {
    for (const canMail of [true, false]) {
      const { ida } = await open({ canMail })
      expectRefusal(await ida.post('/api/admin/users/nobody/reset-password'), 404, 'unknown_user')
    }
  })
})

describe('mail as administrators see it', () => {
  test('is off without a mail server', async () => {
    const { ida } = await open({ canMail: false })
    const answer = await ida.get('/api/admin/mail')
    const off = { enabled: false, last_sent: '', last_failure: null, waiting: 0, mails: [] }
    expect([answer.status, answer.json]).toEqual([200, off])
    expectRefusal(await ida.post('/api/admin/mail/test', { email: 'ida@pods.example' }), 409, 'smtp_unconfigured')
  })

  test('tells when the last one was taken', async () => {
    const { ida, app, askFor } = await open()
    app.clock.advance(60)
    await askFor()
    expect((await ida.get('/api/admin/mail')).json).toEqual({
      enabled: true,
      last_sent: '2025-03-02T10:01:00',
      last_failure: null,
      waiting: 0,
      mails: [],
    })
  })

  test('can be tried out at once', async () => {
    const { ida, sent } = await open()
    const answer = await ida.post('/api/admin/mail/test', { email: 'Someone@else.example' })
    expect([answer.status, answer.json]).toEqual(OK)
    expect(sent).toEqual([{ kind: 'test', to: 'Someone@else.example' }])
  })

  test.each([
    ['null', { email: null }, 'validation_failed', 'email'],
    ['an empty one', { email: '' }, 'validation_failed', 'email'],
    ['a list', { email: ['ida@pods.example'] }, 'validation_failed', 'email'],
    ['no address', { email: 'ida' }, 'validation_failed', 'email'],
    ['two addresses', { email: 'ida@pods.example,ole@pods.example' }, 'validation_failed', 'email'],
    ['a header', { email: 'ida@pods.example\r\nBcc: ole@pods.example' }, 'validation_failed', 'email'],
    ['broken JSON', '{', 'invalid_json', undefined],
  ])('is not tried out with %s', async (_case, body, word, field) => {
    const { app, ida, sent } = await open()
    const before = stored(app)
    expectRefusal(await ida.post('/api/admin/mail/test', body), 400, word, field)
    expect([stored(app), sent]).toEqual([before, []])
  })
})
