import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { expectVoid, names, outbox, runJob, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const PATH = '/api/2/register'
const HOUR = 3600
const OLE = { username: 'ole', password: 'driftwood', email: 'ole@pods.example' }
const EVA = { username: 'eva', password: 'seagrass' }

/** A server with administrator ida; `register` is anonymous. */
async function open(registration: string) {
  const app = startTestApp({ settings: { registration } })
  app.clock.advance(1)
  await signUp(app)
  return { app, register: (body: unknown) => clientOf(app).post(PATH, body) }
}

test('the first account can always be created, and is an active administrator', async () => {
  const { json } = await clientOf(startTestApp({ settings: { registration: 'closed' } })).post(PATH, OLE)
  expect(json).toEqual({ status: 'active', is_admin: true })
})

test.each<[mode: string, body: object, number, string, field: string | undefined]>([
  ['closed', OLE, 403, 'registration_closed', undefined],
  ['closed', { username: '!', password: '', email: '@' }, 403, 'registration_closed', undefined],
  ['invite', { ...EVA, email: ' ' }, 400, 'validation_failed', 'email'],
  ['invite', { ...EVA, email: null }, 400, 'validation_failed', 'email'],
  ['open', { ...EVA, username: 'ida' }, 409, 'username_taken', 'username'],
  ['open', { ...EVA, email: 'OLE@Pods.example' }, 409, 'email_taken', 'email'],
  // Of several errors one is reported.
  ['open', { username: '!', password: '', email: '@' }, 400, 'validation_failed', 'username'],
  ['open', { username: 'ida', password: '', email: '@' }, 400, 'validation_failed', 'password'],
  ['open', { ...EVA, username: 'ida', email: '@' }, 400, 'validation_failed', 'email'],
])('registration=%s refuses %j and creates nothing', async (mode, body, status, code, field) => {
  const { app, register } = await open(mode)
  await signUp(app, 'ole', 'driftwood', OLE.email)
  const before = await stored(app)
  expectError(await register(body), status, code, field)
  expect(await stored(app)).toBe(before)
})

const active = { status: 200, json: { status: 'active', is_admin: false } }

test('open registration creates active accounts without a session, ten an hour from an address, failures included', async () => {
  const { app, register } = await open('open')
  const { headers } = await register(OLE)
  expect(headers.get('set-cookie')).toBeNull()
  const me = { username: 'ole', email: 'ole@pods.example', is_admin: false, is_active: true }
  expect((await clientOf(app, basic('ole', 'driftwood')).get('/api/2/me')).json).toMatchObject(me)
  for (let n = 1; n < 5; n++) expect(await register({ ...EVA, username: `eva${n}` })).toMatchObject(active)
  // Otherwise user names could be probed.
  for (let n = 0; n < 5; n++) expect(await register({ ...EVA, username: 'ida' })).toMatchObject({ status: 409 })
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

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const INVITED = { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }
const PENDING = { code: 403, error: 'account_pending', message: expect.any(String) }

/** A server with registration=invite and administrator ida, where Ole has registered. */
async function openInvited({ canMail = true, registration = 'invite' } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration }, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const anyone = clientOf(app)
  const registered = await anyone.post(PATH, INVITED)
  await app.idle()
  const activate = (token: unknown = tokenIn(sent)) => anyone.post('/api/2/activate', { token })
  const ole = clientOf(app, basic('ole', 'driftwood'))
  const stateOf = async () => {
    const { status, json } = await ole.get('/api/2/me')
    return status === 200 ? 'active' : json
  }
  return { app, ida, anyone, sent, registered, activate, stateOf }
}

test('with registration=invite an account is pending until its mailed link is used', async () => {
  const { ida, sent, registered, activate, stateOf } = await openInvited()
  expect([registered.status, registered.json]).toEqual([
    200,
    { status: 'pending_activation', message: 'An activation link has been sent to Ole@Pods.example.' },
  ])
  const mail = { kind: 'activation', to: 'Ole@Pods.example', language: 'en', username: 'Ole' }
  expect<unknown>(sent).toEqual([{ ...mail, token: expect.stringMatching(UUID_V4) }])
  expect(await stateOf()).toEqual(PENDING)
  const listed = { username: 'Ole', email: 'Ole@Pods.example', active: false, is_admin: false }
  expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, listed])

  const answer = await activate()
  expect([answer.status, answer.json]).toEqual([200, { status: 'active' }])
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(await stateOf()).toBe('active')
  expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, { ...listed, active: true }])
})

test('without mail a pending account waits for an administrator', async () => {
  const { ida, registered, stateOf, sent } = await openInvited({ canMail: false })
  const message = 'The account has been created. An administrator must activate it.'
  expect([registered.status, registered.json]).toEqual([200, { status: 'pending_activation', message }])
  expect(await stateOf()).toEqual(PENDING)
  await ida.post('/api/admin/users/ole/activate')
  expect([await stateOf(), sent]).toEqual(['active', []])
})

test('an activation token is not accepted in the URL or by GET, since mail scanners follow links', async () => {
  const { anyone, sent, stateOf } = await openInvited()
  const query = `?token=${tokenIn(sent)}`
  await anyone.get(`/activate${query}`)
  expectError(await anyone.get(`/api/2/activate${query}`), 405, 'method_not_allowed')
  expectError(await anyone.post(`/api/2/activate${query}`, {}), 400, 'validation_failed', 'token')
  expectVoid(await anyone.post('/api/2/activate', { token: `x${tokenIn(sent)}` }))
  expect(await stateOf()).toEqual(PENDING)
})

test('a pending account is removed after 30 days; the log has counts only', async () => {
  const { app } = await openInvited()
  app.clock.advance(30 * 24 * HOUR)
  await runJob(app, 'housekeeping')
  expect(await names(app)).toEqual(['ida', 'Ole'])
  app.clock.advance(1)
  app.logs.length = 0
  await runJob(app, 'housekeeping')
  const removed = { sessions: 0, tokens: 0, loginFlows: 0, pendingAccounts: 1, auditEntries: 0 }
  expect(app.logs.map((line): unknown => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.any(String), msg: 'removed what has expired', ...removed },
  ])
  expect(await names(app)).toEqual(['ida'])
})
