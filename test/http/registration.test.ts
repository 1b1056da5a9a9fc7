import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'

const PATH = '/api/2/register'
const MODES = ['open', 'closed', 'invite'] as const
const ole = { username: 'ole', password: 'driftwood', email: 'ole@pods.example' }

/** A server where administrator ida exists; `register` is a stranger's attempt. */
async function open(registration: string) {
  const app = startTestApp({ settings: { registration } })
  await signUp(app)
  return { app, register: (body: unknown) => clientOf(app).post(PATH, body) }
}

/** A server without accounts. */
function openEmpty(registration: string) {
  const app = startTestApp({ settings: { registration } })
  return { app, register: (body: unknown) => clientOf(app).post(PATH, body) }
}

const names = async (app: TestApp) => (await app.services.administration.list()).map(({ username }) => username)
const meOf = (app: TestApp, username: string, password: string) =>
  clientOf(app, basic(username, password)).get('/api/2/me')

describe.each(MODES)('the first account, registration being %s,', (mode) => {
  test('can always be made, is active and administrator', async () => {
    const { app, register } = openEmpty(mode)
    const answer = await register({ username: 'ida', password: 'seaglass' })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({ status: 'active', is_admin: true })
    expect(await meOf(app, 'ida', 'seaglass')).toMatchObject({
      status: 200,
      json: { username: 'ida', email: '', is_admin: true, is_active: true },
    })
  })

  test('is one even if several people want it at once', async () => {
    const { app, register } = openEmpty(mode)
    const people = Array.from({ length: 8 }, (_, n) => ({ ...ole, username: `user${n}`, email: `${n}@pods.example` }))
    const answers = await Promise.all(people.map(register))
    expect(answers.filter(({ text }) => text.includes('"is_admin":true'))).toHaveLength(1)
    const accounts = await app.services.administration.list()
    expect(accounts.filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
    expect(accounts).toHaveLength(mode === 'closed' ? 1 : 8)
    if (mode === 'closed') {
      const others = answers.filter(({ status }) => status !== 200)
      expect(others).toHaveLength(7)
      for (const answer of others) expectRefusal(answer, 403, 'registration_closed')
    }
  })

  test('is one even if one person asks twice at once', async () => {
    const { app, register } = openEmpty(mode)
    const answers = await Promise.all([register(ole), register(ole)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await names(app)).toEqual(['ole'])
  })
})

test('while no account is active, the next one is administrator again', async () => {
  const { app, register } = openEmpty('closed')
  await register({ username: 'ida', password: 'seaglass' })
  // The program itself would keep its last administrator.
  app.db.run(`UPDATE users SET state = 'inactive'`)
  expect((await register(ole)).json).toEqual({ status: 'active', is_admin: true })
})

test('two first people at once in invite mode: the second needs an email address as ever', async () => {
  const { app, register } = openEmpty('invite')
  const answers = await Promise.all(['a', 'b'].map((username) => register({ username, password: 'seaglass' })))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(1)
  for (const answer of refused) expectRefusal(answer, 400, 'validation_failed', 'email')
  expect(await names(app)).toHaveLength(1)
})

describe('open registration', () => {
  test('makes an active account that is no administrator, and does not log in', async () => {
    const { app, register } = await open('open')
    const answer = await register(ole)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({ status: 'active', is_admin: false })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await meOf(app, 'ole', 'driftwood')).toMatchObject({
      json: { username: 'ole', email: 'ole@pods.example', is_admin: false, is_active: true },
    })
  })
})

describe('closed registration', () => {
  test('is 403 for everybody, before the fields are looked at', async () => {
    const { app, register } = await open('closed')
    expectRefusal(await register(ole), 403, 'registration_closed')
    expectRefusal(await register({ username: '!', password: '', email: '@' }), 403, 'registration_closed')
    expectRefusal(await register({ ...ole, username: 'ida' }), 403, 'registration_closed')
    expect(await names(app)).toEqual(['ida'])
  })
})

describe('registration by invitation', () => {
  test('makes a pending account and says who must let it in', async () => {
    const { app, register } = await open('invite')
    const answer = await register(ole)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({ status: 'pending_activation', message: expect.stringContaining('administrator') })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expectRefusal(await meOf(app, 'ole', 'driftwood'), 403, 'account_pending')
    await app.services.administration.setActive('ole', true, COMMAND_LINE)
    expect(await meOf(app, 'ole', 'driftwood')).toMatchObject({ status: 200, json: { is_admin: false } })
  })

  test.each([
    ['none', {}],
    ['an empty one', { email: '' }],
    ['a blank one', { email: ' ' }],
    ['null', { email: null }],
  ])('needs an email address, not %s', async (_case, extra) => {
    const { app, register } = await open('invite')
    const answer = await register({ username: 'ole', password: 'driftwood', ...extra })
    expectRefusal(answer, 400, 'validation_failed', 'email')
    expect(await names(app)).toEqual(['ida'])
  })
})
