import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, signIn, signUp } from '../../support/client.ts'
import { expectVoid, outbox, tokenIn } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const OLE = { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' }
const PENDING = { code: 403, error: 'account_pending', message: expect.any(String) }

/** A server by invitation with administrator ida, on which Ole has registered. */
async function open({ canMail = true, registration = 'invite' } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration }, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const anyone = clientOf(app)
  const registered = await anyone.post('/api/2/register', OLE)
  await app.idle()
  const activate = (token: unknown = tokenIn(sent)) => anyone.post('/api/2/activate', { token })
  const ole = clientOf(app, basic('ole', 'driftwood'))
  const stateOf = async () => {
    const { status, json } = await ole.get('/api/2/me')
    return status === 200 ? 'active' : json
  }
  return { app, ida, ole, anyone, sent, registered, activate, stateOf }
}

describe('an account by invitation', () => {
  test('is pending until the link in the mail is used, then active', async () => {
    const { app, ida, ole, sent, registered, activate, stateOf } = await open()
    expect([registered.status, registered.json]).toEqual([
      200,
      { status: 'pending_activation', message: 'An activation link has been sent to Ole@Pods.example.' },
    ])
    expect(sent).toEqual([
      { kind: 'activation', to: 'Ole@Pods.example', username: 'Ole', token: expect.stringMatching(UUID_V4) },
    ])
    expect(await stateOf()).toEqual(PENDING)
    const listed = { username: 'Ole', email: 'Ole@Pods.example', active: false, is_admin: false }
    expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, listed])

    const answer = await activate()
    expect([answer.status, answer.json]).toEqual([200, { status: 'active' }])
    expect(answer.headers.get('set-cookie')).toBeNull()
    const me = { username: 'Ole', email: 'Ole@Pods.example', is_admin: false, is_active: true, has_password: true }
    for (const client of [ole, await signIn(app, 'ole', 'driftwood')])
      expect((await client.get('/api/2/me')).json).toEqual(me)
    expect((await ida.get('/api/admin/users')).json).toMatchObject([{ username: 'ida' }, { ...listed, active: true }])
  })

  test('waits for an administrator where no mail can be sent, and the answer says so', async () => {
    const { ida, registered, stateOf, sent } = await open({ canMail: false })
    const message = 'The account has been created. An administrator must activate it.'
    expect([registered.status, registered.json]).toEqual([200, { status: 'pending_activation', message }])
    expect(await stateOf()).toEqual(PENDING)
    await ida.post('/api/admin/users/ole/activate')
    expect([await stateOf(), sent]).toEqual(['active', []])
  })
})

describe('an activation token', () => {
  test('is taken neither from the address nor by GET: mail scanners follow links', async () => {
    const { anyone, sent, stateOf } = await open()
    const query = `?token=${tokenIn(sent)}`
    await anyone.get(`/activate${query}`)
    expectError(await anyone.get(`/api/2/activate${query}`), 405, 'method_not_allowed')
    expectError(await anyone.post(`/api/2/activate${query}`, {}), 400, 'validation_failed', 'token')
    expectVoid(await anyone.post('/api/2/activate', { token: `x${tokenIn(sent)}` }))
    expect(await stateOf()).toEqual(PENDING)
  })

  test('is in no table and no line of the log', async () => {
    const { app, sent, activate } = await open()
    const shown = stored(app)
    await activate()
    expect([shown, stored(app), ...app.logs].join('\n')).not.toContain(tokenIn(sent))
    expect(app.logs.join('\n').toLowerCase()).not.toContain('pods.example')
  })
})
