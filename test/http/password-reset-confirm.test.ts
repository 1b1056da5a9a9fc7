import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { outbox, sessionCount } from './accounts.ts'
import { countingHasher } from './counting-hasher.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const CONFIRM = '/api/2/password-reset/confirm'
const OK = [200, { status: 'ok' }]
const DAY = 24 * 3600

/** Administrator ida, and ole, signed in with a browser and an app, who has been sent a link. */
async function open() {
  const { mailer, sent } = outbox()
  const { hasher, hashed } = countedHashes()
  const app = startTestApp({ settings: { registration: 'open', rate_limit: 'false' }, mailer, hasher })
  const ida = await signUp(app)
  const { administration } = app.services
  await administration.create(
    { username: 'ole', password: 'driftwood', email: 'ole@pods.example' },
    false,
    COMMAND_LINE,
  )
  const phone = clientOf(app, basic('ole', 'driftwood'))
  const browser = clientOf(app, cookieOf(await phone.post('/api/2/auth/ole/login.json')))
  expect(await phone.get('/api/2/me')).toMatchObject({ status: 200 })
  const anyone = clientOf(app)
  /** Asks for a link; gives the token of it. */
  const ask = async (email = 'ole@pods.example') => {
    await anyone.post('/api/2/password-reset', { email })
    await app.idle()
    const mail = sent.at(-1)
    if (!mail || !('token' in mail)) throw new Error('no mail with a token was sent')
    return mail.token
  }
  const confirm = (token: unknown, new_password: unknown = 'seagrass') => anyone.post(CONFIRM, { token, new_password })
  const worksWith = async (password: string) =>
    (await clientOf(app, basic('ole', password)).get('/api/2/me', { headers: { 'user-agent': 'probe' } })).status ===
    200
  return { app, ida, phone, browser, anyone, token: await ask(), ask, confirm, worksWith, hashed }
}

/** Counts how many new passwords were hashed. */
function countedHashes() {
  const { hasher } = countingHasher()
  let hashes = 0
  return {
    hashed: () => hashes,
    hasher: {
      ...hasher,
      hash(password: string) {
        hashes++
        return hasher.hash(password)
      },
    },
  }
}

function expectVoid(answer: Parameters<typeof expectRefusal>[0]): void {
  expectRefusal(answer, 400, 'invalid_token', 'token')
}

describe('POST /api/2/password-reset/confirm', () => {
  test('replaces the password, and nobody is signed in any more', async () => {
    const { app, token, phone, browser, confirm, worksWith } = await open()
    const answer = await confirm(token)
    expect([answer.status, answer.json]).toEqual(OK)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expectRefusal(await browser.get('/api/2/me'), 401, 'unauthorized')
    // Although it was known to be right a moment ago.
    expectRefusal(await phone.get('/api/2/me'), 401, 'invalid_credentials')
    expect(sessionCount(app, 'ole')).toBe(0)
    expect([await worksWith('driftwood'), await worksWith('seagrass')]).toEqual([false, true])
  })

  test.each<[string, unknown, string | undefined, string]>([
    ['a password of 3', { new_password: 'abc' }, 'new_password', 'validation_failed'],
    ['an empty password', { new_password: '' }, 'new_password', 'validation_failed'],
    ['a password of 257', { new_password: 'x'.repeat(257) }, 'new_password', 'validation_failed'],
    ['no password', {}, 'new_password', 'validation_failed'],
    ['null for the password', { new_password: null }, 'new_password', 'validation_failed'],
    ['a list for the password', { new_password: ['seagrass'] }, 'new_password', 'validation_failed'],
    ['null for the token', { token: null, new_password: 'seagrass' }, 'token', 'validation_failed'],
    [
      'another token',
      { token: '0c0d7a57-54f2-4c3e-8b4e-6a1d9be0f3a2', new_password: 'seagrass' },
      'token',
      'invalid_token',
    ],
    ['an empty token', { token: '', new_password: 'seagrass' }, 'token', 'invalid_token'],
    ['a token with NUL', { token: '\0', new_password: 'seagrass' }, 'token', 'invalid_token'],
    ['half an emoji', { token: '\ud83d', new_password: 'seagrass' }, 'token', 'invalid_token'],
    ['a long text', { token: 'x'.repeat(60_000), new_password: 'seagrass' }, 'token', 'invalid_token'],
    ['another token and a password of 3', { token: 'x', new_password: 'abc' }, 'new_password', 'validation_failed'],
  ])('refuses %s, and the link stays good', async (_case, body, field, word) => {
    const { app, anyone, token, confirm, worksWith } = await open()
    const before = stored(app)
    expectRefusal(await anyone.post(CONFIRM, { token, ...Object(body) }), 400, word, field)
    expect(stored(app)).toBe(before)
    expect(await worksWith('driftwood')).toBe(true)
    expect(await confirm(token)).toMatchObject({ status: 200 })
  })

  test.each([
    ['broken JSON', '{', 'invalid_json', undefined],
    ['no body', undefined, 'invalid_json', undefined],
    ['a list', [], 'validation_failed', 'body'],
  ])('refuses %s', async (_case, body, word, field) => {
    const { anyone } = await open()
    expectRefusal(await anyone.post(CONFIRM, body), 400, word, field)
  })
})

describe('a reset token', () => {
  test('works once when a hundred use it at once, for one password hash', async () => {
    const { token, confirm, worksWith, hashed } = await open()
    const before = hashed()
    const passwords = Array.from({ length: 100 }, (_, n) => `seagrass ${n}`)
    const answers = await Promise.all(passwords.map((password) => confirm(token, password)))
    const winners = passwords.filter((_password, index) => answers[index]?.status === 200)
    expect([winners.length, hashed() - before]).toEqual([1, 1])
    for (const answer of answers.filter(({ status }) => status !== 200)) expectVoid(answer)
    expect(await worksWith(winners[0] ?? '')).toBe(true)
  })

  test.each([
    ['a second before 24 hours are over', DAY - 1, 200],
    ['not when they are over', DAY, 400],
    ['not a second later', DAY + 1, 400],
  ])('works %s', async (_case, seconds, status) => {
    const { app, token, confirm, worksWith } = await open()
    app.clock.advance(seconds)
    expect((await confirm(token)).status).toBe(status)
    expect(await worksWith('seagrass')).toBe(status === 200)
  })

  test('is void once a newer one was asked for, which works', async () => {
    const { token, ask, confirm, worksWith } = await open()
    const newer = await ask('OLE@pods.example')
    expectVoid(await confirm(token, 'pebbles'))
    expect(await confirm(newer)).toMatchObject({ status: 200 })
    expect(await worksWith('seagrass')).toBe(true)
  })

  test.each<[string, (scene: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    [
      'the user has changed the password',
      ({ browser }) => browser.post('/api/2/me/password', { old_password: 'driftwood', new_password: 'pebbles' }),
    ],
    ['an administrator has set one', ({ ida }) => ida.post('/api/admin/users/ole/password', { password: 'pebbles' })],
    [
      'the command line has set one',
      ({ app }) => app.services.administration.setPassword('ole', 'pebbles', COMMAND_LINE),
    ],
    ['the account was deactivated', ({ ida }) => ida.post('/api/admin/users/ole/deactivate')],
    [
      'the account was deactivated and activated',
      async ({ ida }) => {
        for (const act of ['deactivate', 'activate']) await ida.post(`/api/admin/users/ole/${act}`)
      },
    ],
    ['the account was deleted', ({ ida }) => ida.delete('/api/admin/users/ole')],
  ])('is void once %s', async (_case, happen) => {
    const scene = await open()
    await happen(scene)
    expectVoid(await scene.confirm(scene.token))
    expect(await scene.worksWith('seagrass')).toBe(false)
  })
})

test('no token, password or address is in any line of the log, or in any table as it is', async () => {
  const { app, token, ask, confirm } = await open()
  await confirm(token, 'abc')
  await confirm('x', 'seagrass')
  await confirm(token, 'seagrass')
  await confirm(token, 'pebbles')
  const second = await ask()
  app.db.run(`CREATE TRIGGER broken BEFORE UPDATE ON users BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  expectRefusal(await confirm(second, 'pebbles'), 500, 'internal')
  const secrets = [token, second, 'seagrass', 'pebbles', 'driftwood']
  const log = app.logs.join('\n')
  expect(log).toContain('broken')
  expect([...secrets, 'pods.example'].filter((secret) => log.includes(secret))).toEqual([])
  expect(secrets.filter((secret) => stored(app).includes(secret))).toEqual([])
  // Whoever was unlucky may try again.
  app.db.run('DROP TRIGGER broken')
  expect(await confirm(second, 'pebbles')).toMatchObject({ status: 200 })
})
