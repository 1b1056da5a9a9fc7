import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'

const ME = '/api/2/me'
const PASSWORD = '/api/2/me/password'
const CHANGE = { old_password: 'seaglass', new_password: 'seagrass' }
const FIVE_MINUTES = 300
const HEADPHONES = '🎧'

/** Administrator ole and ida, who is signed in on her phone and sends her password from her desk. */
async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  const ole = await signUp(app, 'ole', 'driftwood')
  const desk = await signUp(app, 'ida', 'seaglass')
  const signIn = async () => clientOf(app, cookieOf(await desk.post('/api/2/auth/ida/login.json')))
  const phone = await signIn()
  const worksWith = async (password: string) =>
    (await clientOf(app, basic('ida', password)).get(ME, { headers: { 'user-agent': 'probe' } })).status === 200
  return { app, ole, desk, phone, signIn, worksWith }
}

describe('GET /api/2/me', () => {
  test('tells the name as it was registered, and no email address as an empty text', async () => {
    const app = startTestApp()
    await signUp(app, 'Ida.B', 'seaglass')
    const answer = await clientOf(app, basic('ida.b', 'seaglass')).get(ME)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({ username: 'Ida.B', email: '', is_admin: true, is_active: true, has_password: true })
  })

  test('tells at once what the administrator changed', async () => {
    const { app, phone } = await open()
    await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
    expect((await phone.get(ME)).json).toEqual({
      username: 'ida',
      email: '',
      is_admin: true,
      is_active: true,
      has_password: true,
    })
  })
})

describe('POST /api/2/me/password', () => {
  test('replaces the password at once', async () => {
    const { desk, worksWith } = await open()
    const answer = await desk.post(PASSWORD, CHANGE)
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }])
    expect([await worksWith('seaglass'), await worksWith('seagrass')]).toEqual([false, true])
  })

  test.each<[string, unknown, number, string, string | undefined]>([
    ['a wrong old password', { ...CHANGE, old_password: 'wrong' }, 403, 'wrong_password', 'old_password'],
    [
      'the old password in other letters',
      { ...CHANGE, old_password: 'Seaglass' },
      403,
      'wrong_password',
      'old_password',
    ],
    ['an empty old password', { ...CHANGE, old_password: '' }, 403, 'wrong_password', 'old_password'],
    ['no old password', { new_password: 'seagrass' }, 400, 'validation_failed', 'old_password'],
    ['null for the old password', { ...CHANGE, old_password: null }, 400, 'validation_failed', 'old_password'],
    [
      'a list for the old password',
      { ...CHANGE, old_password: ['seaglass'] },
      400,
      'validation_failed',
      'old_password',
    ],
    ['no new password', { old_password: 'seaglass' }, 400, 'validation_failed', 'new_password'],
    ['null for the new password', { ...CHANGE, new_password: null }, 400, 'validation_failed', 'new_password'],
    ['a number for the new password', { ...CHANGE, new_password: 123456 }, 400, 'validation_failed', 'new_password'],
    [
      'a list for the new password',
      { ...CHANGE, new_password: ['seagrass'] },
      400,
      'validation_failed',
      'new_password',
    ],
    ['an empty new password', { ...CHANGE, new_password: '' }, 400, 'validation_failed', 'new_password'],
    ['a new password of 3', { ...CHANGE, new_password: 'abc' }, 400, 'validation_failed', 'new_password'],
    ['3 of 6 units', { ...CHANGE, new_password: HEADPHONES.repeat(3) }, 400, 'validation_failed', 'new_password'],
    ['a new password of 257', { ...CHANGE, new_password: 'x'.repeat(257) }, 400, 'validation_failed', 'new_password'],
    ['broken JSON', '{', 400, 'invalid_json', undefined],
    ['no body', '', 400, 'invalid_json', undefined],
    ['a list', [CHANGE], 400, 'validation_failed', 'body'],
    ['a text', '"seagrass"', 400, 'validation_failed', 'body'],
    ['null', 'null', 400, 'validation_failed', 'body'],
  ])('refuses %s; then nobody is signed out and the old password stays', async (_case, body, status, word, field) => {
    const { desk, phone, signIn, worksWith } = await open()
    const tablet = await signIn()
    for (const client of [desk, phone]) {
      const answer = await client.post(PASSWORD, body)
      expectRefusal(answer, status, word, field)
      expect(answer.headers.get('www-authenticate')).toBeNull()
    }
    expect(await worksWith('seaglass')).toBe(true)
    for (const client of [phone, tablet]) expect((await client.get(ME)).status).toBe(200)
  })
})

describe('a change of password (D29)', () => {
  test('by cookie signs out everybody of the user but the one who made it', async () => {
    const { phone, signIn } = await open()
    const tablet = await signIn()
    const answer = await phone.post(PASSWORD, CHANGE)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect((await phone.get(ME)).status).toBe(200)
    expectRefusal(await tablet.get(ME), 401, 'unauthorized')
  })

  test('by password beside a cookie keeps that cookie', async () => {
    const { desk, phone, signIn } = await open()
    const tablet = await signIn()
    const answer = await tablet.post(PASSWORD, CHANGE, { headers: basic('ida', 'seaglass') })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
    expect((await tablet.get(ME)).status).toBe(200)
    expectRefusal(await phone.get(ME), 401, 'unauthorized')
    expectRefusal(await desk.get(ME), 401, 'invalid_credentials')
  })
})

describe('guessing the old password', () => {
  const guess = { old_password: 'wrong', new_password: 'seagrass' }

  test('ten times is the most in five minutes, even for a signed-in thief who then has it right', async () => {
    const { app, phone, worksWith } = await open()
    for (let n = 0; n < 10; n++) expectRefusal(await phone.post(PASSWORD, guess), 403, 'wrong_password', 'old_password')
    app.clock.advance(FIVE_MINUTES - 60)
    const refused = await phone.post(PASSWORD, CHANGE)
    expectRefusal(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await phone.get(ME)).status).toBe(200)
    app.clock.advance(60)
    expect(await worksWith('seaglass')).toBe(true)
    expect(await phone.post(PASSWORD, CHANGE)).toMatchObject({ status: 200 })
  })

  test('counts together with failed sign-ins from the same address', async () => {
    const { app, phone } = await open()
    for (let n = 0; n < 5; n++) {
      expectRefusal(await phone.post(PASSWORD, guess), 403, 'wrong_password', 'old_password')
      expectRefusal(await clientOf(app, basic('IDA', 'wrong')).get(ME), 401, 'invalid_credentials')
    }
    expectRefusal(await phone.post(PASSWORD, CHANGE), 429, 'rate_limited')
    expectRefusal(await clientOf(app, basic('ida', 'wrong')).get(ME), 429, 'rate_limited')
    app.setPeer('198.51.100.7')
    expect(await phone.post(PASSWORD, CHANGE)).toMatchObject({ status: 200 })
  })
})
