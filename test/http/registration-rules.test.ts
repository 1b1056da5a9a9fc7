import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
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
  test.each(['a', '_', '7', 'a.b', 'a-b', 'e_v_a.json', 'Current1', 'x'.repeat(64), ' eva '])(
    '%p is one',
    async (username) => {
      const { app, register } = await open()
      expect(await register({ ...eva, username })).toMatchObject(active)
      expect(await clientOf(app, basic(username, 'seagrass')).get('/api/2/me')).toMatchObject({
        json: { username: username.trim() },
      })
    },
  )

  test.each([
    '',
    ' ',
    '.eva',
    '-eva',
    'e va',
    'éva',
    'eva@pods',
    'eva/x',
    'a:b',
    'eva\n.',
    'x'.repeat(65),
    'current',
    'CURRENT',
  ])('%p is none', async (username) => {
    const { refuse } = await open()
    await refuse({ ...eva, username }, 400, 'validation_failed', 'username')
  })

  test.each(['ida', 'IDA', ' Ida ', 'ole'])('are taken without regard to case: %p', async (username) => {
    const { refuse } = await open()
    await refuse({ ...eva, username }, 409, 'username_taken', 'username')
  })
})

describe('passwords', () => {
  test.each([
    ['four characters', 'abcd'],
    ['four characters beyond 16 bits', '🌊🐚🦀🐟'],
    ['256 characters beyond 16 bits', '🌊'.repeat(256)],
    ['spaces', '    '],
    ['the username', 'evaeva'],
  ])('may be %s', async (_case, password) => {
    const { app, register } = await open()
    expect(await register({ ...eva, password })).toMatchObject(active)
    expect(await clientOf(app, basic('eva', password)).get('/api/2/me')).toMatchObject({ status: 200 })
  })

  test.each([
    ['three characters', 'abc'],
    ['three characters of two units each', '🌊🐚🦀'],
    ['257 characters', 'x'.repeat(257)],
    ['nothing', ''],
  ])('may not be %s', async (_case, password) => {
    const { refuse } = await open()
    await refuse({ ...eva, password }, 400, 'validation_failed', 'password')
  })
})

describe('email addresses', () => {
  const longest = `${'x'.repeat(64)}@${'d'.repeat(181)}.example`

  test.each(['e@x', 'eva+pods@sub.pods-1.example', 'Ève@müller.example', longest])('%p is one', async (email) => {
    const { app, register } = await open()
    expect(await register({ ...eva, email })).toMatchObject(active)
    expect(await clientOf(app, basic('eva', 'seagrass')).get('/api/2/me')).toMatchObject({ json: { email } })
  })

  test.each([
    'eva',
    '@pods.example',
    'eva@',
    'e@v@pods.example',
    'e va@pods.example',
    'eva@pods.example ',
    'eva@.example',
    'eva@pods.',
    'eva@-pods',
    'eva@pods-',
    'eva@po_ds',
    'eva\r\nBcc: x@pods.example',
    `${'x'.repeat(65)}@pods.example`,
    `x${longest}`,
  ])('%p is none', async (email) => {
    const { refuse } = await open()
    await refuse({ ...eva, email }, 400, 'validation_failed', 'email')
  })

  test.each(['Ole@Pods.example', 'ole@pods.example', 'OLE@PODS.EXAMPLE'])(
    'are taken without regard to case: %p',
    async (email) => {
      const { refuse } = await open()
      await refuse({ ...eva, email }, 409, 'email_taken', 'email')
    },
  )

  test('may be missing in any number of accounts', async () => {
    const { register } = await open()
    for (const username of ['eva', 'liv']) {
      expect(await register({ ...eva, username, email: '' })).toMatchObject(active)
    }
  })
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

  test('leave signing in alone', async () => {
    const { app, register } = await open()
    for (let n = 0; n < 12; n++) await register({ ...eva, username: 'ida' })
    expect(await clientOf(app, basic('ida', 'seaglass')).get('/api/2/me')).toMatchObject({ status: 200 })
  })

  test('are without limit when rate_limit is false', async () => {
    const { register } = await open({ rate_limit: 'false' })
    for (let n = 0; n < 30; n++) expect(await register({ ...eva, username: `eva${n}` })).toMatchObject(active)
  })
})
