import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { outbox, signUpByProvider } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const ME = '/api/2/me'
const PASSWORD = '/api/2/me/password'
const EMAIL = '/api/2/me/email'
const RESET = '/api/2/password-reset'
const OLD = 'ida@pods.example'
const NEW = 'Ida@Harbour.example'
const CHANGE = { old_password: 'seaglass', new_password: 'seagrass' }
const MOVE = { email: NEW, password: 'seaglass' }
const OK = [200, { status: 'ok' }]

/** Ida is signed in on her phone and sends her password from her desk; zoe has the same password. Ole is administrator. */
async function open() {
  const { mailer, sent } = outbox()
  const app = startTestApp({ mailer })
  const ole = await signUp(app, 'ole', 'driftwood')
  const desk = await signUp(app, 'ida', 'seaglass', OLD)
  await signUp(app, 'zoe')
  const phone = await signIn(app)
  const worksWith = async (password: string) =>
    (await clientOf(app, basic('ida', password)).get(ME, { headers: { 'user-agent': 'probe' } })).status === 200
  return { app, sent, ole, desk, phone, worksWith, anyone: clientOf(app) }
}

const emailOf = async (client: Client): Promise<unknown> => Object((await client.get(ME)).json).email

test('GET /api/2/me has the name as registered, an empty email address, and the current role', async () => {
  const { app } = await open()
  const eva = await signUp(app, 'Eva.B')
  const known = {
    ...{ username: 'Eva.B', email: '', is_admin: false, is_active: true },
    ...{ has_password: true, has_second_factor: false },
  }
  expect((await eva.get(ME)).json).toEqual(known)
  await app.services.administration.setAdmin('eva.b', true, COMMAND_LINE)
  expect((await eva.get(ME)).json).toEqual({ ...known, is_admin: true })
})

test('a new password applies at once and ends all other sessions (D29)', async () => {
  const { app, phone, desk, worksWith } = await open()
  const tablet = await signIn(app)
  const tooShort = { ...CHANGE, new_password: '🎧🎧🎧' }
  expectError(await phone.post(PASSWORD, tooShort), 400, 'validation_failed', 'new_password')
  const answer = await phone.post(PASSWORD, CHANGE)
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([...OK, null])
  expect((await phone.get(ME)).status).toBe(200)
  expectError(await tablet.get(ME), 401, 'unauthorized')
  expectError(await desk.get(ME), 401, 'invalid_credentials')
  expect([await worksWith('seaglass'), await worksWith('seagrass')]).toEqual([false, true])
})

test('a new password keeps the session of the request that also sent the old one by Basic', async () => {
  const { app, phone } = await open()
  const tablet = await signIn(app)
  const answer = await tablet.post(PASSWORD, CHANGE, { headers: basic('ida', 'seaglass') })
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
  expect((await tablet.get(ME)).status).toBe(200)
  expectError(await phone.get(ME), 401, 'unauthorized')
})

describe('a change of email address', () => {
  test('applies at once, also to mails, and an empty one removes the address', async () => {
    const { app, sent, desk, phone } = await open()
    const answer = await desk.post(EMAIL, MOVE)
    expect([answer.status, answer.json, await emailOf(phone)]).toEqual([...OK, NEW])
    for (const email of [OLD, NEW.toLowerCase()]) await clientOf(app).post(RESET, { email })
    await app.idle()
    expect(sent).toMatchObject([{ kind: 'password_reset', to: NEW, username: 'ida' }])
    expect((await desk.post(EMAIL, { ...MOVE, email: '' })).status).toBe(200)
    expect(await emailOf(desk)).toBe('')
  })

  test.each([false, true])(
    'needs only the session if single sign-on is linked (with a password: %p)',
    async (keepsPassword) => {
      const { app } = await open()
      const eva = await signUpByProvider(app, 'eva', { keepsPassword })
      expect((await eva.post(EMAIL, { email: 'eva@home.example', password: null })).status).toBe(200)
      expect(await emailOf(eva)).toBe('eva@home.example')
      // A Basic request proves only knowledge of the password.
      const byPassword = clientOf(app, basic('eva', 'seaglass'))
      if (keepsPassword)
        expectError(await byPassword.post(EMAIL, { email: 'a@b.example' }), 400, 'validation_failed', 'password')
    },
  )
})

type Change = (client: Client, more?: object) => ReturnType<Client['post']>

describe.each<[string, Change]>([
  ['password', (client, more) => client.post(PASSWORD, { ...CHANGE, ...more })],
  ['email address', (client, more) => client.post(EMAIL, { ...MOVE, ...more })],
  ['account', (client, more) => client.delete(ME, { body: { password: 'seaglass', ...more } })],
])('a change or deletion of the %s', (what, change) => {
  const wrong = { [what === 'password' ? 'old_password' : 'password']: 'wrong' }

  test('allows ten wrong passwords in five minutes, together with sign-ins from the same address', async () => {
    const { app, phone } = await open()
    for (let n = 0; n < 5; n++) {
      const answer = await change(phone, wrong)
      expectError(answer, 403, 'wrong_password', Object.keys(wrong)[0])
      // Browsers would ask for a password.
      expect(answer.headers.get('www-authenticate')).toBeNull()
      expectError(await clientOf(app, basic('IDA', 'wrong')).get(ME), 401, 'invalid_credentials')
    }
    app.clock.advance(240)
    const refused = await change(phone)
    expectError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await phone.get(ME)).status).toBe(200)
    expectError(await clientOf(app, basic('ida', 'wrong')).get(ME), 429, 'rate_limited')
    app.setPeer('198.51.100.7')
    expect((await change(phone)).status).toBe(200)
  })

  test('may name the user; another name is refused and does not count as a wrong password', async () => {
    const { app, phone, desk } = await open()
    const before = await stored(app)
    for (let n = 0; n < 6; n++)
      for (const [client, username] of [
        [phone, 'zoe'],
        [desk, 'nils'],
      ] as const)
        expectError(await change(client, { username }), 403, 'forbidden')
    expect(await stored(app)).toBe(before)
    expect((await change(phone, { username: 'IDA' })).status).toBe(200)
  })
})

test('a user may change the email address ten times an hour, which limits probing for addresses', async () => {
  const app = startTestApp()
  const ida = await signUp(app, 'ida', 'seaglass')
  const ole = await signUp(app, 'ole', 'seaglass', 'ole@pods.example')
  const change = (client: Client, email: string) => client.post(EMAIL, { email, password: 'seaglass' })
  for (let n = 0; n < 5; n++) {
    expect(await change(ida, `ida${n}@pods.example`)).toMatchObject({ status: 200 })
    expectError(await change(ida, 'ole@pods.example'), 409, 'email_taken', 'email')
  }
  for (const email of ['ole@pods.example', 'nobody@pods.example'])
    expectError(await change(ida, email), 429, 'rate_limited')
  // Other users and invalid addresses do not count.
  for (let n = 0; n < 12; n++) expectError(await change(ole, 'no address'), 400, 'validation_failed', 'email')
  expect(await change(ole, 'ole@tidewater.example')).toMatchObject({ status: 200 })
  app.clock.advance(3600)
  expect(await change(ida, 'nobody@pods.example')).toMatchObject({ status: 200 })
})
