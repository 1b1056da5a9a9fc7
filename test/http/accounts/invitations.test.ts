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

/** A server without mail and without registration, whose administrator Ida has invited Ole. */
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
      .map(({ actor, action, user }) => `${actor || 'nobody'} ${action} ${user}`)
      .toReversed()
      .slice(1)
  }
  return { app, ida, anyone, answer, token: String(token), find, accept, statusOf, auditOf }
}

const WAITING = { username: 'Ole', active: false, state: 'pending_activation', is_admin: false }

describe('an invitation', () => {
  test('is a link that is told once, and an account nobody can sign in to until it is used', async () => {
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

  test('says whom it is for, as often as one asks', async () => {
    const { find } = await open()
    for (let n = 0; n < 2; n++) expect((await find()).json).toEqual({ username: 'Ole', expires: '2025-03-09T10:00:00' })
  })

  test('is accepted with a password, without signing in, and the account is active then', async () => {
    const { ida, accept, statusOf, auditOf } = await open()
    const { status, json, headers } = await accept()
    expect([status, json]).toEqual([200, { status: 'active', username: 'Ole' }])
    expect(headers.get('set-cookie')).toBeNull()
    expect(await statusOf()).toBe(200)
    expect((await ida.get(USERS)).json).toMatchObject([{}, { username: 'Ole', active: true, invitation: null }])
    expect(await auditOf()).toEqual(['ida user_invited Ole', 'Ole invitation_accepted Ole'])
  })

  test('begins with the public address of the settings', async () => {
    const app = startTestApp({ settings: { base_url: 'https://home.example/pods' } })
    const ida = await signUp(app)
    const { link } = Object(
      (await clientOf(app, basic('ida', 'seaglass')).post('/pods/api/admin/invitations', OLE)).json,
    )
    expect(link).toStartWith('https://home.example/pods/activate#invitation=')
    expect(await ida.get('/pods/api/admin/users')).toMatchObject({ status: 200 })
  })

  test('costs neither the link nor the account when the password breaks the rules', async () => {
    const { accept, statusOf } = await open()
    expectError(await accept('abc'), 400, 'validation_failed', 'password')
    expect((await accept()).status).toBe(200)
    expect(await statusOf()).toBe(200)
  })
})

test('an invited account is not activated without a password, and its link stays good', async () => {
  const { app, ida, accept, statusOf } = await open()
  const before = await stored(app)
  expectError(await ida.post(`${USERS}/ole/activate`), 409, 'no_password')
  expect(await stored(app)).toBe(before)
  await accept()
  expect(await statusOf()).toBe(200)
})

test('an invited account that was deactivated is activated once it has a password', async () => {
  const { ida, statusOf } = await open()
  await ida.post(`${USERS}/ole/deactivate`)
  expectError(await ida.post(`${USERS}/ole/activate`), 409, 'no_password')
  await ida.post(`${USERS}/ole/password`, { password: 'driftwood' })
  expect((await ida.post(`${USERS}/ole/activate`)).json).toMatchObject({ state: 'active', invitation: null })
  expect(await statusOf()).toBe(200)
})

describe('the link of an invitation is good for nothing', () => {
  test.each<[string, (scene: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['when it has been used', ({ accept }) => accept('pebbles')],
    ['when it is older than the settings say', async ({ app }) => app.clock.advance(7 * DAY)],
    ['when it was withdrawn', ({ ida }) => ida.delete(`${USERS}/ole/invitation`)],
    ['when a new one was made', ({ ida }) => ida.post(`${USERS}/ole/invitation`)],
    ['when the account was deleted', ({ ida }) => ida.delete(`${USERS}/ole`)],
    [
      'when an administrator has set a password',
      ({ ida }) => ida.post(`${USERS}/ole/password`, { password: 'shells' }),
    ],
    ['when the account was deactivated', ({ ida }) => ida.post(`${USERS}/ole/deactivate`)],
  ])('%s', async (_case, end) => {
    const scene = await open()
    await end(scene)
    const before = await stored(scene.app)
    expectVoid(await scene.find())
    expectVoid(await scene.accept())
    expect(await stored(scene.app)).toBe(before)
    expect(await scene.statusOf()).toBe(401)
  })

  test.each(['', 'x', '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11'])('when it is invented: %p', async (token) => {
    const { find, accept } = await open()
    expectVoid(await find(token))
    expectVoid(await accept('driftwood', token))
  })

  test('for anything else: neither an activation nor a new password', async () => {
    const { anyone, token, statusOf } = await open()
    expectVoid(await anyone.post('/api/2/activate', { token }))
    expectVoid(await anyone.post('/api/2/password-reset/confirm', { token, new_password: 'driftwood' }))
    expect(await statusOf()).toBe(401)
  })
})

test('of two who use a link at once, one gets the account', async () => {
  const { accept, statusOf } = await open()
  const answers = await Promise.all([accept('driftwood'), accept('pebbles')])
  expect(answers.map(({ status }) => status)).toEqual([200, 400])
  expect([await statusOf('driftwood'), await statusOf('pebbles')]).toEqual([200, 401])
})

test('an invitation that was withdrawn while somebody was accepting it is not accepted', async () => {
  const { app, ida, accept } = await open()
  const accepting = accept()
  await ida.delete(`${USERS}/ole/invitation`)
  expect([200, 400]).toContain((await accepting).status)
  expect(await names(app)).toEqual((await accepting).status === 200 ? ['ida', 'Ole'] : ['ida'])
})

describe('an administrator', () => {
  test('makes a new link for somebody who has lost it', async () => {
    const { app, ida, find, accept, auditOf } = await open()
    app.clock.advance(3 * DAY)
    const { token } = Object((await ida.post(`${USERS}/OLE/invitation`)).json)
    expect((await find(token)).json).toEqual({ username: 'Ole', expires: '2025-03-12T10:00:00' })
    expect((await accept('driftwood', token)).status).toBe(200)
    expect(await auditOf()).toEqual([
      'ida user_invited Ole',
      'ida invitation_renewed Ole',
      'Ole invitation_accepted Ole',
    ])
  })

  test('withdraws it, and name and address are free', async () => {
    const { app, ida, auditOf } = await open()
    expect((await ida.delete(`${USERS}/ole/invitation`)).json).toEqual({ status: 'ok' })
    expect(await names(app)).toEqual(['ida'])
    expect(await auditOf()).toEqual(['ida user_invited Ole', 'ida invitation_withdrawn Ole'])
    expect((await ida.post(INVITATIONS, OLE)).status).toBe(200)
  })

  test.each(['post', 'delete'] as const)('can %s no invitation that was accepted, or never was one', async (method) => {
    const { app, ida, accept } = await open()
    await accept()
    for (const name of ['ole', 'ida']) expectError(await ida[method](`${USERS}/${name}/invitation`), 409, 'not_invited')
    expectError(await ida[method](`${USERS}/nils/invitation`), 404, 'unknown_user')
    expect(await names(app)).toEqual(['ida', 'Ole'])
  })

  test.each<[string, object, number, string, string]>([
    ['a taken name', { username: 'IDA' }, 409, 'username_taken', 'username'],
    ['the name of somebody who is invited', { username: 'ole' }, 409, 'username_taken', 'username'],
    ['a taken address', { username: 'nils', email: 'OLE@pods.example' }, 409, 'email_taken', 'email'],
    ['a bad name', { username: 'n i l s' }, 400, 'validation_failed', 'username'],
    ['a bad address', { username: 'nils', email: 'nils' }, 400, 'validation_failed', 'email'],
    ['no name', {}, 400, 'validation_failed', 'username'],
  ])('cannot invite with %s', async (_case, body, status, code, field) => {
    const { app, ida } = await open()
    const before = await stored(app)
    expectError(await ida.post(INVITATIONS, body), status, code, field)
    expect(await stored(app)).toBe(before)
  })
})

test('nobody but an administrator makes, renews or withdraws an invitation', async () => {
  const { app, anyone, find } = await open()
  const nils = await signUp(app, 'nils', 'shells')
  for (const [client, status, code] of [
    [nils, 403, 'admin_required'],
    [anyone, 401, 'unauthorized'],
  ] as const) {
    expectError(await client.post(INVITATIONS, { username: 'eva' }), status, code)
    expectError(await client.post(`${USERS}/ole/invitation`), status, code)
    expectError(await client.delete(`${USERS}/ole/invitation`), status, code)
  }
  expect((await find()).status).toBe(200)
})

test('an invitation nobody accepts is removed after 30 days, and one that was renewed is not', async () => {
  const { app, ida } = await open()
  await ida.post(INVITATIONS, { username: 'eva' })
  app.clock.advance(29 * DAY)
  expect((await ida.get(USERS)).json).toMatchObject([{ username: 'eva' }, { username: 'ida' }, { username: 'Ole' }])
  await ida.post(`${USERS}/ole/invitation`)
  app.clock.advance(2 * DAY)
  await runJob(app, 'housekeeping')
  expect(await names(app)).toEqual(['ida', 'Ole'])
})

test('an invitation whose link is gone says so in the list', async () => {
  const { app, ida } = await open()
  app.clock.advance(7 * DAY)
  await runJob(app, 'housekeeping')
  expect((await ida.get(USERS)).json).toMatchObject([{}, { ...WAITING, invitation: { expires: '' } }])
})
