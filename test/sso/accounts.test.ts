import { describe, expect, test } from 'bun:test'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { names } from '../http/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { basic, clientOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { type Lies, startLyingProvider } from '../support/lying-provider.ts'
import { expectFailed, expectSignedIn, LOGIN, ME, open, withProvider } from './scene.ts'

const AUDIT = '/podcasts/api/admin/audit'
const ida = { sub: '1', preferred_username: 'ida', email: 'ida@pods.example', email_verified: true }
const ole = { sub: '2', preferred_username: 'ole', email: 'ole@pods.example' }
const withEva = { hasEva: true }

describe('an email address', () => {
  test('of a local account fails the sign-in with email_taken and links nothing', () =>
    withProvider(withEva, async ({ app, signInAs }) => {
      for (const email_verified of [true, false])
        expectFailed((await signInAs({ sub: '9', email: ' eva@pods.example ', email_verified })).page, 'email_taken')
      expect([await names(app), await app.rowsOf('SELECT * FROM identities')]).toEqual([['eva'], []])
    }))

  test.each<[string, Claims, string]>([
    ['if it is verified', { email: ida.email, email_verified: true }, ida.email],
    ['unless the provider does not vouch for it', { email: ida.email }, ''],
    ['unless it would split headers', { email: `${ida.email}\r\nBcc: eva@pods.example`, email_verified: true }, ''],
  ])('is copied to a new account %s', (_case, claims, email) =>
    withProvider({}, async ({ signInAs }) => {
      const { client } = await signInAs({ sub: '1', ...claims })
      expect((await client.get(ME)).json).toMatchObject({ email })
    }),
  )
})

test.each([
  ['inactive', 'account_inactive'],
  ['pending_activation', 'account_pending'],
])('an account in state %s is refused with %s until it is active again', (state, code) =>
  withProvider(withEva, async ({ app, signInAs }) => {
    await signInAs(ida)
    await app.rowsOf('UPDATE users SET state = $1 WHERE username_key = $2', state, 'ida')
    expectFailed((await signInAs(ida)).page, code)
    await app.services.administration.setActive('ida', true, COMMAND_LINE)
    expectSignedIn((await signInAs(ida)).page)
    expect(await names(app)).toEqual(['eva', 'ida'])
  }),
)

test.each<[registration: string, autoCreate: string | undefined, isCreated: boolean]>([
  ['closed', undefined, false],
  ['invite', undefined, true],
  ['closed', 'true', true],
  ['open', 'false', false],
])(
  'registration=%s and oidc_auto_create=%p: creates accounts after the first: %p',
  async (registration, auto, isCreated) => {
    await using provider = startLyingProvider()
    const { oidc_auto_create: _, ...known } = provider.settings
    const settings = { ...known, registration, ...(auto !== undefined && { oidc_auto_create: auto }) }
    const { browser, clientIn, signIn } = open(settings)
    expectSignedIn(await browser.visit(LOGIN))
    expect((await clientIn(browser).get(ME)).json).toMatchObject({ username: 'ida', is_admin: true, is_active: true })
    provider.person = ole
    const page = await signIn()
    if (isCreated) expectSignedIn(page)
    else expectFailed(page, 'registration_closed')
  },
)

describe('the group of administrators', () => {
  const settings = { oidc_admin_group: 'podcast admins' }
  const inGroup = { ...ida, groups: ['crew', 'podcast admins'] }
  const isAdmin = async (app: TestApp, wanted = 'ida') =>
    (await app.services.administration.list()).find(({ username }) => username === wanted)?.isAdmin

  test('grants and revokes the role at each sign-in, over changes by hand, and writes both to the audit log', () =>
    withProvider({ hasEva: true, settings }, async ({ app, signInAs }) => {
      const eva = clientOf(app, basic('eva', 'seaglass'))
      const { client } = await signInAs(inGroup)
      const still = await signInAs(inGroup)
      expect([await isAdmin(app), (await client.get(AUDIT)).status]).toEqual([true, 200])
      const outside = { ...ida, groups: ['Podcast Admins'] }
      const former = await signInAs(outside)
      // Only the first page after the change explains it.
      const after = await signInAs(outside)
      for (const { page } of [still, after]) expectSignedIn(page)
      expectSignedIn(former.page, '/#role-removed')
      // Applies to sessions that are already open.
      expect([await isAdmin(app), (await client.get(AUDIT)).status]).toEqual([false, 403])
      await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
      await signInAs(outside)
      expect(await isAdmin(app)).toBe(false)
      const by = { actor: '', via: 'single_sign_on', user: 'ida' }
      const revoked = { ...by, action: 'admin_revoked' }
      const granted = { ...by, action: 'admin_granted' }
      expect((await eva.get(AUDIT)).json).toMatchObject({
        entries: [revoked, { ...granted, via: 'command_line' }, revoked, granted, { action: 'user_created' }],
      })
    }))

  test('leaves the role to the last administrator, with a warning in the log', () =>
    withProvider({ settings }, async ({ app, signInAs, logged }) => {
      await signInAs(inGroup)
      await signInAs({ ...ole, groups: ['podcast admins'] })
      expectSignedIn((await signInAs(ida)).page, '/#role-removed')
      expectSignedIn((await signInAs(ole)).page)
      expect([await isAdmin(app), await isAdmin(app, 'ole')]).toEqual([false, true])
      expect(logged()).toContainEqual(expect.objectContaining({ level: 'warn', user: 'ole', group: 'podcast admins' }))
    }))

  test.each<[string, Claims, RegExp]>([
    ['is missing', {}, /claim groups is missing/],
    ['cannot be read', { groups: [7] }, /claim groups cannot be read/],
  ])('revokes the role if the claim %s; the log and the test of the provider say why', (_case, claims, words) =>
    withProvider({ hasEva: true, settings }, async ({ app, signInAs, logged }) => {
      const eva = clientOf(app, basic('eva', 'seaglass'))
      const test = async () => (await eva.post('/podcasts/api/admin/sso/test')).json
      await signInAs(inGroup)
      expect(await test()).toEqual({ ok: true, cause: '' })
      await signInAs({ ...ida, ...claims })
      expect(await isAdmin(app)).toBe(false)
      const msg = expect.stringMatching(words)
      expect(logged()).toContainEqual(expect.objectContaining({ level: 'warn', msg, user: 'ida' }))
      expect(await test()).toEqual({ ok: true, cause: msg })
      await signInAs(inGroup)
      expect(await test()).toEqual({ ok: true, cause: '' })
    }),
  )

  test('is read from userinfo if the ID token holds only a part of the object', () => {
    const lies: Lies = { claims: (truth) => ({ ...truth, realm: {} }) }
    const more = { ...settings, oidc_groups_claim: 'realm.roles' }
    return withProvider({ hasEva: true, settings: more, lies }, async ({ app, signInAs }) => {
      await signInAs({ ...ida, realm: { roles: ['podcast admins'] } })
      expect(await isAdmin(app)).toBe(true)
    })
  })

  test('changes no role if the setting is empty', () =>
    withProvider({ ...withEva, settings: { oidc_admin_group: '' } }, async ({ app, signInAs }) => {
      const claims = { ...ida, groups: ['', 'undefined'] }
      await signInAs(claims)
      expect(await isAdmin(app)).toBe(false)
      await app.services.administration.setAdmin('ida', true, COMMAND_LINE)
      await signInAs(claims)
      expect(await isAdmin(app)).toBe(true)
    }))
})
