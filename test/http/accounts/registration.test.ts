import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { names } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const PATH = '/api/2/register'
const HOUR = 3600
const OLE = { username: 'ole', password: 'driftwood', email: 'ole@pods.example' }
const EVA = { username: 'eva', password: 'seagrass' }

/** A server with administrator ida; `register` is an anonymous attempt. */
async function open(registration: string) {
  const app = startTestApp({ settings: { registration } })
  app.clock.advance(1)
  await signUp(app)
  return { app, register: (body: unknown) => clientOf(app).post(PATH, body) }
}

const meOf = (app: TestApp, username: string, password: string) =>
  clientOf(app, basic(username, password)).get('/api/2/me')

test('the first account can always be made, is active and an administrator', async () => {
  const { json } = await clientOf(startTestApp({ settings: { registration: 'closed' } })).post(PATH, OLE)
  expect(json).toEqual({ status: 'active', is_admin: true })
})

test('open registration makes an active account that is no administrator, and does not log in', async () => {
  const { app, register } = await open('open')
  const { status, json, headers } = await register(OLE)
  expect([status, json, headers.get('set-cookie')]).toEqual([200, { status: 'active', is_admin: false }, null])
  expect(await meOf(app, 'ole', 'driftwood')).toMatchObject({
    json: { username: 'ole', email: 'ole@pods.example', is_admin: false, is_active: true },
  })
})

test('closed registration is 403 for everybody, before the fields are looked at', async () => {
  const { app, register } = await open('closed')
  for (const body of [OLE, { username: '!', password: '', email: '@' }, { ...OLE, username: 'ida' }])
    expectError(await register(body), 403, 'registration_closed')
  expect(await names(app)).toEqual(['ida'])
})

test.each([{}, { email: '' }, { email: ' ' }, { email: null }])(
  'registration by invitation needs an email address: %j',
  async (email) => {
    const { app, register } = await open('invite')
    const answer = await register({ username: 'ole', password: 'driftwood', ...email })
    expectError(answer, 400, 'validation_failed', 'email')
    expect(await names(app)).toEqual(['ida'])
  },
)

test.each<[string, object, number, string, string]>([
  ['a taken name', { ...EVA, username: 'ida' }, 409, 'username_taken', 'username'],
  ['a taken address', { ...EVA, email: 'Ole@Pods.example' }, 409, 'email_taken', 'email'],
  // Of several faults one is told.
  ['a bad name', { username: '!', password: '', email: '@' }, 400, 'validation_failed', 'username'],
  ['a bad password', { username: 'ida', password: '', email: '@' }, 400, 'validation_failed', 'password'],
  ['a bad address', { ...EVA, username: 'ida', email: '@' }, 400, 'validation_failed', 'email'],
  ['a taken name first', { ...EVA, username: 'ida', email: OLE.email }, 409, 'username_taken', 'username'],
])('refuses %s, and no account comes of it', async (_case, body, status, code, field) => {
  const { app, register } = await open('open')
  const ole = { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }
  await app.services.administration.create(ole, false, COMMAND_LINE)
  const before = stored(app)
  expectError(await register(body), status, code, field)
  expect(stored(app)).toBe(before)
})

describe('attempts', () => {
  const active = { status: 200, json: { status: 'active' } }

  test('are ten an hour from one address; then 429 tells when to come back', async () => {
    const { app, register } = await open('open')
    for (let n = 0; n < 10; n++) expect(await register({ ...EVA, username: `eva${n}` })).toMatchObject(active)
    app.clock.advance(600)
    const refused = await register({ ...EVA, username: 'liv' })
    expectError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('3000')
    app.setPeer('198.51.100.7')
    expect(await register({ ...EVA, username: 'liv' })).toMatchObject(active)
    app.setPeer('192.0.2.1')
    app.clock.advance(HOUR - 600)
    expect(await register({ ...EVA, username: 'mia' })).toMatchObject(active)
  })

  test('count when they are refused, too: else names could be tried without end', async () => {
    const { register } = await open('open')
    for (let n = 0; n < 10; n++) expect(await register({ ...EVA, username: 'ida' })).toMatchObject({ status: 409 })
    expectError(await register(EVA), 429, 'rate_limited')
  })
})
