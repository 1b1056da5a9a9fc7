import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { comeByProvider, outbox } from '../accounts.ts'
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

/** Administrator ole, and ida, who is signed in on her phone and sends her password from her desk. Zoe has the same one. */
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

test('GET /api/2/me tells the name as it was registered, no address as an empty text, and what was changed just now', async () => {
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

test('a change of password replaces it at once, and signs out all but the one who made it (D29)', async () => {
  const { app, phone, desk, worksWith } = await open()
  const tablet = await signIn(app)
  const answer = await phone.post(PASSWORD, CHANGE)
  expect([answer.status, answer.json, answer.headers.get('set-cookie')]).toEqual([...OK, null])
  expect((await phone.get(ME)).status).toBe(200)
  expectError(await tablet.get(ME), 401, 'unauthorized')
  expectError(await desk.get(ME), 401, 'invalid_credentials')
  expect([await worksWith('seaglass'), await worksWith('seagrass')]).toEqual([false, true])
})

test('a change of password by password beside a cookie keeps that cookie', async () => {
  const { app, phone } = await open()
  const tablet = await signIn(app)
  const answer = await tablet.post(PASSWORD, CHANGE, { headers: basic('ida', 'seaglass') })
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
  expect((await tablet.get(ME)).status).toBe(200)
  expectError(await phone.get(ME), 401, 'unauthorized')
})

test.each<[string, object, number, string, string]>([
  ['a wrong old password', { old_password: 'Seaglass' }, 403, 'wrong_password', 'old_password'],
  ['a new password of 3', { new_password: '🎧🎧🎧' }, 400, 'validation_failed', 'new_password'],
])('a change of password is refused for %s', async (_case, wrong, status, code, field) => {
  const { desk, phone, worksWith } = await open()
  for (const client of [desk, phone]) {
    const answer = await client.post(PASSWORD, { ...CHANGE, ...wrong })
    expectError(answer, status, code, field)
    expect(answer.headers.get('www-authenticate')).toBeNull()
  }
  expect([await worksWith('seaglass'), (await phone.get(ME)).status]).toEqual([true, 200])
})

describe('a change of email address', () => {
  test('takes effect at once, for mails too, and to none removes it', async () => {
    const { app, sent, desk, phone } = await open()
    const answer = await desk.post(EMAIL, MOVE)
    expect([answer.status, answer.json, await emailOf(phone)]).toEqual([...OK, NEW])
    for (const email of [OLD, NEW.toLowerCase()]) await clientOf(app).post(RESET, { email })
    await app.idle()
    expect(sent).toMatchObject([{ kind: 'password_reset', to: NEW, username: 'ida' }])
    expect((await desk.post(EMAIL, { ...MOVE, email: '' })).status).toBe(200)
    expect(await emailOf(desk)).toBe('')
  })

  test.each<[string, object, number, string, string]>([
    ['a line break', { email: 'ida@pods.example\nBcc: all@pods.example' }, 400, 'validation_failed', 'email'],
    ['the password of somebody else', { password: 'driftwood' }, 403, 'wrong_password', 'password'],
  ])('is refused for %s and changes nothing', async (_case, wrong, status, code, field) => {
    const { app, phone, desk } = await open()
    const before = await stored(app)
    for (const client of [phone, desk])
      expectError(await client.post(EMAIL, { ...MOVE, ...wrong }), status, code, field)
    expect(await stored(app)).toBe(before)
  })

  test.each([false, true])('needs no password with the cookie of a provider (has one: %p)', async (keepsPassword) => {
    const { app } = await open()
    const eva = await comeByProvider(app, 'eva', { keepsPassword })
    expect((await eva.post(EMAIL, { email: 'eva@home.example', password: null })).status).toBe(200)
    expect(await emailOf(eva)).toBe('eva@home.example')
    // A request with the password may be that of anybody who has just the one.
    const byPassword = clientOf(app, basic('eva', 'seaglass'))
    if (keepsPassword)
      expectError(await byPassword.post(EMAIL, { email: 'a@b.example' }), 400, 'validation_failed', 'password')
  })
})

type Change = (client: Client, more?: object) => ReturnType<Client['post']>

describe.each<[string, Change]>([
  ['password', (client, more) => client.post(PASSWORD, { ...CHANGE, ...more })],
  ['email address', (client, more) => client.post(EMAIL, { ...MOVE, ...more })],
  ['account', (client, more) => client.delete(ME, { body: { password: 'seaglass', ...more } })],
])('to change or delete the %s', (what, change) => {
  const wrong = { [what === 'password' ? 'old_password' : 'password']: 'wrong' }

  test('one may guess the password ten times in five minutes, even who is signed in and then has it right', async () => {
    const { app, phone } = await open()
    // They count together with failed sign-ins from the same address.
    for (let n = 0; n < 5; n++) {
      expectError(await change(phone, wrong), 403, 'wrong_password', Object.keys(wrong)[0])
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

  test('one may name the user, and another name is refused, changes nothing and is no failed attempt', async () => {
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

test('a user can change the email address ten times an hour, and not search for the addresses of others', async () => {
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
  // Others, mistyped addresses and wrong passwords do not count.
  for (let n = 0; n < 12; n++) expectError(await change(ole, 'no address'), 400, 'validation_failed', 'email')
  expect(await change(ole, 'ole@tidewater.example')).toMatchObject({ status: 200 })
  app.clock.advance(3600)
  expect(await change(ida, 'nobody@pods.example')).toMatchObject({ status: 200 })
})
