import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const HOUR = 3600
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const OLE = { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }

/** A server by invitation with administrator ida; `register` is what Ole does, and `token` that of the last mail. */
async function open({ canMail = true } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'invite' }, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const anyone = clientOf(app)
  const register = async (who = OLE) => {
    const answer = await anyone.post('/api/2/register', who)
    await app.idle()
    return answer
  }
  const token = () => {
    const mail = sent.at(-1)
    if (!mail || !('token' in mail)) throw new Error('no mail with a token was sent')
    return mail.token
  }
  const activate = (what: unknown = token()) => anyone.post('/api/2/activate', { token: what })
  const ole = clientOf(app, basic('ole', 'driftwood'))
  const stateOf = async () => {
    const { status, json } = await ole.get('/api/2/me')
    return status === 200 ? 'active' : json
  }
  return { app, ida, ole, anyone, sent, register, activate, token, stateOf }
}

const PENDING = { code: 403, error: 'account_pending', message: expect.any(String) }

function expectVoid(answer: Parameters<typeof expectRefusal>[0]): void {
  expectRefusal(answer, 400, 'invalid_token', 'token')
}

describe('an account by invitation', () => {
  test('is pending until the link in the mail is used, then active', async () => {
    const { app, ida, ole, sent, register, activate, stateOf } = await open()
    const registered = await register()
    expect([registered.status, registered.json]).toEqual([
      200,
      { status: 'pending_activation', message: 'An activation link has been sent to Ole@Pods.example.' },
    ])
    expect(sent).toEqual([
      { kind: 'activation', to: 'Ole@Pods.example', username: 'Ole', token: expect.stringMatching(UUID_V4) },
    ])
    expect(await stateOf()).toEqual(PENDING)
    expectRefusal(await ole.post('/api/2/auth/ole/login.json'), 403, 'account_pending')
    const listed = { username: 'Ole', email: 'Ole@Pods.example', active: false, is_admin: false }
    expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, listed])

    const answer = await activate()
    expect([answer.status, answer.json]).toEqual([200, { status: 'active' }])
    expect(answer.headers.get('set-cookie')).toBeNull()
    const browser = clientOf(app, cookieOf(await ole.post('/api/2/auth/ole/login.json')))
    const me = { username: 'Ole', email: 'Ole@Pods.example', is_admin: false, is_active: true, has_password: true }
    for (const client of [ole, browser]) expect((await client.get('/api/2/me')).json).toEqual(me)
    expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, { ...listed, active: true }])
  })

  test('waits for an administrator where no mail can be sent, and the answer says so', async () => {
    const { ida, register, stateOf, sent } = await open({ canMail: false })
    const { status, json } = await register()
    const message = 'The account has been created. An administrator must activate it.'
    expect([status, json]).toEqual([200, { status: 'pending_activation', message }])
    expect(await stateOf()).toEqual(PENDING)
    await ida.post('/api/admin/users/ole/activate')
    expect([await stateOf(), sent]).toEqual(['active', []])
  })

  test.each(['open', 'closed'])('sends no mail where registration is %s', async (registration) => {
    const { mailer, sent } = outbox()
    const app = startTestApp({ settings: { registration }, mailer })
    await signUp(app)
    await clientOf(app).post('/api/2/register', OLE)
    await app.idle()
    expect(sent).toEqual([])
  })
})

describe('an activation token', () => {
  test('works once when a hundred use it at once', async () => {
    const { register, activate, stateOf } = await open()
    await register()
    const answers = await Promise.all(Array.from({ length: 100 }, () => activate()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectVoid(answer)
    expect(await stateOf()).toBe('active')
  })

  test.each([
    ['a second before 48 hours are over', 48 * HOUR - 1, 'active'],
    ['when they are over', 48 * HOUR, PENDING],
    ['a second later', 48 * HOUR + 1, PENDING],
  ])('%s', async (_case, seconds, state) => {
    const { app, register, activate, stateOf } = await open()
    await register()
    app.clock.advance(seconds)
    const answer = await activate()
    if (state === 'active') expect(answer).toMatchObject({ status: 200 })
    else expectVoid(answer)
    expect(await stateOf()).toEqual(state)
  })

  test('is void once an administrator has deactivated the account, for good', async () => {
    const { ida, register, activate, stateOf } = await open()
    await register()
    await ida.post('/api/admin/users/ole/deactivate')
    expectVoid(await activate())
    expect(await stateOf()).toMatchObject({ error: 'account_inactive' })
    await ida.post('/api/admin/users/ole/activate')
    await ida.post('/api/admin/users/ole/deactivate')
    expectVoid(await activate())
    expect(await stateOf()).toMatchObject({ error: 'account_inactive' })
  })

  test('is not one that resets a password, and the other way round', async () => {
    const { app, anyone, register, activate, token, stateOf } = await open()
    await register()
    const confirm = { token: token(), new_password: 'seagrass' }
    expectVoid(await anyone.post('/api/2/password-reset/confirm', confirm))
    expect(await stateOf()).toEqual(PENDING)
    const eva = { username: 'eva', password: 'seashell', email: 'eva@pods.example' }
    await app.services.administration.create(eva, false, COMMAND_LINE)
    await anyone.post('/api/2/password-reset', { email: 'eva@pods.example' })
    await app.idle()
    expectVoid(await activate())
  })
})

describe('POST /api/2/activate', () => {
  test.each<[string, unknown, string, string | undefined]>([
    ['a token nobody was sent', { token: '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11' }, 'invalid_token', 'token'],
    ['what is no UUID', { token: 'x' }, 'invalid_token', 'token'],
    ['an empty token', { token: '' }, 'invalid_token', 'token'],
    ['a token with NUL', { token: '\0' }, 'invalid_token', 'token'],
    ['half an emoji', { token: '\ud83d' }, 'invalid_token', 'token'],
    ['a long text', { token: 'x'.repeat(60_000) }, 'invalid_token', 'token'],
    ['a number', { token: 7 }, 'validation_failed', 'token'],
    ['null', { token: null }, 'validation_failed', 'token'],
    ['a list', { token: ['x'] }, 'validation_failed', 'token'],
    ['no token', {}, 'validation_failed', 'token'],
    ['a text', '"x"', 'validation_failed', 'body'],
    ['broken JSON', '{', 'invalid_json', undefined],
    ['no body', undefined, 'invalid_json', undefined],
  ])('refuses %s', async (_case, body, word, field) => {
    const { app, anyone, register } = await open()
    await register()
    const before = stored(app)
    expectRefusal(await anyone.post('/api/2/activate', body), 400, word, field)
    expect(stored(app)).toBe(before)
  })

  test('takes the token neither from the address nor by GET: mail scanners follow links', async () => {
    const { anyone, register, token, stateOf } = await open()
    await register()
    await anyone.get(`/activate?token=${token()}`)
    expectRefusal(await anyone.get(`/api/2/activate?token=${token()}`), 405, 'method_not_allowed')
    expectRefusal(await anyone.post(`/api/2/activate?token=${token()}`, {}), 400, 'validation_failed', 'token')
    expect(await stateOf()).toEqual(PENDING)
  })

  test('leaves the token in no table and no line of the log', async () => {
    const { app, register, activate, token } = await open()
    await register()
    const shown = stored(app)
    await activate()
    expect([shown, stored(app), ...app.logs].join('\n')).not.toContain(token())
    expect(app.logs.join('\n').toLowerCase()).not.toContain('pods.example')
  })
})
