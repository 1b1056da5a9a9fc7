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
})
