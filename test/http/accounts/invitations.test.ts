import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { countingHasher, expectVoid, names, runJob } from '../accounts.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'

const INVITATIONS = '/api/admin/invitations'
const USERS = '/api/admin/users'
const DAY = 24 * 3600
const OLE = { username: 'Ole', email: 'ole@pods.example' }

/** A server without mail and with closed registration, whose administrator ida has invited Ole. */
async function open() {
  const { hasher } = countingHasher()
  const app = startTestApp({ settings: { registration: 'closed' }, hasher })
  const ida = await signUp(app, 'ida')
  const anyone = clientOf(app)
  const answer = await ida.post(INVITATIONS, OLE)
  const { token } = Object(answer.json)
  const find = (link: unknown = token) => anyone.post('/api/2/invitation', { token: link })
  const accept = (password = 'driftwood', link: unknown = token) =>
    anyone.post('/api/2/invitation/accept', { token: link, password })
  const statusOf = async (password = 'driftwood') =>
    (await clientOf(app, basic('ole', password)).get('/api/2/me')).status
  const auditOf = async () => {
    const { entries } = Object((await ida.get('/api/admin/audit')).json)
    return (entries as { actor: string; action: string; user: string }[])
      .map(({ actor, action, user }) => `${actor} ${action} ${user}`)
      .toReversed()
      .slice(1)
  }
  return { app, ida, anyone, answer, token: String(token), find, accept, statusOf, auditOf }
}

const WAITING = { username: 'Ole', active: false, state: 'pending_activation', is_admin: false }

describe('an invitation', () => {
  test('is a link that is shown once, and a pending account', async () => {
    const { app, ida, answer, token, statusOf } = await open()
    const expires = '2025-03-09T10:00:00'
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual({
      user: expect.objectContaining({ ...WAITING, email: 'ole@pods.example', invitation: { expires } }),
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      link: `http://localhost/activate#invitation=${token}`,
      expires,
    })
    expect((await ida.get(USERS)).json).toEqual([
      expect.objectContaining({ username: 'ida', invitation: null }),
      expect.objectContaining({ ...WAITING, invitation: { expires } }),
    ])
    expect(await statusOf()).toBe(401)
    expect([await stored(app), ...app.logs].join('\n')).not.toContain(token)
  })

  test('names its user, and sets a password without starting a session', async () => {
    const { ida, find, accept, statusOf, auditOf } = await open()
    for (let n = 0; n < 2; n++) expect((await find()).json).toEqual({ username: 'Ole', expires: '2025-03-09T10:00:00' })
    expectError(await accept('abc'), 400, 'validation_failed', 'password')
    const { status, json, headers } = await accept()
    expect([status, json]).toEqual([200, { status: 'active', username: 'Ole' }])
    expect(headers.get('set-cookie')).toBeNull()
    expect(await statusOf()).toBe(200)
    expect((await ida.get(USERS)).json).toMatchObject([{}, { username: 'Ole', active: true, invitation: null }])
    expect(await auditOf()).toEqual(['ida user_invited Ole', 'Ole invitation_accepted Ole'])
  })
})

test('an invited account cannot be activated without a password', async () => {
  const { app, ida, accept, statusOf } = await open()
  const before = await stored(app)
  expectError(await ida.post(`${USERS}/ole/activate`), 409, 'no_password')
  expect(await stored(app)).toBe(before)
  await accept()
  expect(await statusOf()).toBe(200)
  for (const method of ['post', 'delete'] as const) {
    for (const name of ['ole', 'ida']) expectError(await ida[method](`${USERS}/${name}/invitation`), 409, 'not_invited')
    expectError(await ida[method](`${USERS}/nils/invitation`), 404, 'unknown_user')
  }
  expect(await names(app)).toEqual(['ida', 'Ole'])
})

test('the link of an invitation starts with base_url', async () => {
  const app = startTestApp({ settings: { base_url: 'https://home.example/pods' } })
  const { link } = Object((await (await signUp(app)).post('/pods/api/admin/invitations', OLE)).json)
  expect(link).toStartWith('https://home.example/pods/activate#invitation=')
})

describe('the link of an invitation is invalid', () => {
  test.each<[string, (scene: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['once used', ({ accept }) => accept('pebbles')],
    ['after seven days', async ({ app }) => app.clock.advance(7 * DAY)],
    ['once withdrawn', ({ ida }) => ida.delete(`${USERS}/ole/invitation`)],
    ['when there is a new one', ({ ida }) => ida.post(`${USERS}/ole/invitation`)],
    ['when the account is deleted', ({ ida }) => ida.delete(`${USERS}/ole`)],
    ['when a password is set', ({ ida }) => ida.post(`${USERS}/ole/password`, { password: 'shells' })],
    ['when the account is deactivated', ({ ida }) => ida.post(`${USERS}/ole/deactivate`)],
  ])('%s', async (_case, end) => {
    const scene = await open()
    await end(scene)
    const before = await stored(scene.app)
    expectVoid(await scene.find())
    expectVoid(await scene.accept())
    expect(await stored(scene.app)).toBe(before)
    expect(await scene.statusOf()).toBe(401)
  })

  test('when made up, or used as an activation or reset token', async () => {
    const { anyone, token, statusOf, find, accept } = await open()
    for (const invented of ['', '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11']) {
      expectVoid(await find(invented))
      expectVoid(await accept('driftwood', invented))
    }
    expectVoid(await anyone.post('/api/2/activate', { token }))
    expectVoid(await anyone.post('/api/2/password-reset/confirm', { token, new_password: 'driftwood' }))
    expect(await statusOf()).toBe(401)
  })
})

test('only one of two concurrent requests can use a link', async () => {
  const { accept, statusOf } = await open()
  const answers = await Promise.all([accept('driftwood'), accept('pebbles')])
  expect(answers.map(({ status }) => status)).toEqual([200, 400])
  expect([await statusOf('driftwood'), await statusOf('pebbles')]).toEqual([200, 401])
})

test('an invitation is either accepted or withdrawn, even concurrently', async () => {
  const { app, ida, accept } = await open()
  const accepting = accept()
  await ida.delete(`${USERS}/ole/invitation`)
  expect([200, 400]).toContain((await accepting).status)
  expect(await names(app)).toEqual((await accepting).status === 200 ? ['ida', 'Ole'] : ['ida'])
})

describe('an administrator', () => {
  test('replaces a lost link', async () => {
    const { app, ida, find, accept, auditOf } = await open()
    app.clock.advance(3 * DAY)
    const { token } = Object((await ida.post(`${USERS}/OLE/invitation`)).json)
    expect((await find(token)).json).toEqual({ username: 'Ole', expires: '2025-03-12T10:00:00' })
    expect((await accept('driftwood', token)).status).toBe(200)
    expect(await auditOf()).toContain('ida invitation_renewed Ole')
  })

  test('withdraws it, after which name and address can be used again', async () => {
    const { app, ida, auditOf } = await open()
    expect((await ida.delete(`${USERS}/ole/invitation`)).json).toEqual({ status: 'ok' })
    expect(await names(app)).toEqual(['ida'])
    expect(await auditOf()).toEqual(['ida user_invited Ole', 'ida invitation_withdrawn Ole'])
    expect((await ida.post(INVITATIONS, OLE)).status).toBe(200)
  })

  test.each<[object, number, string, string]>([
    [{ username: 'OLE' }, 409, 'username_taken', 'username'],
    [{ username: 'nils', email: 'OLE@pods.example' }, 409, 'email_taken', 'email'],
    [{ username: 'n i l s' }, 400, 'validation_failed', 'username'],
    [{ username: 'nils', email: 'nils' }, 400, 'validation_failed', 'email'],
  ])('cannot invite %j', async (body, status, code, field) => {
    const { app, ida } = await open()
    const before = await stored(app)
    expectError(await ida.post(INVITATIONS, body), status, code, field)
    expect(await stored(app)).toBe(before)
  })
})

test('an invitation is removed after 30 days unless renewed', async () => {
  const { app, ida } = await open()
  await ida.post(INVITATIONS, { username: 'eva' })
  app.clock.advance(29 * DAY)
  await runJob(app, 'housekeeping')
  // The list shows that the link has expired.
  const expired = { ...WAITING, invitation: { expires: '' } }
  expect((await ida.get(USERS)).json).toMatchObject([{ username: 'eva' }, { username: 'ida' }, expired])
  await ida.post(`${USERS}/ole/invitation`)
  app.clock.advance(2 * DAY)
  await runJob(app, 'housekeeping')
  expect(await names(app)).toEqual(['ida', 'Ole'])
})
