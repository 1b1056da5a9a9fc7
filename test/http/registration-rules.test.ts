import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const PATH = '/api/2/register'
const HOUR = 3600
const eva = { username: 'eva', password: 'seagrass' }

/** An open server with the accounts ida and Ole, whose email is Ole@Pods.example; `register` is a stranger's attempt. */
async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings: { registration: 'open', ...settings } })
  app.clock.advance(1)
  await signUp(app)
  await app.services.administration.create(
    { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' },
    false,
    COMMAND_LINE,
  )
  const register = (body: unknown, headers: Record<string, string> = {}) => clientOf(app).post(PATH, body, { headers })
  /** Expects the refusal, and that no account came of it. */
  const refuse = async (body: unknown, status: number, word: string, field: string) => {
    const before = stored(app)
    expectRefusal(await register(body), status, word, field)
    expect(stored(app)).toBe(before)
  }
  return { app, register, refuse }
}

const active = { status: 200, json: { status: 'active' } }

describe('the body', () => {
  test.each([
    ['username', { password: 'seagrass' }],
    ['username', { ...eva, username: 7 }],
    ['username', { ...eva, username: null }],
    ['password', { username: 'eva' }],
    ['password', { ...eva, password: ['seagrass'] }],
    ['password', { ...eva, password: 12345 }],
    ['email', { ...eva, email: 7 }],
    ['email', { ...eva, email: ['eva@pods.example'] }],
    ['body', 'null'],
    ['body', [eva]],
  ])('of the wrong objectSchema is 400 and names %s: %j', async (field, body) => {
    const { refuse } = await open()
    await refuse(body, 400, 'validation_failed', field)
  })

  test.each(['', '{', 'username=eva&password=seagrass'])('that is no JSON is 400: %p', async (body) => {
    const { register } = await open()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expectRefusal(await register(body, headers), 400, 'invalid_json')
  })
})

describe('usernames', () => {
  test.each(['ida', 'IDA', ' Ida ', 'ole'])('are taken without regard to case: %p', async (username) => {
    const { refuse } = await open()
    await refuse({ ...eva, username }, 409, 'username_taken', 'username')
  })
})

describe('email addresses', () => {
  test.each(['Ole@Pods.example', 'ole@pods.example', 'OLE@PODS.EXAMPLE'])(
    'are taken without regard to case: %p',
    async (email) => {
      const { refuse } = await open()
      await refuse({ ...eva, email }, 409, 'email_taken', 'email')
    },
  )
})

describe('of several faults one is told', () => {
  test.each([
    ['the name before the password', { username: '!', password: '', email: '@' }, 400, 'validation_failed', 'username'],
    ['the password before the email', { ...eva, password: '', email: '@' }, 400, 'validation_failed', 'password'],
    ['a bad password before a taken name', { username: 'ida', password: '' }, 400, 'validation_failed', 'password'],
    ['a bad email before a taken name', { ...eva, username: 'ida', email: '@' }, 400, 'validation_failed', 'email'],
    [
      'a taken name before a taken email',
      { ...eva, username: 'ida', email: 'ole@pods.example' },
      409,
      'username_taken',
      'username',
    ],
  ] as const)('%s', async (_case, body, status, word, field) => {
    const { refuse } = await open()
    await refuse(body, status, word, field)
  })
})

describe('attempts', () => {
  test('are ten an hour from one address; then 429 tells when to come back', async () => {
    const { app, register } = await open()
    for (let n = 0; n < 10; n++) expect(await register({ ...eva, username: `eva${n}` })).toMatchObject(active)
    app.clock.advance(600)
    const refused = await register({ ...eva, username: 'liv' })
    expectRefusal(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('3000')
    app.setPeer('198.51.100.7')
    expect(await register({ ...eva, username: 'liv' })).toMatchObject(active)
    app.setPeer('192.0.2.1')
    app.clock.advance(HOUR - 601)
    expectRefusal(await register({ ...eva, username: 'mia' }), 429, 'rate_limited')
    app.clock.advance(1)
    expect(await register({ ...eva, username: 'mia' })).toMatchObject(active)
  })

  test('count when they are refused, too: else names could be tried without end', async () => {
    const { register } = await open()
    for (let n = 0; n < 10; n++) expect(await register({ ...eva, username: 'ida' })).toMatchObject({ status: 409 })
    expectRefusal(await register(eva), 429, 'rate_limited')
  })
})
